// Goal: a task counts once, a stale fence never, and a query ends in every case, on both databases.
// Method: the scheduler over a real store with a clock set manually; counters are recounted.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import type { Task } from '../model.ts'
import { doneOf, fileOf, plan, SMALL } from '../../test/schedule/plan-fixture.ts'
import {
  assertCounters,
  idOf,
  LEASE_MS,
  openSchedule,
} from '../../test/schedule/schedule-fixture.ts'

for (const engine of ENGINES) {
  describe(`queries in ${engine.name}`, { skip: engine.skip }, () => {
    test('a query runs through its stages, and is done with its last task', async () => {
      const { scheduler, submit, runAll, query, clock } = await openSchedule(engine)
      const id = await submit({ ask: { names: ['q'] } })
      const tasks = await runAll()
      assert.deepEqual(
        tasks.map(({ stage, index }) => `${stage} ${index}`),
        ['scan 0', 'scan 1', 'scan 2', 'count 0', 'count 1', 'sort 0'],
      )
      const status = await scheduler.status(id)
      assert.equal(status?.state, 'done')
      assert.deepEqual(status.ask, { names: ['q'] })
      assert.equal(status.endedAt, clock.now())
      assert.deepEqual(status.tasks, { total: 6, ready: 0, running: 0, done: 6 })
      assert.equal(status.rowsRead, 42)
      assert.equal(status.bytesTotal, 310)
      assert.deepEqual(
        status.stages.map((stage) => [stage.id, stage.state, stage.rows]),
        [
          ['scan', 'done', 6],
          ['count', 'done', 2],
          ['sort', 'done', 1],
        ],
      )
      await assertCounters(query)
    })

    test('a task is given the files of the stages before it in the order of their tasks', async () => {
      const { submit, runAll } = await openSchedule(engine)
      const id = await submit()
      const tasks = await runAll()
      const scans = tasks.filter(({ stage }) => stage === 'scan')
      const count1 = tasks.find(({ stage, index }) => stage === 'count' && index === 1)
      assert.deepEqual(
        filesOf(count1!),
        scans.map(({ fence, index }) => `queries/${id}/scan/${index}-${fence}-scan-p1.parquet`),
      )
      assert.equal(filesOf(tasks.at(-1)!).length, 2)
      assert.deepEqual(
        scans.map(({ reads: [read] }) => read?.kind === 'range' && [read.from, read.to, read.unit]),
        [
          [10, 110, 0],
          [110, 210, 1],
          [210, 310, 2],
        ],
      )
    })

    test('submitting again with the same id starts nothing; another client may not use the id', async () => {
      const { scheduler, submit, query } = await openSchedule(engine)
      const id = await submit()
      const again = { id, owner: 'ann', kind: 'query', plan: SMALL }
      assert.deepEqual(await scheduler.submit(again), { isNew: false, opened: 0 })
      await assert.rejects(scheduler.submit({ ...again, owner: 'bob' }), {
        code: 'MINGA_QUERY_ID_REUSED',
      })
      assert.equal((await query('SELECT * FROM lake_tasks')).length, 3)
    })

    test('a plan that cannot be run is refused and leaves nothing', async () => {
      const { scheduler, query } = await openSchedule(engine)
      const circle = plan({
        stages: [
          { id: 'a', reads: ['*b'] },
          { id: 'b', reads: ['*a'] },
        ],
      })
      const submission = { id: randomUUID(), owner: 'ann', kind: 'query', plan: circle }
      await assert.rejects(scheduler.submit(submission), { code: 'MINGA_BAD_QUERY' })
      assert.deepEqual(await query('SELECT number FROM lake_queries'), [])
    })

    test('a lease lasts as long as it is renewed, then another worker gets the task with a higher fence', async () => {
      const { scheduler, submit, lease, clock, query } = await openSchedule(engine)
      const small = { plan: plan({ stages: [{ id: 'one' }] }) }
      await submit(small)
      const first = await lease('w1')
      clock.pass(LEASE_MS - 1)
      const tasks = [{ ...idOf(first), progress: 5 }]
      assert.deepEqual(await scheduler.beat({ boot: 'w1-boot', tasks }), { lost: [] })
      clock.pass(LEASE_MS - 1)
      assert.equal((await scheduler.lease({ worker: 'w2', boot: 'b2' })).task, null)
      clock.pass(1)
      const second = await lease('w2')
      assert.ok(second.fence > first.fence)
      assert.equal(second.attempt, 2)
      assert.deepEqual(await scheduler.beat({ boot: 'w1-boot', tasks }), { lost: [idOf(first)] })
      await assertCounters(query)
    })

    test('a stale fence changes nothing, whatever its holder says', async () => {
      const { scheduler, submit, lease, clock, query } = await openSchedule(engine)
      const id = await submit({ plan: plan({ stages: [{ id: 'one' }] }) })
      const old = await lease('w1')
      clock.pass(LEASE_MS)
      const current = await lease('w2')
      const before = await query('SELECT * FROM lake_tasks')
      const error = { code: 'MINGA_TASK_REFUSED', message: 'no', retry: 'never' as const }
      assert.equal((await scheduler.fail(idOf(old), error)).isStale, true)
      assert.equal((await scheduler.giveBack(idOf(old))).isStale, true)
      assert.equal((await scheduler.commit(idOf(old), doneOf(old))).answer, 'stale')
      assert.equal(await scheduler.taskOf(idOf(old)), null)
      assert.deepEqual(await query('SELECT * FROM lake_tasks'), before)
      assert.equal((await scheduler.commit(idOf(current), doneOf(current))).answer, 'accepted')
      assert.equal((await scheduler.commit(idOf(old), doneOf(old))).answer, 'stale')
      assert.deepEqual(
        (await scheduler.results(id)).map(({ file }) => file),
        doneOf(current).outputs.map(({ file }) => file),
      )
    })

    test('a commit may be repeated: it counts once and says so', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      const id = await submit()
      const task = await lease()
      const done = doneOf(task, { rejects: { 'title:missing': 2 } })
      assert.equal((await scheduler.commit(idOf(task), done)).answer, 'accepted')
      assert.equal((await scheduler.commit(idOf(task), done)).answer, 'already')
      const status = await scheduler.status(id)
      assert.deepEqual(status?.rejects, { 'title:missing': 2 })
      assert.equal(status.rowsRead, 7)
      assert.equal(status.tasks.done, 1)
    })

    test('a commit that is repeated after everything is deleted does not remove its files', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine, { keepMs: 0, historyMs: -1 })
      const id = await submit({ plan: plan({ stages: [{ id: 'one' }] }) })
      const task = await lease()
      await scheduler.commit(idOf(task), doneOf(task))
      for (const round of ['results', 'nothing']) {
        await scheduler.collected(id)
        const { answer } = await scheduler.commit(idOf(task), doneOf(task))
        assert.equal(answer, 'already', `with ${round} left`)
      }
      assert.equal(await scheduler.forget(), 1)
      assert.equal((await scheduler.commit(idOf(task), doneOf(task))).answer, 'already')
    })

    test('an expired lease that no other worker got still counts', async () => {
      const { scheduler, submit, lease, clock } = await openSchedule(engine)
      await submit()
      const task = await lease()
      clock.pass(LEASE_MS * 2)
      assert.equal((await scheduler.commit(idOf(task), doneOf(task))).answer, 'accepted')
    })

    test('a commit that lacks an output, or names a file of another task, is refused', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      await submit()
      const task = await lease()
      const { outputs } = doneOf(task)
      const lacking = doneOf(task, { outputs: outputs.slice(1) })
      await assert.rejects(scheduler.commit(idOf(task), lacking), { code: 'MINGA_BAD_COMMIT' })
      const [first, ...rest] = outputs
      const foreign = doneOf(task, {
        outputs: [{ ...first!, file: 'queries/other/0-1-x' }, ...rest],
      })
      await assert.rejects(scheduler.commit(idOf(task), foreign), { code: 'MINGA_BAD_COMMIT' })
    })

    test('a task that fails is tried again after a rest, and fails its query at the end of its budget', async () => {
      const { scheduler, submit, lease, clock, query } = await openSchedule(engine)
      const id = await submit({ plan: plan({ stages: [{ id: 'one' }] }), attemptsMost: 3 })
      const error = {
        code: 'MINGA_DISK',
        message: 'full',
        retry: 'later' as const,
        sql: 'SELECT 1',
      }
      const rests = [500, 1000]
      for (const restMs of rests) {
        const task = await lease()
        assert.equal((await scheduler.fail(idOf(task), error)).isEnded, false)
        const { task: none, waitMs } = (await scheduler.lease({ worker: 'w', boot: 'b' })) as {
          task: null
          waitMs: number
        }
        assert.deepEqual({ none, waitMs }, { none: null, waitMs: restMs })
        clock.pass(restMs)
      }
      assert.equal((await scheduler.fail(idOf(await lease()), error)).isEnded, true)
      const status = await scheduler.status(id)
      assert.equal(status?.state, 'failed')
      assert.deepEqual(status.error, {
        code: 'MINGA_DISK',
        message: 'full',
        stage: 'one',
        index: 0,
        sql: 'SELECT 1',
      })
      await assertCounters(query)
    })

    test('an error that will never pass fails the query at once and voids its other leases', async () => {
      const { scheduler, submit, lease, query } = await openSchedule(engine)
      const id = await submit()
      const [bad, other] = [await lease('w1'), await lease('w2')]
      const error = { code: 'MINGA_TASK_REFUSED', message: 'no', retry: 'never' as const }
      await scheduler.fail(idOf(bad), error)
      assert.equal((await scheduler.status(id))?.state, 'failed')
      assert.equal((await scheduler.commit(idOf(other), doneOf(other))).answer, 'stale')
      assert.equal((await scheduler.lease({ worker: 'w', boot: 'b' })).task, null)
      assert.deepEqual(await query(`SELECT 1 FROM lake_tasks WHERE state = 'leased'`), [])
      await assertCounters(query)
    })

    test('workers that fall silent over a task are forgiven longer than failures, but not for ever', async () => {
      const { scheduler, submit, lease, clock } = await openSchedule(engine)
      const one = plan({ stages: [{ id: 'one' }] })
      const id = await submit({ plan: one, attemptsMost: 2, deathsMost: 5, abandonMs: null })
      for (let death = 1; death <= 5; death++) {
        await lease(`w${death}`)
        clock.pass(LEASE_MS)
        await scheduler.sweep()
        clock.pass(30_000)
        await scheduler.sweep()
      }
      const status = await scheduler.status(id)
      assert.equal(status?.error?.code, 'MINGA_TASK_POISON')
    })

    test('what is given back is ready at once and costs nothing', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      await submit({ plan: plan({ stages: [{ id: 'one' }] }), attemptsMost: 1, deathsMost: 1 })
      for (let round = 0; round < 5; round++) {
        const task = await lease()
        assert.equal(task.attempt, 1)
        await scheduler.giveBack(idOf(task))
      }
    })

    test('the tasks of a process that is known to be dead are free at once', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      await submit()
      const [mine, other] = [await lease('w1'), await lease('w2')]
      assert.equal((await scheduler.endWorker('w1-boot')).freed, 1)
      assert.equal((await lease('w3')).index, mine.index)
      assert.notEqual(await scheduler.taskOf(idOf(other)), null)
    })

    test('a station that was away takes no lease from anyone', async () => {
      const { submit, lease, clock, another } = await openSchedule(engine)
      await submit({ abandonMs: null })
      const task = await lease()
      clock.pass(LEASE_MS * 10)
      const returned = another()
      await returned.keepLeases()
      assert.deepEqual((await returned.sweep()).lost, [])
      clock.pass(LEASE_MS)
      assert.deepEqual((await returned.sweep()).lost, [task.fence])
    })

    test('Several clients at once, isolated: cancelling one leaves the rest whole and cleans up', async () => {
      const { scheduler, submit, lease, runAll, clock, query } = await openSchedule(engine)
      const ids = [await submit({ owner: 'ann' }), await submit({ owner: 'bob' })]
      const leased = [await lease('w1'), await lease('w2')]
      const [mine, other] = ids.map((id) => leased.find((task) => task.query === id)!)
      assert.equal(await scheduler.cancel(ids[0]!), 'cancelled')
      assert.equal((await scheduler.commit(idOf(mine!), doneOf(mine!))).answer, 'stale')
      assert.equal((await scheduler.commit(idOf(other!), doneOf(other!))).answer, 'accepted')
      const rest = await runAll()
      assert.deepEqual(new Set(rest.map((task) => task.query)), new Set([ids[1]]))
      assert.equal((await scheduler.status(ids[1]!))?.state, 'done')
      assert.equal((await scheduler.status(ids[0]!))?.why, 'asked')
      // A worker that was not notified yet may still be writing.
      assert.deepEqual(
        (await scheduler.garbage({ most: 10 })).map(({ id }) => id),
        [ids[1]],
      )
      clock.pass(LEASE_MS)
      const garbage = await scheduler.garbage({ most: 10 })
      assert.deepEqual(
        garbage.find(({ id }) => id === ids[0]),
        { id: ids[0], folder: `queries/${ids[0]}`, keep: [] },
      )
      await scheduler.collected(ids[0]!)
      assert.deepEqual(await scheduler.strays([...ids, 'unknown']), [ids[0], 'unknown'])
      await assertCounters(query)
    })

    test('owners see their own queries, page by page, the newest first', async () => {
      const { scheduler, submit } = await openSchedule(engine)
      const ids: string[] = []
      for (let i = 0; i < 5; i++) ids.push(await submit({ owner: i % 2 === 0 ? 'ann' : 'bob' }))
      await scheduler.cancel(ids[4]!)
      const page = await scheduler.list({ owner: 'ann', most: 2 })
      assert.deepEqual(
        page.map(({ id }) => id),
        [ids[4], ids[2]],
      )
      const next = await scheduler.list({ owner: 'ann', most: 2, before: page.at(-1)!.number })
      assert.deepEqual(
        next.map(({ id }) => id),
        [ids[0]],
      )
      const running = await scheduler.list({ states: ['running'], most: 10 })
      assert.deepEqual(
        running.map(({ id }) => id),
        [ids[3], ids[2], ids[1], ids[0]],
      )
    })

    test('rows of results appear as tasks commit, each once, and the cursor survives', async () => {
      const { scheduler, submit, lease, runAll, another } = await openSchedule(engine)
      const id = await submit()
      const commitNext = async (): Promise<Task> => {
        const task = await lease()
        await scheduler.commit(idOf(task), doneOf(task))
        return task
      }
      for (let scan = 0; scan < 3; scan++) await commitNext()
      const none = await scheduler.outputs({ id, after: 0, most: 10 })
      assert.deepEqual(none, { outputs: [], after: 0, isEnded: false, isCollected: false })
      const count = await commitNext()
      const first = await scheduler.outputs({ id, after: 0, most: 10 })
      assert.deepEqual(
        first.outputs.map(({ query, file }) => ({ query, file })),
        [{ query: 'q', file: doneOf(count).outputs[0]!.file }],
      )
      await runAll()
      const rest = await another().outputs({ id, after: first.after, most: 10 })
      assert.equal(rest.outputs.length, 1)
      assert.equal(rest.isEnded, true)
    })

    test('a query whose client stays away is ended; one that is polled, or needs no client, is not', async () => {
      const { scheduler, submit, clock } = await openSchedule(engine, { abandonMs: 60_000 })
      const [left, watched, alone] = [
        await submit(),
        await submit(),
        await submit({ abandonMs: null }),
      ]
      clock.pass(40_000)
      await scheduler.touch(watched)
      clock.pass(20_000)
      const { ended, nextAt } = await scheduler.sweep()
      assert.deepEqual(ended, [{ id: left, state: 'cancelled' }])
      assert.equal(nextAt, clock.now() + 40_000)
      assert.equal((await scheduler.status(left))?.why, 'abandoned')
      assert.equal((await scheduler.status(alone))?.state, 'running')
    })

    test('a query that is not done at its deadline fails', async () => {
      const { scheduler, submit, clock } = await openSchedule(engine)
      const id = await submit({ deadlineMs: 5_000 })
      clock.pass(5_000)
      assert.deepEqual((await scheduler.sweep()).ended, [{ id, state: 'failed' }])
      assert.equal((await scheduler.status(id))?.error?.code, 'MINGA_QUERY_OVERDUE')
    })

    test('results are kept for their time, what stages handed on goes at once, history goes last', async () => {
      const { scheduler, submit, runAll, clock } = await openSchedule(engine, {
        keepMs: 1_000,
        historyMs: 10_000,
      })
      const id = await submit()
      const tasks = await runAll()
      const kept = tasks
        .filter(({ stage }) => stage !== 'scan')
        .flatMap((task) => doneOf(task).outputs.map(({ file }) => file))
      const [garbage] = await scheduler.garbage({ most: 10 })
      assert.deepEqual(garbage?.keep.toSorted(), kept.toSorted())
      await scheduler.collected(id)
      assert.deepEqual(await scheduler.garbage({ most: 10 }), [])
      assert.equal((await scheduler.results(id)).length, 1)
      clock.pass(1_000)
      assert.deepEqual((await scheduler.garbage({ most: 10 }))[0]?.keep, [])
      await scheduler.collected(id)
      assert.deepEqual(await scheduler.results(id), [])
      assert.equal((await scheduler.status(id))?.isCollected, true)
      const { results, inputs } = await scheduler.plan(id)
      assert.deepEqual(results, SMALL.results)
      assert.deepEqual(
        inputs['books']?.binding.kind === 'file' && inputs['books'].binding.units,
        [],
      )
      clock.pass(9_001)
      assert.equal(await scheduler.forget(), 1)
      assert.equal(await scheduler.status(id), null)
    })

    test('workers of one query have one version of DuckDB', async () => {
      const { scheduler, submit } = await openSchedule(engine)
      await submit()
      const ask = { worker: 'w', boot: 'b' }
      assert.ok((await scheduler.lease({ ...ask, engine: 'v1' })).task)
      assert.equal((await scheduler.lease({ ...ask, engine: 'v2' })).task, null)
      assert.ok((await scheduler.lease({ ...ask, engine: 'v1' })).task)
    })

    test('a large query does not hold up a small one of another owner, even with one worker', async () => {
      const { scheduler, submit, lease } = await openSchedule(engine)
      const large = plan({
        inputs: { books: fileOf(500) },
        stages: [{ id: 'scan', tasks: { over: 'input', input: 'books' } }],
      })
      await submit({ owner: 'ann', plan: large })
      const id = await submit({ owner: 'bob' })
      let leases = 0
      while ((await scheduler.status(id))?.state === 'running') {
        const task = await lease()
        await scheduler.commit(idOf(task), doneOf(task))
        leases += 1
      }
      assert.ok(leases <= 13, `${leases} leases for a query of 6 tasks`)
    })

    test('queries of the station itself leave the workers to clients that wait, but not for ever', async () => {
      const { scheduler, submit, clock } = await openSchedule(engine)
      const merging = await submit({ owner: 'station', kind: 'compact' })
      const asked = await submit()
      const mayTake = async (worker: string): Promise<string | undefined> =>
        (await scheduler.lease({ worker, boot: `${worker}-boot` })).task?.query

      // All tasks of its first stage, and then nothing: the next is about to be ready.
      for (const worker of ['w1', 'w2', 'w3']) assert.equal(await mayTake(worker), asked)
      assert.equal(await mayTake('w4'), undefined)
      await scheduler.cancel(asked)
      assert.equal(await mayTake('w4'), merging, 'no client waits any more')

      const later = await submit()
      assert.equal(await mayTake('w5'), later)
      clock.pass(10 * 60_000)
      const taken = [await mayTake('w6'), await mayTake('w7')]
      assert.ok(taken.includes(merging), 'after ten minutes it has its share')
    })

    test('an import adds its segments in the moment in which it is done', async () => {
      const { scheduler, submit, lease, runAll, query, store } = await openSchedule(engine)
      const columns = [{ name: 'a', type: 'VARCHAR' }]
      const imports = plan({
        inputs: { books: fileOf(2) },
        stages: [{ id: 'scan', tasks: { over: 'input', input: 'books' } }],
        segments: [{ table: 'books', columns, of: { stage: 'scan', output: 'scan' } }],
      })
      const id = await submit({ kind: 'import', plan: imports })
      const first = await lease()
      assert.equal(first.folder, `tables/books/${id}`)
      await scheduler.commit(idOf(first), doneOf(first))
      assert.deepEqual(await query('SELECT name FROM lake_tables'), [])
      await runAll()
      const manifest = await store.call('lakeManifest', {
        table: 'books',
      })
      assert.equal(manifest.segments.length, 2)
      assert.equal(manifest.segments[0]?.file, doneOf(first).outputs[0]?.file)
      const again = await submit({ kind: 'import', plan: imports, owner: 'bob' })
      await runAll()
      const status = await scheduler.status(again)
      assert.deepEqual([status?.state, status?.error?.code], ['failed', 'MINGA_TABLE_TAKEN'])
    })
  })
}

function filesOf(task: Task): string[] {
  return task.reads.flatMap((read) =>
    read.kind === 'parquet' ? read.files.map(({ name }) => name) : [],
  )
}
