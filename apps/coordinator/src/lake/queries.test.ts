// Goal: queries are submitted, answered, watched, cancelled and found again over HTTP by their
// owner and by no other user. Method: whole stations on both databases on virtual time, with a
// worker that runs real tasks.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Query } from '@minga/lake'
import type { QueryNews, QueryView, UploadView } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { assertRefused, TOKENS } from '../../test/station-fixture.ts'
import { openLake, sharedLake, type LakeStation } from '../../test/lake/lake-fixture.ts'

const OPERATOR = TOKENS.apiKey
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const CITIES = 'name,country,people\nQuito,EC,2000000\nLima,PE,10000000\nCusco,PE,430000\n'

/** People of each country. */
const COUNTRIES: Query = {
  name: 'countries',
  about: 'People by country',
  inputs: {
    cities: {
      columns: {
        country: { type: 'text', isRequired: true },
        people: { type: 'integer', isRequired: true },
      },
    },
  },
  parameters: { least: { type: 'integer', default: 0, about: 'People of a city at least' } },
  from: {
    step: 'group',
    from: { step: 'filter', from: { step: 'scan', input: 'cities' }, where: 'people >= $least' },
    by: ['country'],
    aggregates: { people: { is: 'sum', of: 'people' } },
  },
  output: { columns: ['country', 'people'], order: [{ column: 'country' }] },
}

const ANSWER = 'country,people\nEC,2000000\nPE,10430000\n'

async function asked(lake: LakeStation, who = OPERATOR, text = CITIES): Promise<QueryView> {
  const upload = await lake.upload(who, 'cities.csv', text)
  return lake.submit(who, { queries: [COUNTRIES], inputs: { cities: { upload } } })
}

// Before the first test: a runner that has run all it knows of takes the file for done, and closes them.
const lakes = await Promise.all(ENGINES.map((engine) => sharedLake({ engine })))

