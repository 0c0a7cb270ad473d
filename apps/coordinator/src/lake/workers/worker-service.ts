/**
 * The station's side of its workers: tasks are handed out as they become ready, and who works is known. Whether a
 * result counts is decided in the store, by its fence; here is only the waiting, and which files a task may touch.
 */
import {
  InputChanged,
  TaskFileMissing,
  type FileRef,
  type LakeFiles,
  type LeaseId,
  type ListedTask,
  type Scheduler,
  type Task,
  type TaskDone,
} from '@minga/lake'
import type { WorkerView } from '@minga/protocol'
import type { ConditionVariable } from '@minga/protocol/condition-variable'
import { runExclusive } from '@minga/protocol/run-exclusive'
import { BadPart, NoSuchWorker, TaskTaken } from '../lake-errors.ts'
import { changedAtOf } from '../tables/outside-file.ts'
import { appendPart, receivedBytes, type Part } from '../uploads/uploads.ts'
import type { Station } from '../../station/station.ts'

interface WorkerAbout {
  machine?: string | undefined
  pid?: number | undefined
  memoryMb?: number | undefined
  version?: string | undefined
}

interface WorkerCall {
  worker: string
  boot: string
  engine?: string
  address: string
  about?: WorkerAbout | undefined
  tasks: number
  now: number
}

/** What a worker says of itself; what it has in hand and whether it rests is in the store. */
type KnownWorker = Omit<WorkerView, 'isDrained' | 'task' | 'idle'>

/** Long after any worker would have called. */
const FORGOTTEN_MS = 120_000

/** Which workers call, and what is known of each. It is kept in memory: who works calls again within the minute. */
class KnownWorkers {
  readonly #known = new Map<string, KnownWorker>()

  called({ worker: name, boot, engine, address, about, tasks, now }: WorkerCall): void {
    const known = this.#known.get(boot)
    this.#known.set(boot, {
      name,
      boot,
      engine: engine ?? known?.engine ?? '',
      address,
      tasks,
      seenAt: now,
      since: known?.since ?? now,
      machine: about?.machine ?? known?.machine ?? null,
      pid: about?.pid ?? known?.pid ?? null,
      memoryMb: about?.memoryMb ?? known?.memoryMb ?? null,
      version: about?.version ?? known?.version ?? null,
      tasksDone: known?.tasksDone ?? 0,
    })
  }

  did(boot: string): void {
    const known = this.#known.get(boot)
    if (known !== undefined) this.#known.set(boot, { ...known, tasksDone: known.tasksDone + 1 })
  }

  ended(boot: string): void {
    this.#known.delete(boot)
  }

  /** By name. */
  list(now: number): KnownWorker[] {
    for (const [boot, { seenAt }] of this.#known) {
      if (seenAt < now - FORGOTTEN_MS) this.#known.delete(boot)
    }
    return [...this.#known.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
  }
}

export interface WorkerServiceParts extends Pick<Station, 'clock' | 'closing'> {
  scheduler: Scheduler
  files: LakeFiles
  /** Rung when tasks may have become ready. */
  work: ConditionVariable
  /** Notified when a client that watches a query may see something new. */
  news: ConditionVariable
  /** A query has ended; asked twice it does no harm. */
  onEnded: (query: string) => Promise<void>
  /** Whether other coordinators may have the same store. */
  isShared: boolean
}

export interface Asking {
  worker: string
  boot: string
  engine: string
  waitMs: number
  address: string
  about?: WorkerAbout | undefined
}

/** Other coordinators ring no bell here; without any, looking is for safety alone. */
const LOOK_EVERY_MS = 2_000
const LOOK_EVERY_ALONE_MS = 15_000
/** So long a worker that takes no more waits before it asks whether that is still so. */
const DRAINED_MS = 2_000
/** More than any station has; each has a task or two. */
const TASKS_MOST = 10_000

const RUNNING_MOST = 1_000

