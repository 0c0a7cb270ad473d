/**
 * The scheduler as the station sees it: operations of the store with a clock, and plans kept at hand. It holds no
 * state that counts, so any number of coordinators may have one over the same store, and any of them may die.
 */
import type { Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { Plan, Task, TaskDone } from '../model.ts'
import type { CommitAnswer } from './commit-task.ts'
import type { LossAnswer } from './hold-leases.ts'
import type { LeaseAnswer } from './lease-task.ts'
import type { TaskFilter, TaskPage } from './list-tasks.ts'
import type { TaskError } from './lose-lease.ts'
import type { Garbage } from './query-garbage.ts'
import type { ResultFile, ShownOutputs } from './query-outputs.ts'
import type { QueryState, Terms } from './query-rows.ts'
import type { QueryFilter, QueryStatus, QuerySummary } from './query-status.ts'
import {
  checkDone,
  countedOnce,
  resolveTask,
  type LeasedTask,
  type LeaseId,
} from './resolve-task.ts'
import type { SweepAnswer } from './sweep-tasks.ts'
import type { ScheduleOperations } from './schedule-operations.ts'

export interface ScheduleOptions extends Omit<Terms, 'tableOwner'> {
  /** Four missed beats of 1.5 s. Too short takes work from healthy workers; too long only delays a retry. */
  leaseMs: number
  /** How long ended queries are listed after their files are gone. */
  historyMs: number
}

const HOUR_MS = 3_600_000

export const SCHEDULE_DEFAULTS: ScheduleOptions = {
  leaseMs: 6_000,
  attemptsMost: 4,
  deathsMost: 10,
  keepMs: 24 * HOUR_MS,
  abandonMs: 600_000,
  historyMs: 30 * 24 * HOUR_MS,
  limits: { memoryMb: 1024, threads: 1 },
}

export interface QuerySubmission extends Partial<Terms> {
  id: string
  owner: string
  kind: string
  plan: Plan
  ask?: unknown
  weight?: number
  /** From now on; null: it may take as long as it likes. */
  deadlineMs?: number | null
}

/** Plans are read once for all tasks of a query; more queries than this are seldom under way at once. */
const PLANS_AT_HAND = 64
/** A worker that finds nothing asks again after this, unless it is woken before. */
const LONGEST_WAIT_MS = 30_000
const FORGET_AT_ONCE = 200

export class Scheduler {
  readonly #store: Calls<ScheduleOperations>
  readonly #clock: Pick<Clock, 'now'>
  readonly #options: ScheduleOptions
  readonly #plans = new Map<string, Promise<Plan>>()

  constructor(
    store: Calls<ScheduleOperations>,
    clock: Pick<Clock, 'now'>,
    options: Partial<ScheduleOptions> = {},
  ) {
    this.#store = store
    this.#clock = clock
    this.#options = { ...SCHEDULE_DEFAULTS, ...options }
  }

  submit(query: QuerySubmission): Promise<{ isNew: boolean; opened: number }> {
    const { id, owner, kind, plan, ask = null, weight = 1, deadlineMs = null, ...terms } = query
    const { attemptsMost, deathsMost, keepMs, abandonMs, limits } = this.#options
    const now = this.#clock.now()
    return this.#store.call('lakeSubmit', {
      id,
      owner,
      kind,
      plan,
      ask,
      weight,
      terms: { attemptsMost, deathsMost, keepMs, abandonMs, limits, tableOwner: owner, ...terms },
      deadlineAt: deadlineMs === null ? null : now + deadlineMs,
      now,
    })
  }

  /** A task, or how long nothing will be ready by itself. */
  async lease(ask: {
    worker: string
    boot: string
    engine?: string
    kinds?: readonly string[]
  }): Promise<{ task: Task } | { task: null; waitMs: number; isDrained: boolean }> {
    const { worker, boot, engine = null, kinds = null } = ask
    const lease = (): Promise<LeaseAnswer> =>
      this.#store.call('lakeLease', { worker, boot, engine, kinds, ...this.#times() })
    let { leased, dueAt, isDrained } = await lease()
    if (leased === null && dueAt !== null && dueAt <= this.#clock.now()) {
      await this.sweep()
      ;({ leased, dueAt, isDrained } = await lease())
    }
    if (leased !== null) return { task: await this.#resolve(leased) }
    const waitMs = dueAt === null ? LONGEST_WAIT_MS : dueAt - this.#clock.now()
    return { task: null, waitMs: Math.min(LONGEST_WAIT_MS, Math.max(0, waitMs)), isDrained }
  }

  /** Leases that are not this process's any more. */
  beat(beat: {
    boot: string
    tasks: readonly (LeaseId & { progress: number })[]
  }): Promise<{ lost: LeaseId[] }> {
    return this.#store.call('lakeBeat', { ...beat, ...this.#times() })
  }

  async commit(lease: LeaseId, done: TaskDone): Promise<CommitAnswer> {
    // A query that was forgotten has no plan: then the commit says that it is stale.
    const plan = await this.plan(lease.query).catch(() => null)
    if (plan !== null) checkDone(plan, lease, done)
    const counted = plan === null ? done : countedOnce(plan, lease, done)
    const answer = await this.#store.call('lakeCommit', {
      lease,
      done: counted,
      now: this.#clock.now(),
    })
    if (answer.isEnded) this.#plans.delete(lease.query)
    return answer
  }

  fail(lease: LeaseId, error: TaskError): Promise<LossAnswer> {
    return this.#store.call('lakeFail', { lease, error, now: this.#clock.now() })
  }

  giveBack(lease: LeaseId): Promise<LossAnswer> {
    return this.#store.call('lakeReturn', { lease, now: this.#clock.now() })
  }

  /** This process is known to be dead: its tasks are free at once. */
  endWorker(boot: string): Promise<SweepAnswer> {
    return this.#store.call('lakeEndWorker', { boot, now: this.#clock.now() })
  }

  /** This process finishes what it has and is given nothing more, until it is resumed. */
  drain(boot: string): Promise<void> {
    return this.#store.call('lakeDrain', { boot, now: this.#clock.now() })
  }

  resume(boot: string): Promise<void> {
    return this.#store.call('lakeResume', { boot })
  }

  drained(): Promise<string[]> {
    return this.#store.call('lakeDrained', {})
  }

  /**
   * To be called when a coordinator starts or takes over: leases could not be renewed in the
   * meantime.
   */
  keepLeases(): Promise<void> {
    return this.#store.call('lakeKeepLeases', this.#times())
  }

  sweep(): Promise<SweepAnswer> {
    return this.#store.call('lakeSweepTasks', { now: this.#clock.now() })
  }

  async cancel(id: string): Promise<QueryState> {
    return (await this.#store.call('lakeCancel', { id, now: this.#clock.now() })).state
  }

  /** Its client is there. */
  touch(id: string): Promise<void> {
    return this.#store.call('lakeTouch', { id, now: this.#clock.now() })
  }

  status(id: string): Promise<QueryStatus | null> {
    return this.#store.call('lakeStatus', { id })
  }

  list(filter: QueryFilter): Promise<QuerySummary[]> {
    return this.#store.call('lakeListQueries', filter)
  }

  tasks(filter: TaskFilter): Promise<TaskPage> {
    return this.#store.call('lakeListTasks', filter)
  }

  /** What the tasks of each stage wrote so far. */
  stageBytes(id: string): Promise<Record<string, number>> {
    return this.#store.call('lakeStageBytes', { id })
  }

  /** Files with unsorted rows of results that appeared after a cursor. */
  outputs(from: { id: string; after: number; most: number }): Promise<ShownOutputs> {
    return this.#store.call('lakeOutputs', from)
  }

  results(id: string): Promise<ResultFile[]> {
    return this.#store.call('lakeResults', { id, now: this.#clock.now() })
  }

  async plan(id: string): Promise<Plan> {
    const known = this.#plans.get(id)
    if (known) return known
    const plan = this.#store.call('lakePlan', { id })
    if (this.#plans.size >= PLANS_AT_HAND) this.#plans.delete(this.#plans.keys().next().value!)
    this.#plans.set(id, plan)
    plan.catch(() => this.#plans.delete(id))
    return plan
  }

  /** The task of a lease that is still its holder's. */
  async taskOf(lease: LeaseId): Promise<Task | null> {
    const leased = await this.#store.call('lakeLeaseNow', lease)
    return leased && this.#resolve(leased)
  }

  garbage({ most }: { most: number }): Promise<Garbage[]> {
    return this.#store.call('lakeGarbage', { most, now: this.#clock.now() })
  }

  /** What `garbage` named is gone. */
  async collected(id: string): Promise<void> {
    await this.#store.call('lakeCollected', { id, now: this.#clock.now() })
    this.#plans.delete(id)
  }

  forget(): Promise<number> {
    const endedBefore = this.#clock.now() - this.#options.historyMs
    return this.#store.call('lakeForgetQueries', { endedBefore, most: FORGET_AT_ONCE })
  }

  strays(ids: readonly string[]): Promise<string[]> {
    return this.#store.call('lakeStrayQueries', { ids })
  }

  living(): Promise<string[]> {
    return this.#store.call('lakeLivingQueries', {})
  }

  async #resolve(leased: LeasedTask): Promise<Task> {
    return resolveTask(await this.plan(leased.query), leased, this.#options.leaseMs)
  }

  #times(): { now: number; leaseMs: number } {
    return { now: this.#clock.now(), leaseMs: this.#options.leaseMs }
  }
}