for (const [i, engine] of ENGINES.entries()) {
  const shared = lakes[i]!

  describe(`queries on ${engine.name}`, { skip: engine.skip }, () => {
    test('a query is bound, planned, worked on and answered with a file', async () => {
      const lake = await shared()
      const { id, state, results } = await asked(lake)
      assert.equal(state, 'running')
      assert.deepEqual(results, [
        {
          name: 'countries',
          columns: ['country', 'people'],
          format: 'csv',
          rows: null,
          bytes: null,
        },
      ])
      assert.equal(
        await lake.outcome(OPERATOR, 'GET', `/queries/${id}/results/countries`),
        '409 MINGA_QUERY_OPEN',
      )
      assert.ok((await lake.work()) > 0)
      const done = await lake.view(OPERATOR, id)
      assert.equal(done.state, 'done', JSON.stringify(done.error))
      assert.equal(done.tasks.done, done.tasks.total)
      assert.equal(done.results[0]!.rows, 2)
      const file = await lake.bytes(OPERATOR, `/queries/${id}/results/countries`)
      assert.equal(file.text, ANSWER)
      assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8')
      assert.equal(Number(file.headers['content-length']), ANSWER.length)
    })

    test('rows read are rows of the inputs, each once, however often they are gone through', async () => {
      const lake = await shared()
      // Large enough for several tasks, so that stages hand rows to each other.
      const towns = `${'x'.repeat(4_000)},EC,1\n`.repeat(3_000)
      const path = lake.write('many.csv', `${CITIES}Nowhere,XX,none\n${towns}`)
      const large: Query = {
        ...COUNTRIES,
        name: 'large',
        // Its rows are read once for the rank and once more to be kept or not.
        from: {
          step: 'quantile',
          from: { step: 'scan', input: 'cities' },
          of: 'people',
          q: '0.5',
          keep: 'from',
        },
        parameters: {},
      }
      const { id } = await lake.submit(OPERATOR, {
        queries: [COUNTRIES, large],
        inputs: { cities: { path } },
      })
      await lake.work()
      const { state, rowsRead, bytesRead, bytesTotal, stages, rejects } = await lake.view(
        OPERATOR,
        id,
      )
      assert.equal(state, 'done')
      assert.ok(stages.filter(({ about }) => about.startsWith('read cities')).length > 1)
      assert.deepEqual([rowsRead, rejects], [3_004, { 'people:not-a-number': 1 }])
      assert.ok(bytesRead > 0 && bytesRead <= bytesTotal, `${bytesRead} of ${bytesTotal}`)
    })

    test('a result is sent by its parts, and a part of another file is none', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      await lake.work()
      const url = `/queries/${id}/results/countries`
      const part = await lake.bytes(OPERATOR, url, { range: 'bytes=8-13' })
      assert.deepEqual([part.status, part.text], [206, ANSWER.slice(8, 14)])
      assert.equal(part.headers['content-range'], `bytes 8-13/${ANSWER.length}`)
      const tag = String(part.headers['etag'])
      const rest = { range: 'bytes=14-', 'if-range': tag }
      assert.equal((await lake.bytes(OPERATOR, url, rest)).text, ANSWER.slice(14))
      const other = { range: 'bytes=14-', 'if-range': '"other"' }
      assert.deepEqual((await lake.bytes(OPERATOR, url, other)).text, ANSWER)
      assert.equal((await lake.bytes(OPERATOR, url, { range: 'bytes=999-' })).status, 416)
      assert.equal(
        await lake.outcome(OPERATOR, 'GET', `/queries/${id}/results/other`),
        '404 MINGA_NO_SUCH_RESULT',
      )
    })

    test('a query that is sent again is the same one, and no other query has its id', async () => {
      const lake = await shared()
      const ana = await lake.someone('collector')
      const bea = await lake.someone('collector')
      const upload = await lake.upload(ana, 'cities.csv', CITIES)
      const message = { id: randomUUID(), queries: [COUNTRIES], inputs: { cities: { upload } } }
      const first = await lake.submit(ana, message)
      const again = await lake.submit(ana, message)
      assert.deepEqual([again.number, again.askedAt], [first.number, first.askedAt])
      assert.equal((await lake.ok<QueryView[]>(ana, 'GET', '/queries')).length, 1)
      const own = await lake.upload(bea, 'cities.csv', CITIES)
      const taken = { ...message, inputs: { cities: { upload: own } } }
      assert.equal(await lake.outcome(bea, 'POST', '/queries', taken), '409 MINGA_QUERY_ID_REUSED')
    })

    test('Several clients at once, isolated: no client sees, cancels or reads a query of another', async () => {
      const lake = await shared()
      const ana = await lake.someone('collector')
      const bea = await lake.someone('client')
      const volunteer = await lake.someone('volunteer')
      const more = CITIES.replace('430000', '570000')
      const [hers, others] = [await asked(lake, ana), await asked(lake, bea, more)]
      await lake.work()
      const read = async (who: string, { id }: QueryView): Promise<string> =>
        (await lake.bytes(who, `/queries/${id}/results/countries`)).text
      assert.equal(await read(ana, hers), ANSWER)
      assert.equal(await read(bea, others), ANSWER.replace('10430000', '10570000'))
      for (const path of ['', '/plan', '/rows', '/stream', '/results/countries']) {
        assert.equal(
          await lake.outcome(bea, 'GET', `/queries/${hers.id}${path}`),
          '404 MINGA_NO_SUCH_QUERY',
        )
      }
      assert.equal(
        await lake.outcome(bea, 'POST', `/queries/${hers.id}/cancel`),
        '404 MINGA_NO_SUCH_QUERY',
      )
      assert.equal(await lake.outcome(volunteer, 'GET', '/queries'), '403 MINGA_FORBIDDEN')
      assert.deepEqual(
        (await lake.ok<QueryView[]>(bea, 'GET', '/queries')).map(({ id }) => id),
        [others.id],
      )
      const all = await lake.ok<QueryView[]>(OPERATOR, 'GET', '/queries')
      assert.deepEqual(
        all
          .slice(0, 2)
          .map(({ id }) => id)
          .toSorted(),
        [hers.id, others.id].toSorted(),
      )
      assert.equal(await read(OPERATOR, hers), ANSWER)
    })

    test('an upload of another cannot be asked, and files of the machine by the operator only', async () => {
      const lake = await shared()
      const ana = await lake.someone('collector')
      const bea = await lake.someone('collector')
      const upload = await lake.upload(ana, 'cities.csv', CITIES)
      const path = lake.write('cities.csv', CITIES)
      const ask = (who: string, cities: object) =>
        lake.outcome(who, 'POST', '/queries', {
          id: randomUUID(),
          queries: [COUNTRIES],
          inputs: { cities },
        })
      assert.equal(await ask(bea, { upload }), '404 MINGA_NO_SUCH_UPLOAD')
      assert.equal(await ask(bea, { path }), '403 MINGA_OUTSIDE_INPUT')
      assert.equal(await ask(OPERATOR, { path: 'given/cities.csv' }), '403 MINGA_OUTSIDE_INPUT')
      assert.equal(await ask(OPERATOR, { path: `${path}.not` }), '403 MINGA_OUTSIDE_INPUT')
      const { id } = await lake.submit(OPERATOR, {
        queries: [COUNTRIES],
        inputs: { cities: { path } },
      })
      await lake.work()
      assert.equal((await lake.bytes(OPERATOR, `/queries/${id}/results/countries`)).text, ANSWER)
    })

    test('parameters go to the queries that have them', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'cities.csv', CITIES)
      const inputs = { cities: { upload } }
      const two = [COUNTRIES, { ...COUNTRIES, name: 'large' }]
      const parameters = { least: 1_000_000, 'large.least': '5000000' }
      const { id } = await lake.submit(OPERATOR, { queries: two, inputs, parameters })
      await lake.work()
      const text = async (name: string) =>
        (await lake.bytes(OPERATOR, `/queries/${id}/results/${name}`)).text
      assert.equal(await text('countries'), 'country,people\nEC,2000000\nPE,10000000\n')
      assert.equal(await text('large'), 'country,people\nPE,10000000\n')
    })

    test('what is invalid is refused before anything runs', async () => {
      const lake = await shared()
      const upload = await lake.upload(OPERATOR, 'cities.csv', CITIES)
      const inputs = { cities: { upload } }
      const refused = async (body: object) =>
        lake.outcome(OPERATOR, 'POST', '/queries', { id: randomUUID(), inputs, ...body })
      for (const body of [
        { queries: ['nothing of that name'] },
        { queries: [COUNTRIES], inputs: {} },
        { queries: [COUNTRIES], inputs: { ...inputs, towns: { upload } } },
        { queries: [COUNTRIES], parameters: { most: 1 } },
        { queries: [COUNTRIES, COUNTRIES] },
        { queries: [{ name: 'x' }] },
        { queries: [{ ...COUNTRIES, output: { columns: ['town'], order: [] } }] },
      ]) {
        assert.equal(await refused(body), '400 MINGA_BAD_QUERY', JSON.stringify(body))
      }
      assert.equal(await refused({ queries: [] }), '400 MINGA_BAD_MESSAGE')
      assert.equal(await refused({ queries: [COUNTRIES], id: 'x' }), '400 MINGA_BAD_MESSAGE')
      const table = { queries: [COUNTRIES], inputs: { cities: { table: 'nowhere' } } }
      assert.equal(await refused(table), '404 MINGA_UNKNOWN_TABLE')
      assert.equal(await lake.lease(), null)
    })

    test('rows are seen as tasks commit them, page by page, and a stream ends with the query', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const rowsAfter = (after: string, limit: number) =>
        lake.ok<{ batches: { rows: unknown[][] }[]; after: string; isEnded: boolean }>(
          OPERATOR,
          'GET',
          `/queries/${id}/rows?query=countries&after=${after}&limit=${limit}`,
        )
      assert.deepEqual(await rowsAfter('0', 10), { batches: [], after: '0', isEnded: false })
      await lake.work()
      const seen: unknown[][] = []
      let page = await rowsAfter('0', 1)
      for (; page.batches.length > 0; page = await rowsAfter(page.after, 1)) {
        seen.push(...page.batches.flatMap(({ rows }) => rows))
      }
      assert.ok(page.isEnded)
      const sorted = seen.toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1))
      assert.deepEqual(
        JSON.parse(JSON.stringify(sorted)).map(([c]: [string]) => c),
        ['EC', 'PE'],
      )
      const { text } = await lake.bytes(OPERATOR, `/queries/${id}/stream`)
      const news = text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as QueryNews)
      const told = news.flatMap((one) => ('rows' in one ? one.rows.rows : []))
      assert.equal(told.length, 2)
      const last = news.at(-1)!
      assert.equal('ended' in last && last.ended.state, 'done')
      const events = await lake.bytes(OPERATOR, `/queries/${id}/stream?after=${page.after}`, {
        accept: 'text/event-stream',
      })
      assert.match(events.text, /^event: ended\ndata: \{"ended":/)
    })

    test('a stream tells rows and progress while the query runs', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const streaming = lake.bytes(OPERATOR, `/queries/${id}/stream`)
      await lake.work()
      const { text } = await streaming
      const kinds = text
        .trim()
        .split('\n')
        .map((line) => Object.keys(JSON.parse(line) as object)[0])
      assert.equal(kinds[0], 'progress')
      assert.ok(kinds.includes('rows'))
      assert.equal(kinds.at(-1), 'ended')
    })

    test('a query that is cancelled ends, its worker is notified, and its files are removed', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const task = await lake.lease()
      const done = await lake.run(task!)
      const { state } = await lake.ok<QueryView>(OPERATOR, 'POST', `/queries/${id}/cancel`)
      assert.equal(state, 'cancelled')
      assert.equal(await lake.commit(task!, done), 'stale')
      assert.equal(await lake.lease(), null)
      const folder = join(lake.folder, 'queries', id)
      assert.ok(existsSync(folder))
      await lake.station.clock.advance(HOUR_MS)
      await lake.station.tick()
      assert.ok(!existsSync(folder))
    })

    test('a task that fails for good ends the query with code, stage and SQL', async () => {
      const lake = await shared()
      const { id } = await asked(lake)
      const task = await lake.lease()
      await lake.fail(task!, {
        name: 'x',
        code: 'MINGA_TASK_REFUSED',
        message: 'no such thing',
        retry: 'never',
        sql: 'SELECT wrong',
      } as never)
      const { state, error } = await lake.view(OPERATOR, id)
      assert.equal(state, 'failed')
      assert.deepEqual(error, {
        code: 'MINGA_TASK_REFUSED',
        message: 'no such thing',
        stage: task!.stage,
        sql: 'SELECT wrong',
      })
      assertRefused(
        await lake.call(OPERATOR, 'GET', `/queries/${id}/results/countries`),
        '404 MINGA_NO_SUCH_RESULT',
        /is failed and has no results/,
      )
    })
  })
}

