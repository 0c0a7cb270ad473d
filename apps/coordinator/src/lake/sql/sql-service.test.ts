// Goal: users who may run SQL get answers about tables and nothing else of the machine, whatever
// they write. Method: real child processes over a small lake; questions honest, wrong, hostile and
// endless; files, processes and holds are counted afterwards.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { isMingaError } from '@minga/protocol'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { answerHere, openSql, ROWS, type SqlFixture } from '../../../test/lake/sql-fixture.ts'
import type { SqlAsked } from './sql-service.ts'

const lake = await openSql()
/** A folder outside of the lake, in which nothing may appear. */
const OUTSIDE = temporaryFolder()

interface Answer {
  columns: { name: string; type: string }[]
  rows: unknown[][]
  isCut: boolean
}

async function answer(sql: string, more: Partial<SqlAsked> = {}): Promise<Answer> {
  const { file, remove } = await lake.ask(sql, more)
  const text = readFileSync(lake.files.at(file), 'utf8')
  await remove()
  return JSON.parse(text) as Answer
}

async function refusal(sql: string, more: Partial<SqlAsked> = {}, on = lake): Promise<string> {
  try {
    const { file } = await on.ask(sql, more)
    return `answered: ${readFileSync(on.files.at(file), 'utf8').slice(0, 200)}`
  } catch (error) {
    assert.ok(isMingaError(error), String(error))
    return `${error.code} ${error.message}`
  }
}

const left = ({ files }: SqlFixture): string[] => readdirSync(files.at('sql'))

test('a SELECT over tables is answered with columns, types and rows', async () => {
  assert.deepEqual(await answer('SELECT n, word FROM seen WHERE n < 2 ORDER BY n DESC'), {
    columns: [
      { name: 'n', type: 'BIGINT' },
      { name: 'word', type: 'VARCHAR' },
    ],
    rows: [
      [1, 'row 1'],
      [0, 'row 0'],
    ],
    isCut: false,
  })
  assert.deepEqual(lake.held(), 0)
  assert.deepEqual(left(lake), [])
})

test('forms of one SELECT are taken: semicolons, comments, WITH, VALUES, SHOW and DESCRIBE', async () => {
  for (const sql of [
    'SELECT 1;',
    ' ; SELECT 1 ; ; ',
    'SELECT 1 -- said\n',
    'SELECT 1 -- said',
    '/* first */ FROM seen LIMIT 1',
    'WITH few AS (FROM seen LIMIT 3) SELECT count(*) FROM few',
    'VALUES (1), (2)',
    'TABLE empty',
    'DESCRIBE seen',
    'SELECT * FROM range(3), unnest([1, 2])',
    'SELECT SEEN.n FROM "SEEN" LIMIT 1',
  ]) {
    assert.ok('file' in (await answerHere(lake, sql)), sql)
  }
  assert.deepEqual((await answer('SHOW TABLES')).rows, [['empty'], ['seen']])
})

test('an answer for a page is cut at its limit and says so', async () => {
  const { rows, isCut } = await answer('SELECT n FROM seen ORDER BY n', { rowsMax: 3 })
  assert.deepEqual([rows, isCut], [[[0], [1], [2]], true])
})

for (const format of ['csv', 'jsonl', 'parquet'] as const) {
  test(`an answer is written whole as ${format}, in its order`, async () => {
    const { file, remove } = await lake.ask('SELECT n FROM seen ORDER BY n DESC', { format })
    const instance = await DuckDBInstance.create(':memory:')
    const connection = await instance.connect()
    const read = await connection.runAndReadAll(`FROM '${lake.files.at(file)}'`)
    const numbers = read.getRows().map(([n]) => Number(n))
    assert.deepEqual(
      numbers,
      Array.from({ length: ROWS }, (_, i) => ROWS - 1 - i),
    )
    connection.closeSync()
    instance.closeSync()
    await remove()
    assert.deepEqual(left(lake), [])
  })
}

