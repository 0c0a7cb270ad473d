// Goal: tables are filled, read, kept apart and asked in SQL over HTTP. Method: whole stations on both databases, a
// worker that runs real tasks, and questions in processes of their own.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { systemClock, type QueryView, type SqlAnswer, type TableView } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openLake, sharedLake, type LakeStation } from '../../test/lake/lake-fixture.ts'

const OPERATOR = TOKENS.apiKey
const CITIES =
  'name,people,founded\nQuito,2000000,1534\nLima,10000000,1535\n,5,1500\nCusco,many,1100\n'
const HOUR_MS = 3_600_000

interface Rows {
  columns: { name: string; type: string }[]
  rows: unknown[][]
}

async function imported(
  lake: LakeStation,
  who: string,
  given: { table: string; text?: string; more?: object },
): Promise<QueryView> {
  const upload = await lake.upload(who, `${given.table}.csv`, given.text ?? CITIES)
  const body = { input: { upload }, ...given.more }
  const said = await lake.call(who, 'POST', `/tables/${given.table}/import`, body)
  assert.equal(said.status, 202, JSON.stringify(said.body))
  await lake.work()
  return lake.view(who, (said.body as QueryView).id)
}

const sql = async (lake: LakeStation, who: string, text: string): Promise<unknown[][]> =>
  (await lake.ok<SqlAnswer>(who, 'POST', '/sql', { sql: text })).rows

// Before the first test: a runner that has run all it knows of takes the file for done, and closes them.
const lakes = await Promise.all(ENGINES.map((engine) => sharedLake({ engine })))