test('the plan of a question is shown without running it, and that of a query with how far it is', async () => {
  const lake = await lakes[0]!()
  const upload = await lake.upload(OPERATOR, 'cities.csv', CITIES)
  const question = { queries: [COUNTRIES], inputs: { cities: { upload } } }
  const { text } = await lake.ok<{ text: string }>(OPERATOR, 'POST', '/queries/explain', question)
  assert.match(text, /countries/)
  assert.equal(await lake.lease(), null)
  const { id } = await lake.submit(OPERATOR, question)
  await lake.work()
  const plan = await lake.ok<{ stages: { done: number; tasks: number }[] }>(
    OPERATOR,
    'GET',
    `/queries/${id}/plan`,
  )
  assert.ok(plan.stages.every(({ done, tasks }) => done === tasks))
})

test('a file that changes while a query reads it is not read as if it were one', async () => {
  const lake = await lakes[0]!()
  const path = lake.write('cities.csv', CITIES)
  const { id } = await lake.submit(OPERATOR, {
    queries: [COUNTRIES],
    inputs: { cities: { path } },
  })
  renameSync(lake.write('other.csv', CITIES.replace('Lima', 'Iquitos')), path)
  await lake.work()
  assert.equal((await lake.view(OPERATOR, id)).error?.code, 'MINGA_INPUT_CHANGED')
})