export interface LeaseAnswer {
  task: Task | null
  /** Of none: when to ask again. */
  waitMs?: number
  isDrained?: boolean
}

export class WorkerService {
  readonly #parts: WorkerServiceParts
  readonly #known = new KnownWorkers()
  readonly #turns = new Map<string, object>()

  constructor(parts: WorkerServiceParts) {
    this.#parts = parts
  }

  /** A task, or null after `waitMs` without one. */
  async lease(asking: Asking, gone: AbortSignal): Promise<LeaseAnswer> {
    const { scheduler, clock, work, closing, isShared } = this.#parts
    const lookMs = isShared ? LOOK_EVERY_MS : LOOK_EVERY_ALONE_MS
    const { worker, boot, engine } = asking
    const signal = AbortSignal.any([gone, closing])
    const untilMs = clock.monotonicMs() + asking.waitMs
    for (;;) {
      this.#known.called({ ...asking, tasks: 0, now: clock.now() })
      const { task, ...rest } = await scheduler.lease({ worker, boot, engine })
      if (task !== null) {
        // The worker may have disconnected in the meantime: the task would stay idle until its
        // lease ends.
        if (!gone.aborted) return { task }
        await scheduler.giveBack(task)
        return { task: null }
      }
      const leftMs = untilMs - clock.monotonicMs()
      if (leftMs <= 0 || signal.aborted) return { task: null }
      const { waitMs = lookMs, isDrained = false } = rest as {
        waitMs?: number
        isDrained?: boolean
      }
      // Answered at once, so that the worker can say so on its terminal.
      if (isDrained) return { task: null, waitMs: DRAINED_MS, isDrained }
      await work.waitFor(Math.max(1, Math.min(leftMs, waitMs, lookMs)), clock, signal)
    }
  }

  async beat(
    { worker, boot, address }: Pick<Asking, 'worker' | 'boot' | 'address'>,
    tasks: (LeaseId & { progress: number })[],
  ): Promise<{ lost: LeaseId[] }> {
    const now = this.#parts.clock.now()
    this.#known.called({ worker, boot, address, tasks: tasks.length, now })
    return this.#parts.scheduler.beat({ boot, tasks })
  }

  async commit(id: LeaseId & { boot: string }, done: TaskDone): Promise<{ answer: string }> {
    const { scheduler, work, news } = this.#parts
    const { boot, ...lease } = id
    const { answer, opened, isEnded } = await scheduler.commit(lease, done)
    if (answer === 'accepted') this.#known.did(boot)
    if (opened > 0) work.notifyAll()
    if (isEnded) await this.#parts.onEnded(id.query)
    news.notifyAll()
    return { answer }
  }

  async fail(id: LeaseId, error: Parameters<Scheduler['fail']>[1]): Promise<void> {
    await this.#parts.scheduler.fail(id, error)
    this.#parts.work.notifyAll()
    this.#parts.news.notifyAll()
  }

  async giveBack(id: LeaseId): Promise<void> {
    await this.#parts.scheduler.giveBack(id)
    this.#parts.work.notifyAll()
  }

  /** Its supervisor saw it end, so its leases need not run out first. */
  async ended(boot: string): Promise<void> {
    this.#known.ended(boot)
    const { freed } = await this.#parts.scheduler.endWorker(boot)
    if (freed > 0) this.#parts.work.notifyAll()
  }

  /** Where a file is that a task reads. */
  async readable(id: LeaseId, name: string): Promise<string> {
    const task = await this.#taskOf(id)
    const isRead = filesOf(task).some((file) => file.at === 'lake' && file.name === name)
    if (!isRead) throw TaskFileMissing.named(name)
    return this.#parts.files.at(name)
  }

  /** The same for a user's own file on this machine, as long as it is unchanged. */
  async readableOutside(id: LeaseId, path: string): Promise<string> {
    const task = await this.#taskOf(id)
    const file = filesOf(task).find((one) => one.at === 'outside' && one.name === path)
    if (file === undefined) throw TaskFileMissing.named(path)
    const { bytes, changedAtMs } = await changedAtOf(path)
    if (bytes !== file.bytes || changedAtMs !== file.changedAtMs) throw InputChanged.at(path)
    return path
  }