for (const [i, engine] of ENGINES.entries()) {
  const shared = lakes[i]!

  describe(`tables on ${engine.name}`, { skip: engine.skip }, () => {
    test('a file becomes a table whose types are inferred or given', async () => {
      const lake = await shared()
      const more = { types: { founded: 'integer' } }
      const { state, kind, error } = await imported(lake, OPERATOR, { table: 'cities', more })
      assert.deepEqual([state, kind, error], ['done', 'import', null])
      const [table] = await lake.ownTables(OPERATOR)
      const { name, rows, version, columns } = table!
      assert.deepEqual([name, rows, version], ['cities', 4, 1])
      assert.deepEqual(
        columns.map((column) => `${column.name} ${column.type}`),
        ['name VARCHAR', 'people VARCHAR', 'founded BIGINT'],
      )
      const page = await lake.ok<Rows>(OPERATOR, 'GET', '/tables/cities/rows?offset=1&limit=1')
      assert.deepEqual(page.rows, [['Lima', '10000000', 1535]])
    })

    test('declared rules drop and empty what is not as it should be, and both are counted', async () => {
      const lake = await shared()
      const columns = {
        city: { from: 'name', type: 'text', isRequired: true },
        people: { type: 'integer' },
      }
      const { rejects, state } = await imported(lake, OPERATOR, {
        table: 'cities',
        more: { rules: { columns } },
      })
      assert.equal(state, 'done')
      assert.deepEqual(rejects, { 'city:missing': 1, 'people:not-a-number': 1 })
      const { rows } = await lake.ok<Rows>(OPERATOR, 'GET', '/tables/cities/rows')
      assert.deepEqual(rows, [
        ['Quito', 2000000],
        ['Lima', 10000000],
        ['Cusco', null],
      ])
      const side = await lake.ok<Rows>(OPERATOR, 'GET', '/tables/cities/rejects')
      assert.deepEqual(
        side.rows.map(([, reason]) => reason),
        ['city:missing'],
      )
      const again = { table: 'cities', more: { rules: { columns }, isReplacing: true } }
      assert.equal((await imported(lake, OPERATOR, again)).state, 'done')
      const { rows: rejected } = await lake.ok<Rows>(OPERATOR, 'GET', '/tables/cities/rejects')
      assert.equal(rejected.length, 1)
    })

    test('a table grows by a second import, can be read as it was, and is replaced on demand', async () => {
      const lake = await shared()
      await imported(lake, OPERATOR, { table: 'words', text: 'word\nuno\ndos\n' })
      await imported(lake, OPERATOR, { table: 'words', text: 'word\ntres\n' })
      const count = async (query = '') =>
        (await lake.ok<Rows>(OPERATOR, 'GET', `/tables/words/rows${query}`)).rows.length
      assert.deepEqual([await count(), await count('?version=1')], [3, 2])
      const text = 'word\nsolo\n'
      await imported(lake, OPERATOR, { table: 'words', text, more: { isReplacing: true } })
      assert.deepEqual([await count(), await count('?version=2')], [1, 3])
      const versions = await lake.ok<{ version: number; why: string }[]>(
        OPERATOR,
        'GET',
        '/tables/words/versions',
      )
      assert.deepEqual(versions.map(({ version }) => version).slice(0, 3), [3, 2, 1])
      const changed = { table: 'words', text: 'word\n1\n', more: { types: { word: 'integer' } } }
      assert.equal((await imported(lake, OPERATOR, changed)).error?.code, 'MINGA_COLUMN_CHANGED')
      const later = await lake.call(OPERATOR, 'GET', '/tables/words/rows?version=99')
      assert.equal(later.status, 404)
    })

    test('tables of one account are not there for another, by any way of asking', async () => {
      const lake = await shared()
      const ana = await lake.someone('collector')
      const bea = await lake.someone('collector')
      const reader = await lake.someone('reader')
      await imported(lake, ana, { table: 'hers', text: 'a\n1\n' })
      assert.equal(await lake.outcome(bea, 'GET', '/tables/hers'), '404 MINGA_UNKNOWN_TABLE')
      for (const path of ['rows', 'versions', 'rejects']) {
        assert.equal(
          await lake.outcome(bea, 'GET', `/tables/hers/${path}`),
          '404 MINGA_UNKNOWN_TABLE',
        )
      }
      assert.equal(await lake.outcome(bea, 'DELETE', '/tables/hers'), '404 MINGA_UNKNOWN_TABLE')
      const upload = await lake.upload(bea, 'x.csv', 'a\n1\n')
      const taking = { input: { upload } }
      assert.equal(
        await lake.outcome(bea, 'POST', '/tables/hers/import', taking),
        '409 MINGA_TABLE_TAKEN',
      )
      const asking = { sql: 'SELECT * FROM hers' }
      assert.equal(await lake.outcome(bea, 'POST', '/sql', asking), '400 MINGA_BAD_SQL')
      assert.ok(!(await sql(lake, bea, 'SHOW TABLES')).flat().includes('hers'))
      assert.deepEqual(await lake.ownTables(bea), [])
      const question = {
        id: '00000000-0000-4000-8000-000000000001',
        queries: [SUM],
        inputs: { numbers: { table: 'hers' } },
      }
      assert.equal(await lake.outcome(bea, 'POST', '/queries', question), '404 MINGA_UNKNOWN_TABLE')
      assert.equal(
        await lake.outcome(reader, 'POST', '/tables/mine/import', taking),
        '403 MINGA_FORBIDDEN',
      )
      assert.deepEqual(await sql(lake, ana, 'SELECT count(*)::INTEGER FROM hers'), [[1]])
      assert.deepEqual(await sql(lake, OPERATOR, 'SELECT count(*)::INTEGER FROM hers'), [[1]])
    })

    test('tables of the station are read by those who read captures, those about people by operators', async () => {
      const lake = await shared()
      const reader = await lake.someone('reader')
      const client = await lake.someone('client')
      const columns = [{ name: 'url', type: 'VARCHAR' as const }]
      const { store, clock } = lake.station
      const known = await lake.ok<TableView[]>(OPERATOR, 'GET', '/tables')
      for (const name of ['captures', 'requests']) {
        if (known.some((table) => table.name === name)) continue
        const made = { name, columns, owner: null, kind: 'system', now: clock.now() } as const
        await store.call('lakeCreateTable', made)
      }
      const seen = async (who: string) => {
        const names = (await lake.ok<TableView[]>(who, 'GET', '/tables')).map(({ name }) => name)
        return ['captures', 'requests'].filter((name) => names.includes(name))
      }
      assert.deepEqual(await seen(OPERATOR), ['captures', 'requests'])
      assert.deepEqual(await seen(reader), ['captures'])
      // On its own machine captures are open to everyone.
      assert.deepEqual(await seen(client), ['captures'])
      const collector = await lake.someone('collector')
      assert.equal(
        await lake.outcome(collector, 'DELETE', '/tables/captures'),
        '409 MINGA_TABLE_NOT_FOR_THIS',
      )
      assert.equal(
        await lake.outcome(OPERATOR, 'DELETE', '/tables/captures'),
        '409 MINGA_TABLE_NOT_FOR_THIS',
      )
    })

    test('a query reads a table as it was when it was asked, though it changes in the meantime', async () => {
      const flags = { tableVersionsKeptMs: 0 }
      const lake = await openLake({ engine, flags })
      await imported(lake, OPERATOR, { table: 'numbers', ...NUMBERS })
      const inputs = { numbers: { table: 'numbers' } }
      const { id } = await lake.submit(OPERATOR, { queries: [SUM], inputs })
      // A worker has its task, and sends nothing more.
      assert.ok(await lake.lease())
      const more = { ...NUMBERS.more, isReplacing: true }
      await imported(lake, OPERATOR, { table: 'numbers', text: 'n\n100\n', more })
      const pass = async (): Promise<void> => {
        for (let minutes = 0; minutes < 30; minutes += 4) {
          await lake.station.clock.advance(4 * 60_000)
          await lake.view(OPERATOR, id)
          await lake.station.tick()
        }
      }
      await pass()
      await lake.work()
      const { text } = await lake.bytes(OPERATOR, `/queries/${id}/results/sum`)
      assert.equal(text, 'total\n6\n')
      // No query reads it any more.
      await pass()
      const former = '/tables/numbers/rows?version=1'
      assert.equal(await lake.outcome(OPERATOR, 'GET', former), '404 MINGA_VERSION_GONE')
    })

    test('a table that is dropped is gone, with what was dropped from it', async () => {
      const lake = await shared()
      await imported(lake, OPERATOR, { table: 'numbers', ...NUMBERS })
      await lake.ok(OPERATOR, 'DELETE', '/tables/numbers')
      assert.deepEqual(await lake.ownTables(OPERATOR), [])
      assert.equal(
        await lake.outcome(OPERATOR, 'GET', '/tables/numbers'),
        '404 MINGA_UNKNOWN_TABLE',
      )
    })

    test('many small segments become one, which holds the same rows in the same order', async () => {
      const lake = await shared()
      for (let n = 0; n < 8; n++) {
        await imported(lake, OPERATOR, { table: 'numbers', text: `n\n${n}\n`, more: NUMBERS.more })
      }
      const before = await lake.ok<Rows>(OPERATOR, 'GET', '/tables/numbers/rows')
      await lake.ok<TableView>(OPERATOR, 'GET', '/tables/numbers')
      await lake.station.clock.advance(HOUR_MS)
      await lake.station.tick()
      await lake.work()
      const { segments, rows } = await lake.ok<TableView>(OPERATOR, 'GET', '/tables/numbers')
      assert.deepEqual([segments, rows], [1, 8])
      assert.deepEqual(await lake.ok<Rows>(OPERATOR, 'GET', '/tables/numbers/rows'), before)
    })
  })
}