test('a client whose upload was interrupted asks how far it got and resumes from there', async () => {
  const lake = await lakes[0]!()
  const [ana, bea] = [await lake.someone('client'), await lake.someone('client')]
  const bytes = Buffer.from(CITIES)
  const made = { name: 'cities.csv', bytes: bytes.length }
  const { id } = await lake.ok<UploadView>(ana, 'POST', '/inputs', made)
  const head = async (who: string) => {
    const headers = { host: 'localhost', authorization: `Bearer ${who}` }
    const url = `/api/inputs/${id}`
    const { statusCode, headers: said } = await lake.station.app.inject({
      method: 'HEAD',
      url,
      headers,
    })
    return [statusCode, said['upload-offset'], said['upload-length']]
  }
  assert.deepEqual(await head(ana), [200, '0', `${bytes.length}`])
  await lake.sendPart(ana, id, bytes.subarray(0, 20), 0)
  assert.deepEqual(await head(ana), [200, '20', `${bytes.length}`])
  const again = await lake.sendPart(ana, id, bytes.subarray(0, 20), 0)
  assertRefused(again, '409 MINGA_UPLOAD_OFFSET', /has 20 bytes of the upload/)
  assert.equal(await lake.outcome(ana, 'POST', `/inputs/${id}/finish`, {}), '409 MINGA_UPLOAD_OPEN')
  assert.equal((await head(bea))[0], 404)
  const theirs = await lake.sendPart(bea, id, bytes.subarray(20), 20)
  assertRefused(theirs, '404 MINGA_NO_SUCH_UPLOAD', /no upload/)
  assert.deepEqual(await lake.ok(bea, 'GET', '/inputs'), [])
  await lake.sendPart(ana, id, bytes.subarray(20), 20)
  const ready = await lake.ok<UploadView>(ana, 'POST', `/inputs/${id}/finish`, {})
  assert.deepEqual([ready.state, ready.received], ['ready', bytes.length])
  assert.equal((await lake.ok<UploadView[]>(ana, 'GET', '/inputs')).length, 1)
  await lake.ok(ana, 'DELETE', `/inputs/${id}`)
  assert.equal(await lake.outcome(ana, 'GET', `/inputs/${id}`), '404 MINGA_NO_SUCH_UPLOAD')
})