const HOSTILE = {
  'files of the machine': [
    "SELECT * FROM read_csv('/etc/passwd')",
    "SELECT * FROM '/etc/passwd.csv'",
    "SELECT * FROM read_text('/proc/self/environ')",
    "SELECT * FROM read_blob('/etc/hostname')",
    "SELECT * FROM glob('/etc/*')",
    "SELECT * FROM sniff_csv('/etc/passwd')",
    `SELECT * FROM '${lake.hiddenFile}'`,
    "SELECT * FROM 'tables/seen/hidden.parquet'",
    "SELECT * FROM 'sql/question-1/../../tables/seen/hidden.parquet'",
    `SELECT * FROM parquet_metadata('${lake.hiddenFile}')`,
    "SELECT (SELECT count(*) FROM read_csv('/etc/passwd')) FROM seen",
    "WITH x AS (FROM read_json('/etc/hostname')) SELECT * FROM x",
  ],
  'other statements': [
    `COPY seen TO '${OUTSIDE}/copied.csv'`,
    "COPY (SELECT 1) TO 'sql/x.csv'",
    `ATTACH '${OUTSIDE}/attached.db'`,
    'INSTALL httpfs',
    'LOAD httpfs',
    'PRAGMA database_list',
    'SET threads = 64',
    'SET enable_external_access = true',
    'CREATE TABLE mine (a INTEGER)',
    'DROP VIEW seen',
    'DELETE FROM seen',
    'INSERT INTO seen VALUES (1)',
    'CALL pragma_version()',
    `EXPORT DATABASE '${OUTSIDE}/exported'`,
    'BEGIN',
    'EXPLAIN ANALYZE SELECT 1',
    'CHECKPOINT',
  ],
  'several at once': [
    'SELECT 1; SELECT 2',
    `SELECT 1; COPY seen TO '${OUTSIDE}/copied.csv'`,
    ';',
    '--',
  ],
  'a way out of the parentheses': [
    `SELECT 1) TO '${OUTSIDE}/copied.csv' (FORMAT csv); --`,
    "SELECT 1\n) LIMIT 1) TO 'x' --",
  ],
  'functions that change what is locked or run SQL in a text': [
    `FROM enable_profiling(format = 'json', save_location = '${OUTSIDE}/profile.json')`,
    'FROM ENABLE_LOGGING()',
    "FROM query('FROM enable_logging()')",
    "FROM json_execute_serialized_sql('{}')",
    'SELECT * FROM duckdb_settings()',
    'FROM checkpoint()',
    "SELECT current_setting('allowed_paths')",
    "SELECT getenv('PATH')",
    'SELECT * FROM seen WHERE n IN (SELECT count(*) FROM duckdb_settings())',
  ],
  'what is no SQL, or of no table': [
    '',
    ' ',
    'SELECT',
    'SELEC 1',
    'SELECT * FROM hidden',
    'SELECT nowhere FROM seen',
  ],
}

/** What the process would say, without the process. */
async function said(sql: string): Promise<string> {
  const answered = await answerHere(lake, sql).catch((error: Error) => ({ problem: error.message }))
  return 'problem' in answered ? 'refused' : JSON.stringify(answered)
}

for (const [what, questions] of Object.entries(HOSTILE)) {
  test(`a question is refused that wants ${what}`, async () => {
    for (const sql of questions) assert.equal(await said(sql), 'refused', sql)
    // And once as it is really asked.
    assert.match(await refusal(questions[0]!), /^MINGA_BAD_SQL /)
    assert.deepEqual(readdirSync(OUTSIDE), [])
    assert.deepEqual([left(lake), lake.held()], [[], 0])
  })
}

test('a question that never ends is ended at its time, and another is answered in the meantime', async () => {
  const endless = `WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT max(i) FROM r`
  const slow = refusal(endless, { timeoutMs: 1_500 })
  assert.deepEqual((await answer('SELECT 1')).rows, [[1]])
  assert.match(await slow, /^MINGA_SQL_LIMIT .* within 1.5 s/)
  assert.deepEqual([left(lake), lake.held()], [[], 0])
})

test('an answer that is too long, too large or needs too much memory is ended', async () => {
  const small = await openSql({ rowsMax: 10, bytesMax: 2_000_000, memoryMb: 64 })
  const csv = { format: 'csv' as const }
  assert.match(await refusal('FROM range(11)', csv, small), /^MINGA_SQL_LIMIT .* than 10 rows/)
  const wide = "SELECT repeat('x', 1000000) FROM range(10)"
  assert.match(await refusal(wide, csv, small), /^MINGA_SQL_LIMIT .* than 2000000 bytes/)
  const hungry = "SELECT list(range || 'some text to keep') FROM range(50000000)"
  assert.match(await refusal(hungry, csv, small), /^MINGA_SQL_LIMIT .* MB of memory/)
  assert.deepEqual(small.held(), 0)
})

test('one account has half of the places, and all together no more than there are', async () => {
  const few = await openSql({ atOnceMax: 2 })
  const slow = 'SELECT count(*) FROM range(1000000000) a, range(50) b'
  const gone = new AbortController()
  const asking = ['ana', 'bea'].map((owner) =>
    few.ask(slow, { owner, signal: gone.signal }).catch((error: unknown) => error),
  )
  for (const owner of ['ana', 'cleo']) {
    assert.match(await refusal('SELECT 1', { owner }, few), /^MINGA_SQL_BUSY/)
  }
  gone.abort()
  await Promise.all(asking)
  assert.match(await refusal('SELECT 1', { owner: 'cleo' }, few), /^answered/)
})
