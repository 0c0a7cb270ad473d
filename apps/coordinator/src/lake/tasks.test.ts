// Goal: users see their tasks, rerun what failed and keep their queries; operators see workers and
// drain them. Method: whole stations on both databases, with a worker that runs real tasks.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Query } from '@minga/lake'
import type {
  FileSummary,
  LakeTaskPage,
  QueryPlanView,
  QueryView,
  SavedView,
  SqlLimitsView,
  WorkerView,
} from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { sharedLake, type LakeStation } from '../../test/lake/lake-fixture.ts'
import type { ReadRows } from './tables/rows-process.ts'

const OPERATOR = TOKENS.apiKey
const WORDS: Query = {
  name: 'words',
  about: 'How often each word is there',
  inputs: { words: { columns: { word: { type: 'text', isRequired: true } } } },
  from: {
    step: 'group',
    from: { step: 'scan', input: 'words' },
    by: ['word'],
    aggregates: { times: { is: 'count' } },
  },
  output: { columns: ['word', 'times'], order: [{ column: 'word' }] },
}

async function asked(lake: LakeStation, who: string): Promise<QueryView> {
  const upload = await lake.upload(who, 'words.csv', 'word\nsi\nno\nsi\n')
  return lake.submit(who, { queries: [WORDS], inputs: { words: { upload } } })
}

const lakes = await Promise.all(ENGINES.map((engine) => sharedLake({ engine })))