  /** A part of a file that a task wrote elsewhere; with its last byte the file is there. */
  async receive(id: LeaseId, name: string, part: Part): Promise<{ received: number }> {
    const { files } = this.#parts
    requireOwn(id, name)
    await this.#taskOf(id)
    return this.#inTurn(name, async () => {
      if ((await files.size(name)) === part.total) return { received: part.total }
      const partial = `${name}.partial`
      const received = await appendPart(files.at(partial), part)
      if (received === part.total) {
        await files.settle(partial, name)
        this.#turns.delete(name)
      }
      return { received }
    })
  }

  /** What is there of a file that is being received. */
  received(name: string): Promise<number> {
    return receivedBytes(this.#parts.files.at(`${name}.partial`))
  }

  /** A file that its worker does not need any more. */
  async drop(id: LeaseId, name: string): Promise<void> {
    requireOwn(id, name)
    await this.#parts.files.remove(`${name}.partial`)
    await this.#parts.files.remove(name)
  }

  async list(): Promise<WorkerView[]> {
    const { scheduler, clock } = this.#parts
    const drained = new Set(await scheduler.drained())
    const { tasks } = await scheduler.tasks({ state: 'running', most: TASKS_MOST })
    const held = new Map(tasks.map((task) => [task.boot, task]))
    const running = await scheduler.list({ states: ['running'], most: RUNNING_MOST })
    const hasReady = running.some(({ tasks: { ready } }) => ready > 0)
    const idle = running.length === 0 ? 'nothing-asked' : hasReady ? 'about-to-take' : 'waiting'
    return this.#known.list(clock.now()).map((worker) => {
      const task = held.get(worker.boot)
      const isDrained = drained.has(worker.boot)
      return {
        ...worker,
        isDrained,
        task: task === undefined ? null : inHand(task),
        idle: task !== undefined ? null : isDrained ? 'drained' : idle,
      }
    })
  }

  /** It finishes what it has and takes no more, until it is resumed. */
  async drain(boot: string): Promise<KnownWorker> {
    const worker = this.#workerOf(boot)
    await this.#parts.scheduler.drain(boot)
    // Wakes a worker that waits for work.
    this.#parts.work.notifyAll()
    return worker
  }

  async resume(boot: string): Promise<KnownWorker> {
    const worker = this.#workerOf(boot)
    await this.#parts.scheduler.resume(boot)
    return worker
  }

  #workerOf(boot: string): KnownWorker {
    const worker = this.#known.list(this.#parts.clock.now()).find((one) => one.boot === boot)
    if (worker === undefined) throw new NoSuchWorker(boot)
    return worker
  }

  async #taskOf(id: LeaseId): Promise<Task> {
    const task = await this.#parts.scheduler.taskOf(id)
    if (task === null) throw new TaskTaken()
    return task
  }

  #inTurn<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = this.#turns.get(name) ?? {}
    this.#turns.set(name, turn)
    return runExclusive(turn, work)
  }
}

function inHand({ query, stage, index, leasedAt }: ListedTask): NonNullable<WorkerView['task']> {
  return { query, stage, index, since: leasedAt! }
}

function filesOf({ reads }: Task): FileRef[] {
  return reads.flatMap((read) => (read.kind === 'range' ? [read.file] : read.files))
}

/** A worker names files of its own task only, in the folder and by the number and fence it was given. */
function requireOwn({ query, stage, index, fence }: LeaseId, file: string): void {
  const [kind, owner, within, name = '', ...rest] = file.split('/')
  const isPlace =
    (kind === 'queries' && owner === query && within === stage) ||
    (kind === 'tables' && within === query)
  if (!isPlace || rest.length > 0 || !name.startsWith(`${index}-${fence}-`)) {
    throw BadPart.ofAnother(file)
  }
}
