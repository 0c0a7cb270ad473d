/** The scheduler on a real store with a clock that tests set, and a recount of everything that is kept. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after } from 'node:test'
import type { Row, Store } from '@minga/store'
import { ENGINES, type Home, type TestEngine } from '../../../store/test/contract-engines.ts'
import type { Task } from '../../src/model.ts'
import { doneOf, SMALL } from './plan-fixture.ts'
import { RECOUNT } from './recount-fixture.ts'
import {
  Scheduler,
  type QuerySubmission,
  type ScheduleOptions,
} from '../../src/schedule/scheduler.ts'
import type { ContractOperations } from './contract-operations.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

export const OPERATIONS = new URL('./contract-operations.ts', import.meta.url).href
export const LEASE_MS = 4_000

export interface TestSchedule {
  store: Store<ContractOperations>
  scheduler: Scheduler
  clock: { now(): number; pass(ms: number): void }
  home: Home
  /** Another coordinator over the same store. */
  another: (over?: Store<ContractOperations>) => Scheduler
  query: <R>(text: string, params?: Row) => Promise<R[]>
  submit: (more?: Partial<QuerySubmission>) => Promise<string>
  lease: (worker?: string) => Promise<Task>
  /** Leases and commits until nothing is ready; answers the tasks. */
  runAll: (worker?: string) => Promise<Task[]>
}

/** One for all tests of a file: making a store takes longer than most of them. Outside of tests: a store
 * that is opened in one is removed with it. */
const homes = new Map<TestEngine, { home: Home; store: Store<ContractOperations> }>()
for (const engine of ENGINES.filter(({ skip }) => skip === false)) {
  const home = await engine.home()
  homes.set(engine, {
    home,
    store: await home.openHere<ContractOperations>({ operations: OPERATIONS }),
  })
}
after(() => Promise.all([...homes.values()].map(({ store }) => store.close())))

export async function openSchedule(
  engine: TestEngine,
  options: Partial<ScheduleOptions> = {},
): Promise<TestSchedule> {
  const { home, store } = homes.get(engine)!
  await store.call('clear', {})
  let now = 1_700_000_000_000
  const clock = { now: () => now, pass: (ms: number) => void (now += ms) }
  const another = (over = store): Scheduler =>
    new Scheduler(over, clock, { leaseMs: LEASE_MS, ...options })
  const scheduler = another()
  const query = <R>(text: string, params: Row = []): Promise<R[]> => queryRows(store, text, params)
  const lease = async (worker = 'w1'): Promise<Task> => {
    const { task } = await scheduler.lease({ worker, boot: `${worker}-boot` })
    assert.ok(task, 'nothing was ready')
    return task
  }
  return {
    home,
    store,
    scheduler,
    clock,
    another,
    query,
    lease,
    submit: async (more = {}) => {
      const id = more.id ?? randomUUID()
      await scheduler.submit({ id, owner: 'ann', kind: 'query', plan: SMALL, ...more })
      return id
    },
    runAll: async (worker = 'w1') => {
      const tasks: Task[] = []
      for (;;) {
        const { task } = await scheduler.lease({ worker, boot: `${worker}-boot` })
        if (task === null) return tasks
        await scheduler.commit(idOf(task), doneOf(task))
        tasks.push(task)
      }
    },
  }
}

export function idOf({ query, stage, index, fence }: Task) {
  return { query, stage, index, fence }
}

/** Counters are what leases and progress go by: they must be what a count would say. */
export async function assertCounters(query: TestSchedule['query']): Promise<void> {
  const wrong = await query(RECOUNT)
  assert.deepEqual(wrong, [], 'counters differ from what they count')
}
