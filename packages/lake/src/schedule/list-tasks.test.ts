// Goal: every task is found with who has it, how often it was tried and what was wrong, and a
// worker that is to rest gets none, on both databases. Method: the scheduler over a real store with
// a clock set manually.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import type { ListedTask, TaskFilter, TaskPage } from './list-tasks.ts'
import { doneOf, plan } from '../../test/schedule/plan-fixture.ts'
import {
  assertCounters,
  idOf,
  LEASE_MS,
  openSchedule,
} from '../../test/schedule/schedule-fixture.ts'

const ONE = plan({ stages: [{ id: 'one' }] })
const BROKEN = { code: 'MINGA_TASK_REFUSED', message: 'no such column', sql: 'SELECT x' }

const shown = ({ tasks }: TaskPage): string[] =>
  tasks.map(({ stage, index, state }) => `${stage} ${index} ${state}`)

for (const engine of ENGINES) {
  describe(`tasks in ${engine.name}`, { skip: engine.skip }, () => {
    test('tasks are listed newest first, and a page goes on where the one before ended', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      await submit()
      const id = await submit()
      await lease('w1')
      assert.deepEqual(shown(await scheduler.tasks({ query: id, most: 10 })), [
        'scan 2 ready',
        'scan 1 ready',
        'scan 0 ready',
      ])
      const seen: string[] = []
      let after: TaskFilter['after']
      do {
        const page = await scheduler.tasks({ most: 2, after })
        seen.push(
          ...page.tasks.map(({ query, index }) => `${query === id ? 'new' : 'old'} ${index}`),
        )
        after = page.after ?? undefined
      } while (after !== undefined)
      assert.deepEqual(seen, ['new 2', 'new 1', 'new 0', 'old 2', 'old 1', 'old 0'])
    })

    test('tasks are found by state, worker, kind, owner and query', async () => {
      const { scheduler, submit, lease, clock } = await openSchedule(engine)
      const id = await submit()
      await submit({ kind: 'import', owner: 'bob', plan: ONE })
      const task = await lease('w1')
      clock.pass(1_000)
      await scheduler.commit(idOf(task), doneOf(task))
      const held = await lease('w2')
      const count = async (filter: Partial<TaskFilter>): Promise<number> =>
        (await scheduler.tasks({ most: 100, ...filter })).tasks.length
      assert.equal(await count({}), 4)
      assert.equal(await count({ state: 'done' }), 1)
      assert.equal(await count({ state: 'running', worker: 'w2' }), 1)
      assert.equal(await count({ worker: 'w1' }), 1)
      assert.equal(await count({ worker: 'nobody' }), 0)
      assert.equal(await count({ kind: 'import' }), 1)
      assert.equal(await count({ owner: 'ann' }), 3)
      assert.equal(await count({ query: id }), 3)
      const [done] = (await scheduler.tasks({ state: 'done', most: 1 })).tasks
      assert.deepEqual([done!.worker, done!.endedAt! - done!.leasedAt!], ['w1', 1_000])
      const [running] = (await scheduler.tasks({ state: 'running', most: 1 })).tasks
      assert.deepEqual(
        [running!.boot, running!.index, running!.leasedUntil],
        ['w2-boot', held.index, clock.now() + LEASE_MS],
      )
    })

    test('a task that is tried again says what was wrong; the one that ends its query stays with its SQL', async () => {
      const { scheduler, submit, lease, query, clock } = await openSchedule(engine)
      const id = await submit({ attemptsMost: 2, plan: ONE })
      await scheduler.fail(idOf(await lease('w1')), { ...BROKEN, retry: 'later' })
      const only = async (): Promise<ListedTask> => {
        const { tasks } = await scheduler.tasks({ query: id, most: 10 })
        assert.equal(tasks.length, 1)
        return tasks[0]!
      }
      const resting = await only()
      assert.deepEqual([resting.state, resting.attempts, resting.worker], ['resting', 1, 'w1'])
      assert.deepEqual(resting.error, BROKEN)
      assert.ok(resting.readyAt! > clock.now())
      clock.pass(60_000)
      await scheduler.sweep()
      await scheduler.fail(idOf(await lease('w2')), { ...BROKEN, retry: 'later' })
      assert.equal((await scheduler.status(id))!.state, 'failed')
      clock.pass(60_000)
      for (const { id: ended } of await scheduler.garbage({ most: 10 })) {
        await scheduler.collected(ended)
      }
      const failed = await only()
      assert.deepEqual([failed.state, failed.attempts, failed.worker], ['failed', 2, 'w2'])
      assert.equal(failed.error!.sql, 'SELECT x')
      await assertCounters(query)
      clock.pass(40 * 24 * 3_600_000)
      await scheduler.forget()
      assert.deepEqual(await query('SELECT * FROM lake_tasks'), [])
    })

    test('tasks of a query that was cancelled did not fail', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      const id = await submit({ plan: ONE })
      await lease()
      await scheduler.cancel(id)
      assert.deepEqual(shown(await scheduler.tasks({ query: id, most: 10 })), ['one 0 cancelled'])
    })

    test('a drained worker keeps what it has and is given nothing until it is resumed', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      await submit()
      const task = await lease('w1')
      await scheduler.drain('w1-boot')
      await scheduler.drain('w1-boot')
      const asking = { worker: 'w1', boot: 'w1-boot' }
      const none = await scheduler.lease(asking)
      assert.deepEqual([none.task, 'isDrained' in none && none.isDrained], [null, true])
      assert.equal((await scheduler.commit(idOf(task), doneOf(task))).answer, 'accepted')
      assert.ok((await scheduler.lease({ worker: 'w1', boot: 'next process' })).task)
      assert.deepEqual(await scheduler.drained(), ['w1-boot'])
      await scheduler.resume('w1-boot')
      assert.ok((await scheduler.lease(asking)).task)
      await scheduler.drain('w1-boot')
      await scheduler.endWorker('w1-boot')
      assert.deepEqual(await scheduler.drained(), [])
    })

    test('what stages wrote is counted in bytes', async () => {
      const { scheduler, submit, runAll } = await openSchedule(engine)
      const id = await submit()
      await runAll()
      const bytes = await scheduler.stageBytes(id)
      assert.deepEqual(Object.keys(bytes).toSorted(), ['count', 'scan', 'sort'])
      assert.ok(Object.values(bytes).every((count) => count > 0))
    })
  })
}
