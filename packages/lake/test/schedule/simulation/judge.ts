/**
 * Watches every operation in the order in which the store did them, keeps the simplest possible books of its own
 * (who holds which task, what was committed), and throws when an answer contradicts them.
 */
import type { CommitAnswer } from '../../../src/schedule/commit-task.ts'
import type { LossAnswer } from '../../../src/schedule/hold-leases.ts'
import {
  UPKEEP_YIELDS_MS,
  type LeaseAnswer,
  type LeaseAsk,
} from '../../../src/schedule/lease-task.ts'
import type { TaskError } from '../../../src/schedule/lose-lease.ts'
import type { QueryState } from '../../../src/schedule/query-rows.ts'
import type { LeaseId } from '../../../src/schedule/resolve-task.ts'
import type { Submission } from '../../../src/schedule/submit-query.ts'
import type { SweepAnswer } from '../../../src/schedule/sweep-tasks.ts'

export class Violation extends Error {}

interface Held {
  fence: number
  boot: string
  until: number
}

interface KnownTask {
  query: string
  held: Held | null
  committed: number | null
  failures: number
  deaths: number
}

interface KnownQuery {
  owner: string
  kind: string
  madeAt: number
  weight: number
  state: QueryState
  terms: Submission['terms']
  deadlineAt: number | null
  seenAt: number
}

/** One operation: what it was asked, and what it answered. */
export interface Done {
  operation: string
  args: unknown
  answer: unknown
}

export interface OwnerLoad {
  owner: string
  ready: number
  running: number
  weight: number
}

export class Judge {
  readonly tasks = new Map<string, KnownTask>()
  readonly queries = new Map<string, KnownQuery>()
  /** Leases that others got while an owner waited with nothing under way. */
  readonly #passedOver = new Map<string, number>()
  #lastFence = 0

  /** Fences were given before this run began. */
  constructor(lastFence: number) {
    this.#lastFence = lastFence
  }

  saw({ operation, args, answer }: Done): void {
    switch (operation) {
      case 'lakeSubmit':
        return this.#submitted(args as Submission, answer as { isNew: boolean })
      case 'lakeTouch':
        return this.#touched(args as { id: string; now: number })
      case 'lakeLease':
        return this.#leased(args as LeaseAsk, answer as LeaseAnswer)
      case 'lakeBeat':
        return this.#beaten(args as BeatArgs, answer as { lost: LeaseId[] })
      case 'lakeCommit':
        return this.#committed((args as { lease: LeaseId }).lease, answer as CommitAnswer)
      case 'lakeFail':
        return this.#failed(args as { lease: LeaseId; error: TaskError }, answer as LossAnswer)
      case 'lakeReturn':
        return this.#returned((args as { lease: LeaseId }).lease, answer as LossAnswer)
      case 'lakeSweepTasks':
      case 'lakeEndWorker':
        return this.#swept(args as { now: number; boot?: string }, answer as SweepAnswer)
      case 'lakeKeepLeases':
        return this.#kept(args as { now: number; leaseMs: number })
      case 'lakeCancel':
        return this.#cancelled((args as { id: string }).id, answer as { state: QueryState })
    }
  }

  /** Whether a lease is its holder's at this moment. */
  isHeld(lease: LeaseId): boolean {
    return this.tasks.get(keyOf(lease))?.held?.fence === lease.fence
  }

  /**
   * The owner with least gets the next task, and no owner without a task waits for more than a few
   * rounds.
   */
  checkFairness(leased: LeaseId, loads: readonly OwnerLoad[]): void {
    const { owner } = this.queries.get(leased.query)!
    const chosen = loads.find((load) => load.owner === owner)!
    for (const other of loads) {
      if (other.owner === owner || other.ready === 0) continue
      expect(
        other.running / other.weight >= chosen.running / chosen.weight,
        `${owner} was served, although ${other.owner} had less under way`,
      )
      const isIdle = other.running === 0
      const passes = isIdle ? (this.#passedOver.get(other.owner) ?? 0) + 1 : 0
      this.#passedOver.set(other.owner, passes)
      const round = loads.reduce((sum, { weight }) => sum + Math.ceil(weight / other.weight), 0)
      expect(passes <= 2 * round + 2, `${other.owner} was passed over ${passes} times`)
    }
    this.#passedOver.set(owner, 0)
  }

  #submitted(submission: Submission, { isNew }: { isNew: boolean }): void {
    const { id, owner, kind, weight, terms, now: madeAt } = submission
    expect(isNew !== this.queries.has(id), `submitting ${id} was taken for something else`)
    if (isNew) {
      const { deadlineAt } = submission
      const known = { owner, kind, weight, terms, madeAt, seenAt: madeAt, deadlineAt }
      this.queries.set(id, { ...known, state: 'running' })
    }
  }

