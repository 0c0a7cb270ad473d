// Goal: two coordinators over one database give no task twice and lose none. Method: many workers at once through
// both, in order and stumbling; on PostgreSQL with two stores.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Store } from '@minga/store'
import { seededRandom } from '@minga/testkit'
import { ENGINES, temporaryFolder, type Home } from '../../../store/test/contract-engines.ts'
import type { Task } from '../model.ts'
import { doneOf, fileOf, plan } from '../../test/schedule/plan-fixture.ts'
import {
  assertCounters,
  idOf,
  openSchedule,
  OPERATIONS,
} from '../../test/schedule/schedule-fixture.ts'
import type { Scheduler } from './scheduler.ts'
import type { ContractOperations } from '../../test/schedule/contract-operations.ts'

const WORKERS = 8
const QUERIES = 6

const wide = plan({
  inputs: { books: fileOf(8) },
  stages: [
    { id: 'scan', tasks: { over: 'input', input: 'books' }, partitions: 3 },
    { id: 'count', tasks: { over: 'partitions', count: 3 }, reads: ['scan'] },
    { id: 'sort', reads: ['*count'] },
  ],
})

for (const engine of ENGINES) {
  test(
    `two coordinators lease and commit in parallel on ${engine.name}: no task is given twice, none is lost`,
    { skip: engine.skip },
    async () => {
      const { home, store, another, submit, query } = await openSchedule(engine)
      const other = engine.name === 'PostgreSQL' ? await openSecond(home) : store
      const coordinators = [another(), another(other)]
      const ids: string[] = []
      for (let i = 0; i < QUERIES; i++)
        ids.push(await submit({ owner: `owner ${i % 3}`, plan: wide }))
      const tasks: Task[] = []
      await Promise.all(
        Array.from({ length: WORKERS }, (_, worker) =>
          work(coordinators[worker % 2]!, `w${worker}`, tasks),
        ),
      )
      if (other !== store) await other.close()
      const names = tasks.map((task) => `${task.query} ${task.stage} ${task.index}`)
      assert.equal(new Set(names).size, QUERIES * 12)
      assert.equal(names.length, QUERIES * 12, 'a task was leased twice')
      assert.equal(new Set(tasks.map(({ fence }) => fence)).size, tasks.length)
      for (const id of ids) assert.equal((await coordinators[0]!.status(id))?.state, 'done')
      await assertCounters(query)
    },
  )
}

for (const engine of ENGINES) {
  test(
    `workers vanish, leases run out and a query is cancelled in parallel on ${engine.name}: each task counts once`,
    { skip: engine.skip },
    async () => {
      const { home, store, another, submit, query, clock } = await openSchedule(engine)
      const other = engine.name === 'PostgreSQL' ? await openSecond(home) : store
      const coordinators = [another(), another(other)]
      const ids: string[] = []
      for (let i = 0; i < QUERIES; i++) {
        ids.push(
          await submit({ owner: `owner ${i % 3}`, plan: wide, abandonMs: null, deathsMost: 1_000 }),
        )
      }
      const accepted: string[] = []
      const sweeps = coordinators.map(async (scheduler) => {
        while ((await scheduler.living()).length > 0) {
          clock.pass(300)
          await scheduler.sweep()
        }
      })
      const workers = Array.from({ length: WORKERS }, (_, worker) =>
        stumble(coordinators[worker % 2]!, worker, accepted),
      )
      await coordinators[1]!.cancel(ids[0]!)
      await Promise.all([...sweeps, ...workers])
      const states = await Promise.all(ids.map((id) => coordinators[0]!.status(id)))
      if (other !== store) await other.close()
      assert.equal(new Set(accepted).size, accepted.length, 'a task was accepted twice')
      assert.deepEqual(
        states.map((status) => status?.state),
        ['cancelled', ...Array.from({ length: QUERIES - 1 }, () => 'done')],
      )
      await assertCounters(query)
    },
  )
}

/** A worker of many lives: it forgets tasks, fails, gives back, and says everything twice. */
async function stumble(scheduler: Scheduler, worker: number, accepted: string[]): Promise<void> {
  const dice = seededRandom(worker)
  const boot = `w${worker}`
  while ((await scheduler.living()).length > 0) {
    const { task } = await scheduler.lease({ worker: boot, boot })
    if (task === null || dice.chance(0.15)) continue
    const tasks = [{ ...idOf(task), progress: 1 }]
    await Promise.all([scheduler.beat({ boot, tasks }), scheduler.beat({ boot, tasks })])
    if (dice.chance(0.1)) {
      await Promise.all([scheduler.giveBack(idOf(task)), scheduler.giveBack(idOf(task))])
      continue
    }
    if (dice.chance(0.1)) await scheduler.endWorker(boot)
    const commit = () => scheduler.commit(idOf(task), doneOf(task))
    for (const { answer } of await Promise.all([commit(), commit()])) {
      if (answer === 'accepted') accepted.push(`${task.query} ${task.stage} ${task.index}`)
    }
  }
}

function openSecond(home: Home): Promise<Store<ContractOperations>> {
  return home.open<ContractOperations>({
    operations: OPERATIONS,
    writer: 'w2',
    data: temporaryFolder(),
  })
}

/** Until all queries are done: what is not ready now will be when others commit. */
async function work(scheduler: Scheduler, worker: string, tasks: Task[]): Promise<void> {
  while ((await scheduler.living()).length > 0) {
    const { task } = await scheduler.lease({ worker, boot: worker })
    if (task === null) continue
    tasks.push(task)
    const { answer } = await scheduler.commit(idOf(task), doneOf(task))
    assert.equal(answer, 'accepted')
  }
}