const NUMBERS = {
  text: 'n\n1\n2\n3\n',
  more: { rules: { columns: { n: { type: 'integer', isRequired: true } } } },
}

const SUM = {
  name: 'sum',
  about: 'All of them',
  inputs: { numbers: { columns: { n: { type: 'integer' } } } },
  from: {
    step: 'group',
    from: { step: 'scan', input: 'numbers' },
    by: [],
    aggregates: { total: { is: 'sum', of: 'n' } },
  },
  output: { columns: ['total'], order: [] },
}

test('a station that has just started merges nothing: it may live for one question', async () => {
  const lake = await openLake()
  await lake.station.tick()
  for (let n = 0; n < 8; n++) {
    await imported(lake, OPERATOR, { table: 'numbers', text: `n\n${n}\n`, more: NUMBERS.more })
  }
  const merges = async (): Promise<number> => {
    await lake.station.tick()
    return (await lake.ok<QueryView[]>(OPERATOR, 'GET', '/queries?state=running')).length
  }
  await lake.station.clock.advance(50_000)
  assert.equal(await merges(), 0)
  await lake.station.clock.advance(20_000)
  assert.equal(await merges(), 1)
})

test('SQL over HTTP is answered in every form, within limits that operators change', async () => {
  const lake = await openLake({ flags: { sqlAtOnceMax: 2 } })
  await imported(lake, OPERATOR, { table: 'numbers', ...NUMBERS })
  const ask = async (body: object) => {
    const headers = { host: 'localhost', authorization: `Bearer ${OPERATOR}` }
    const { app } = lake.station
    const answered = await app.inject({ method: 'POST', url: '/api/sql', headers, payload: body })
    const { statusCode, body: text } = answered
    return statusCode === 200 ? text : `${statusCode} ${answered.json().error.code}`
  }
  const text = 'SELECT n FROM numbers ORDER BY n DESC'
  assert.equal(await ask({ sql: text, format: 'csv' }), 'n\n3\n2\n1\n')
  assert.equal(await ask({ sql: text, format: 'jsonl' }), '{"n":3}\n{"n":2}\n{"n":1}\n')
  assert.match(await ask({ sql: text, format: 'parquet' }), /^PAR1/)
  assert.equal((JSON.parse(await ask({ sql: text, rowsMax: 2 })) as SqlAnswer).isCut, true)
  const set = (settings: object) => lake.ok(OPERATOR, 'PATCH', '/settings', settings)
  await set({ sqlRowsMax: 2 })
  assert.equal(await ask({ sql: text, format: 'csv' }), '422 MINGA_SQL_LIMIT')
  await set({ sqlRowsMax: 1_000_000, sqlBytesMax: 1_000 })
  assert.equal(await ask({ sql: 'FROM range(10000)', format: 'csv' }), '422 MINGA_SQL_LIMIT')
  await set({ sqlBytesMax: 10_000_000, sqlMemoryMb: 64 })
  const hungry = "SELECT list(range || 'some text to keep') FROM range(50000000)"
  assert.equal(await ask({ sql: hungry }), '422 MINGA_SQL_LIMIT')
})