test('shipped queries are listed with what they need', async () => {
  const lake = await lakes[0]!()
  const shipped = await lake.ok<Query[]>(OPERATOR, 'GET', '/queries/shipped')
  const names = shipped.map(({ name }) => name)
  for (const n of [1, 2, 3, 4, 5]) assert.ok(names.includes(`books-${n}`))
})

test('a query without a sign of its client ends; one whose client polls continues', async () => {
  const flags = { queryAbandonedMs: HOUR_MS }
  const lake = await openLake({ flags })
  const [left, watched] = [await asked(lake), await asked(lake)]
  for (const _ of [1, 2, 3]) {
    await lake.station.clock.advance(HOUR_MS / 2)
    await lake.view(OPERATOR, watched.id)
    await lake.station.tick()
  }
  const [first, second] = await lake.ok<QueryView[]>(OPERATOR, 'GET', '/queries')
  assert.deepEqual(
    [first!.id, first!.state, second!.id, second!.state],
    [watched.id, 'running', left.id, 'abandoned'],
  )
  const cancelled = await asked(lake)
  await lake.ok(OPERATOR, 'POST', `/queries/${cancelled.id}/cancel`)
  for (const [state, id] of [
    ['running', watched.id],
    ['cancelled', cancelled.id],
    ['abandoned', left.id],
  ]) {
    const found = await lake.ok<QueryView[]>(OPERATOR, 'GET', `/queries?state=${state}`)
    assert.deepEqual(
      found.map((one) => [one.state, one.id]),
      [[state, id]],
    )
  }
  assert.equal(await lake.outcome(OPERATOR, 'GET', '/queries?state=lost'), '400 MINGA_BAD_MESSAGE')
})