for (const [i, engine] of ENGINES.entries()) {
  const shared = lakes[i]!

  describe(`tasks and workers on ${engine.name}`, { skip: engine.skip }, () => {
    test('everyone sees the tasks of their own queries, page by page, and operators all', async () => {
      const lake = await shared()
      const [ana, bea] = [await lake.someone('collector'), await lake.someone('collector')]
      const { id } = await asked(lake, ana)
      await lake.work()
      const page = await lake.ok<LakeTaskPage>(ana, 'GET', `/tasks?query=${id}&limit=1`)
      assert.equal(page.tasks.length, 1)
      assert.deepEqual(page.tasks[0]!.queries, ['words'])
      assert.equal(page.tasks[0]!.state, 'done')
      assert.equal(page.tasks[0]!.worker, 'a worker')
      const rest = await lake.ok<LakeTaskPage>(ana, 'GET', `/tasks?query=${id}&after=${page.next}`)
      const all = await lake.ok<LakeTaskPage>(OPERATOR, 'GET', `/tasks?query=${id}`)
      assert.deepEqual([...page.tasks, ...rest.tasks], all.tasks)
      assert.equal(all.next, null)
      assert.deepEqual((await lake.ok<LakeTaskPage>(bea, 'GET', '/tasks')).tasks, [])
      assert.equal(await lake.outcome(ana, 'GET', '/tasks?after=x'), '400 MINGA_BAD_MESSAGE')
    })

    test('a query that failed is asked again as a new one, and its task still says why', async () => {
      const lake = await shared()
      const { id } = await asked(lake, OPERATOR)
      const task = (await lake.lease())!
      const broken = Object.assign(new Error('no'), { code: 'MINGA_TASK_REFUSED', retry: 'never' })
      await lake.fail(task, Object.assign(broken, { sql: 'SELECT nothing' }))
      const url = `/tasks?query=${id}&state=failed`
      const { tasks } = await lake.ok<LakeTaskPage>(OPERATOR, 'GET', url)
      assert.equal(tasks[0]!.error!.sql, 'SELECT nothing')
      const said = await lake.call(OPERATOR, 'POST', `/queries/${id}/again`)
      assert.equal(said.status, 202, JSON.stringify(said.body))
      const again = said.body as QueryView
      assert.notEqual(again.id, id)
      await lake.work()
      assert.equal((await lake.view(OPERATOR, again.id)).state, 'done')
      assert.equal((await lake.view(OPERATOR, id)).state, 'failed')
      const bea = await lake.someone('collector')
      assert.equal(
        await lake.outcome(bea, 'POST', `/queries/${id}/again`),
        '404 MINGA_NO_SUCH_QUERY',
      )
    })

    test('an import is asked again too', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'words.csv', 'word\nsi\nno\n')
      const said = await lake.call(OPERATOR, 'POST', '/tables/words/import', { input: { upload } })
      const { id } = said.body as QueryView
      await lake.work()
      await lake.call(OPERATOR, 'POST', `/queries/${id}/again`)
      await lake.work()
      const { rows } = await lake.ok<{ rows: number }>(OPERATOR, 'GET', '/tables/words')
      assert.equal(rows, 4)
    })

    test('the plan of a query tells what its stages do and what they wrote', async () => {
      const lake = await shared()
      const { id } = await asked(lake, OPERATOR)
      await lake.work()
      const { stages } = await lake.ok<QueryPlanView>(OPERATOR, 'GET', `/queries/${id}/plan`)
      for (const stage of stages) {
        assert.equal(stage.done, stage.tasks)
        assert.ok(stage.bytes! > 0 && stage.program.length > 0 && stage.outputs.length > 0)
      }
      assert.match(stages[0]!.program.join('\n'), /word/)
    })

    test('rows of a result come in the order of its file, whatever its format', async () => {
      const lake = await shared()
      const text = 'word\n"a ""b"", c"\nsi\nno\nsi\n'
      const upload = await lake.upload(OPERATOR, 'words.csv', text)
      for (const format of ['csv', 'jsonl', 'parquet'] as const) {
        const inputs = { words: { upload } }
        const { id } = await lake.submit(OPERATOR, { queries: [WORDS], inputs, format })
        await lake.work()
        const url = `/queries/${id}/results/words/rows`
        const { rows, columns } = await lake.ok<ReadRows>(OPERATOR, 'GET', `${url}?limit=2`)
        assert.deepEqual(
          columns.map(({ name }) => name),
          ['word', 'times'],
        )
        const numbers = format === 'csv' ? ['1', '1'] : [1, 1]
        assert.deepEqual(rows, [
          ['a "b", c', numbers[0]],
          ['no', numbers[1]],
        ])
        const rest = await lake.ok<ReadRows>(OPERATOR, 'GET', `${url}?offset=2`)
        assert.deepEqual(rest.rows, [['si', format === 'csv' ? '2' : 2]])
      }
    })

    test('a worker that is drained gets no task, says why it is idle, and continues when it is resumed', async () => {
      const lake = await shared()
      const about = { machine: 'mill', pid: 7, memoryMb: 512 }
      await lake.worker('lease', { engine: 'any', waitMs: 0, about })
      const [worker] = await lake.ok<WorkerView[]>(OPERATOR, 'GET', '/workers')
      assert.deepEqual(
        [worker!.machine, worker!.pid, worker!.idle, worker!.isDrained],
        ['mill', 7, 'nothing-asked', false],
      )
      const url = `/workers/${encodeURIComponent(worker!.boot)}`
      await lake.ok(OPERATOR, 'POST', `${url}/drain`)
      await asked(lake, OPERATOR)
      const said = await lake.worker('lease', { engine: 'any', waitMs: 30_000 })
      assert.deepEqual(said.body, { task: null, waitMs: 2_000, isDrained: true })
      const drained = await lake.ok<WorkerView[]>(OPERATOR, 'GET', '/workers')
      assert.deepEqual([drained[0]!.idle, drained[0]!.isDrained], ['drained', true])
      await lake.ok(OPERATOR, 'POST', `${url}/resume`)
      assert.ok((await lake.work()) > 0)
      const [after] = await lake.ok<WorkerView[]>(OPERATOR, 'GET', '/workers')
      assert.ok(after!.tasksDone > 0)
      assert.equal(
        await lake.outcome(OPERATOR, 'POST', '/workers/nobody/drain'),
        '404 MINGA_NO_SUCH_WORKER',
      )
      const ana = await lake.someone('collector')
      assert.equal(await lake.outcome(ana, 'POST', `${url}/drain`), '403 MINGA_FORBIDDEN')
    })

    test('questions are kept, changed, removed and brought back by their owner alone', async () => {
      const lake = await shared()
      const [ana, bea] = [await lake.someone('collector'), await lake.someone('reader')]
      const saved = { kind: 'sql', name: '<b>hosts</b>', text: 'SELECT 1' }
      const { id } = await lake.ok<SavedView>(ana, 'POST', '/saved-queries', saved)
      const url = `/saved-queries/${id}`
      assert.equal((await lake.ok<SavedView>(ana, 'GET', url)).name, '<b>hosts</b>')
      const changed = await lake.ok<SavedView>(ana, 'PATCH', url, { text: 'SELECT 2' })
      assert.deepEqual([changed.text, changed.name], ['SELECT 2', '<b>hosts</b>'])
      for (const [method, path] of [
        ['GET', url],
        ['PATCH', url],
        ['DELETE', url],
        ['POST', `${url}/restore`],
      ] as const) {
        assert.equal(
          await lake.outcome(bea, method, path, method === 'GET' ? undefined : {}),
          '404 MINGA_NO_SUCH_SAVED_QUERY',
        )
      }
      assert.ok((await lake.ok<SavedView>(ana, 'DELETE', url)).removedAt)
      assert.deepEqual(await lake.ok<SavedView[]>(ana, 'GET', '/saved-queries'), [])
      await lake.ok(ana, 'POST', `${url}/restore`)
      assert.equal((await lake.ok<SavedView[]>(ana, 'GET', '/saved-queries')).length, 1)
      const empty = { ...saved, text: '' }
      assert.equal(
        await lake.outcome(ana, 'POST', '/saved-queries', empty),
        '400 MINGA_BAD_MESSAGE',
      )
    })

    test('a file is inspected before it is imported, and limits of SQL are listed', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'cities.csv', 'name,people\nLima,10\nQuito,2\n')
      const summary = await lake.ok<FileSummary>(OPERATOR, 'POST', '/inputs/look', {
        input: { upload },
      })
      assert.deepEqual(summary.rules.columns, {
        name: { type: 'text' },
        people: { type: 'integer' },
      })
      const limits = await lake.ok<SqlLimitsView>(OPERATOR, 'GET', '/sql/limits')
      assert.ok(limits.rowsMax >= limits.jsonRowsMax && limits.timeoutMs > 0)
    })
  })
}