test('an SQL query is ended when its time limit is reached, which no caller can raise', async () => {
  const lake = await openLake({ flags: { sqlTimeoutMs: 1_000 } })
  const endless =
    'WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r'
  const { clock } = lake.station
  const sleeping = clock.sleeping()
  const asked = lake.outcome(OPERATOR, 'POST', '/sql', { sql: endless, timeoutS: 100 })
  // The time of the query begins with its process, which takes longer to start on a busy machine.
  while (clock.sleeping() === sleeping) await systemClock.sleep(10)
  await clock.advance(1_000)
  assert.equal(await asked, '422 MINGA_SQL_LIMIT')
})

test('files of every kind that the lake reads become tables', async () => {
  const lake = await openLake()
  const { rows: made } = await lake.ok<SqlAnswer>(OPERATOR, 'POST', '/sql', { sql: 'SELECT 1' })
  assert.deepEqual(made, [[1]])
  const parquet = await lake.station.app.inject({
    method: 'POST',
    url: '/api/sql',
    headers: { host: 'localhost', authorization: `Bearer ${OPERATOR}` },
    payload: { sql: "SELECT 'uno' AS word, 1::BIGINT AS n", format: 'parquet' },
  })
  const files: Record<string, Buffer> = {
    'a.csv': Buffer.from('word,n\nuno,1\n'),
    'b.tsv': Buffer.from('word\tn\nuno\t1\n'),
    'c.jsonl': Buffer.from('{"word":"uno","n":1}\n'),
    'd.csv.gz': gzipSync('word,n\nuno,1\n'),
    'e.parquet': parquet.rawPayload,
  }
  const columns = { word: { type: 'text' }, n: { type: 'integer' } }
  for (const [name, bytes] of Object.entries(files)) {
    const table = `from_${name[0]}`
    const upload = await lake.upload(OPERATOR, name, bytes)
    const body = { input: { upload }, rules: { columns } }
    const said = await lake.call(OPERATOR, 'POST', `/tables/${table}/import`, body)
    assert.equal(said.status, 202, `${name} ${JSON.stringify(said.body)}`)
    await lake.work()
    const { error } = await lake.view(OPERATOR, (said.body as QueryView).id)
    assert.equal(error, null, `${name} ${JSON.stringify(error)}`)
    const { rows } = await lake.ok<Rows>(OPERATOR, 'GET', `/tables/${table}/rows`)
    assert.deepEqual(rows, [['uno', 1]], name)
  }
})