test('results are kept as long as is set, and no longer', async () => {
  const flags = { resultsKeptMs: HOUR_MS, uploadKeptMs: DAY_MS }
  const lake = await openLake({ flags })
  const { id } = await asked(lake)
  await lake.work()
  await lake.station.clock.advance(HOUR_MS / 2)
  await lake.station.tick()
  const read = () => lake.outcome(OPERATOR, 'GET', `/queries/${id}/results/countries`)
  const url = `/queries/${id}/results/countries`
  assert.equal((await lake.bytes(OPERATOR, url)).text, ANSWER)
  await lake.station.clock.advance(HOUR_MS)
  await lake.station.tick()
  assert.equal(await read(), '404 MINGA_NO_SUCH_RESULT')
  assert.equal((await lake.view(OPERATOR, id)).state, 'done')
  assert.ok(!existsSync(join(lake.folder, 'queries', id)))
})

test('an account has no more queries running than it may, and each its memory and time', async () => {
  const flags = { queriesOpenMax: 1, queryMemoryMb: 300 }
  const lake = await openLake({ flags })
  const ana = await lake.someone('collector')
  const upload = await lake.upload(ana, 'cities.csv', CITIES)
  const question = { queries: [COUNTRIES], inputs: { cities: { upload } } }
  const { id } = await lake.submit(ana, { ...question, deadlineS: 60 })
  const more = { id: randomUUID(), ...question }
  assert.equal(await lake.outcome(ana, 'POST', '/queries', more), '429 MINGA_TOO_MANY_QUERIES')
  assert.equal((await lake.lease())!.limits.memoryMb, 300)
  await lake.station.clock.advance(61_000)
  await lake.station.tick()
  assert.equal((await lake.view(ana, id)).error?.code, 'MINGA_QUERY_OVERDUE')
  await lake.submit(ana, { ...question, memoryMb: 500 })
  assert.equal((await lake.lease())!.limits.memoryMb, 500)
})

test('who registered alone has room for less than others', async () => {
  const flags = { readerQueriesOpenMax: 1, readerUploadBytesMax: 1_000 }
  const lake = await openLake({ flags })
  const [ana, ben] = [await lake.someone('reader'), await lake.someone('collector')]
  const large = { name: 'large.csv', bytes: 1_001 }
  assert.equal(await lake.outcome(ana, 'POST', '/inputs', large), '429 MINGA_UPLOAD_QUOTA')
  assert.equal(await lake.outcome(ben, 'POST', '/inputs', large), '200')
  const upload = await lake.upload(ana, 'cities.csv', CITIES)
  const question = { queries: [COUNTRIES], inputs: { cities: { upload } } }
  await lake.submit(ana, question)
  const more = { id: randomUUID(), ...question }
  assert.equal(await lake.outcome(ana, 'POST', '/queries', more), '429 MINGA_TOO_MANY_QUERIES')
})

test('an upload stays while a query reads it, and goes when its time is over', async () => {
  const flags = { uploadKeptMs: HOUR_MS, queryAbandonedMs: DAY_MS, uploadBytesMax: 1_000 }
  const lake = await openLake({ flags })
  await asked(lake)
  const inputs = join(lake.folder, 'inputs')
  await lake.station.clock.advance(2 * HOUR_MS)
  await lake.station.tick()
  assert.equal(readdirSync(inputs).length, 1)
  await lake.work()
  await lake.station.clock.advance(2 * HOUR_MS)
  await lake.station.tick()
  assert.deepEqual(readdirSync(inputs), [])
  const large = { name: 'large.csv', bytes: 1_001 }
  assert.equal(await lake.outcome(OPERATOR, 'POST', '/inputs', large), '429 MINGA_UPLOAD_QUOTA')
})