  #touched({ id, now }: { id: string; now: number }): void {
    const query = this.queries.get(id)
    if (query && query.seenAt < now - 1_000) query.seenAt = now
  }

  #leased({ boot, now, leaseMs }: LeaseAsk, { leased }: LeaseAnswer): void {
    if (leased === null) return
    const { fence, query } = leased
    expect(fence > this.#lastFence, `fence ${fence} is not higher than ${this.#lastFence}`)
    this.#lastFence = fence
    const known = this.queries.get(query)
    expect(known?.state === 'running', `${query} has ended and was leased`)
    if (known?.kind === 'compact' && now - known.madeAt < UPKEEP_YIELDS_MS) {
      const others = [...this.queries.values()].filter(({ kind }) => kind !== 'compact')
      expect(!others.some(({ state }) => state === 'running'), `${query} did not yield`)
    }
    const task = this.#task(leased)
    expect(task.held === null, `${keyOf(leased)} is leased twice`)
    expect(task.committed === null, `${keyOf(leased)} is done and was leased again`)
    task.held = { fence, boot, until: now + leaseMs }
  }

  #beaten({ boot, tasks, now, leaseMs }: BeatArgs, { lost }: { lost: LeaseId[] }): void {
    for (const lease of tasks) {
      const task = this.#task(lease)
      const isLost = lost.some(({ fence }) => fence === lease.fence)
      const isHeld = task.held?.fence === lease.fence && task.held.boot === boot
      const isDone = task.committed === lease.fence
      expect(
        isLost || isHeld || isDone || this.#isEnded(lease),
        `${keyOf(lease)} beats for nothing`,
      )
      const isGood = isHeld || (isDone && !this.#isEnded(lease))
      expect(!(isLost && isGood), `${keyOf(lease)} was notified that its lease is lost`)
      if (isHeld) task.held!.until = Math.max(task.held!.until, now + leaseMs)
    }
  }

  #committed(lease: LeaseId, { answer, isEnded }: CommitAnswer): void {
    const task = this.#task(lease)
    const isHeld = task.held?.fence === lease.fence
    if (answer === 'accepted') {
      expect(isHeld, `${keyOf(lease)} was accepted with the stale fence ${lease.fence}`)
      task.held = null
      task.committed = lease.fence
      if (isEnded) this.#end(lease.query, 'done')
    } else if (answer === 'already') {
      const mayBe = task.committed === lease.fence || this.#isEnded(lease)
      expect(mayBe, `${keyOf(lease)} was not committed before`)
    } else expect(!isHeld, `${keyOf(lease)} was refused with its current fence`)
  }

  #failed({ lease, error }: { lease: LeaseId; error: TaskError }, answer: LossAnswer): void {
    const task = this.#lost(lease, answer)
    if (!task) return
    task.failures += 1
    const { attemptsMost } = this.queries.get(lease.query)!.terms
    const isTooMuch = error.retry === 'never' || task.failures >= attemptsMost
    expect(isTooMuch === answer.isEnded, `${keyOf(lease)} failed ${task.failures} times`)
    if (answer.isEnded) this.#end(lease.query, 'failed')
  }

  #returned(lease: LeaseId, answer: LossAnswer): void {
    this.#lost(lease, answer)
    expect(!answer.isEnded, `${lease.query} ended because a task was given back`)
  }

  #lost(lease: LeaseId, { isStale }: LossAnswer): KnownTask | null {
    const isHeld = this.isHeld(lease)
    expect(isStale !== isHeld, `${keyOf(lease)} with fence ${lease.fence}: stale is ${isStale}`)
    const task = this.#task(lease)
    if (!isHeld) return null
    task.held = null
    return task
  }

  #swept({ now, boot }: { now: number; boot?: string }, { lost, ended }: SweepAnswer): void {
    for (const fence of lost) {
      const task = [...this.tasks.values()].find(({ held }) => held?.fence === fence)
      expect(task?.held, `fence ${fence} was swept, although it was not held`)
      const { held } = task
      const isDue = boot === undefined ? held.until <= now : held.boot === boot
      expect(isDue, `fence ${fence} was swept before its time`)
      task.held = null
      task.deaths += 1
    }
    for (const [id, query] of this.queries) {
      if (query.state !== 'running') continue
      const end = ended.find((one) => one.id === id)
      const wanted = this.#endOf(id, query, boot === undefined ? now : -Infinity)
      expect(end?.state === wanted, `${id} was swept to be ${end?.state}, not ${wanted}`)
      if (end) this.#end(id, end.state)
    }
  }

  /** What time, or the deaths over one of its tasks, make of a query. */
  #endOf(id: string, query: KnownQuery, now: number): QueryState | undefined {
    const { terms, deadlineAt, seenAt } = query
    if (deadlineAt !== null && deadlineAt <= now) return 'failed'
    if (terms.abandonMs !== null && seenAt + terms.abandonMs <= now) return 'cancelled'
    const tasks = [...this.tasks.values()].filter((task) => task.query === id)
    return tasks.some(({ deaths }) => deaths >= terms.deathsMost) ? 'failed' : undefined
  }

  #kept({ now, leaseMs }: { now: number; leaseMs: number }): void {
    for (const { held } of this.tasks.values()) {
      if (held) held.until = Math.max(held.until, now + leaseMs)
    }
  }

  #cancelled(id: string, { state }: { state: QueryState }): void {
    if (this.queries.get(id)!.state === 'running') this.#end(id, state)
    expect(this.queries.get(id)!.state === state, `${id} was ${state} and is something else`)
  }

  #end(id: string, state: QueryState): void {
    const query = this.queries.get(id)!
    expect(query.state === 'running', `${id} ended twice`)
    query.state = state
    for (const task of this.tasks.values()) if (task.query === id) task.held = null
  }

  /** The store may have removed its rows: then it says that a lease is lost which was committed. */
  #isEnded({ query }: LeaseId): boolean {
    return this.queries.get(query)?.state !== 'running'
  }

  #task(lease: LeaseId): KnownTask {
    const key = keyOf(lease)
    let task = this.tasks.get(key)
    if (!task) {
      task = { query: lease.query, held: null, committed: null, failures: 0, deaths: 0 }
      this.tasks.set(key, task)
    }
    return task
  }
}

interface BeatArgs {
  boot: string
  tasks: readonly LeaseId[]
  now: number
  leaseMs: number
}

function keyOf({ query, stage, index }: LeaseId): string {
  return `${query} ${stage} ${index}`
}

export function expect(isTrue: unknown, otherwise: string): asserts isTrue {
  if (!isTrue) throw new Violation(otherwise)
}
