/** Operations that only the tests of the store use; loaded by URL into its thread. */
import { MingaError } from '@minga/protocol'
import type { BlobSeries } from '../src/blobs.ts'
import { portable } from '../src/migrations.ts'
import type {
  DeleteMany,
  InsertMany,
  InsertNew,
  OperationTable,
  SelectMany,
  Sql,
  UpdateMany,
} from '../src/sql.ts'

class Refused extends MingaError {
  readonly code = 'MINGA_TEST_REFUSED' as const
  override readonly status = 409
  readonly retry = 'now' as const
}

export const blobSeries: Record<string, BlobSeries> = {
  pack: { maxBytes: 1000, extension: 'bin' },
  headed: { maxBytes: 200, extension: 'txt', firstBytes: (file) => Buffer.from(`<${file}>`) },
  big: { maxBytes: 1_000_000_000, extension: 'bin' },
}

export type Verb =
  | { verb: 'insertMany'; query: InsertMany }
  | { verb: 'insertNew'; query: InsertNew }
  | { verb: 'updateMany'; query: UpdateMany }
  | { verb: 'deleteMany'; query: DeleteMany }
  | { verb: 'selectMany'; query: SelectMany }

export interface AppendArgs {
  id: number
  series: string
  chunks: Uint8Array[]
  fail?: boolean
}

export interface Appended {
  id: number
  file: string
  offset_bytes: number
  length_bytes: number
}

function runVerb(sql: Sql, verb: Verb): Promise<unknown> {
  switch (verb.verb) {
    case 'insertMany':
      return sql.insertMany(verb.query)
    case 'insertNew':
      return sql.insertNew(verb.query)
    case 'updateMany':
      return sql.updateMany(verb.query)
    case 'deleteMany':
      return sql.deleteMany(verb.query)
    case 'selectMany':
      return sql.selectMany(verb.query)
  }
}

async function setUp(sql: Sql): Promise<void> {
  const tables = [
    `CREATE TABLE IF NOT EXISTS things (k {{int}} NOT NULL, name TEXT NOT NULL, n {{int}}, s TEXT,
      b {{bytes}}, r {{real}}, PRIMARY KEY (k, name)) {{without_rowid}}`,
    `CREATE TABLE IF NOT EXISTS appended (id {{int}} PRIMARY KEY, file TEXT NOT NULL,
      offset_bytes {{int}} NOT NULL, length_bytes {{int}} NOT NULL)`,
  ]
  for (const table of tables) await sql.run(portable(table, sql.dialect))
}

async function append(sql: Sql, args: AppendArgs): Promise<Appended> {
  const location = await sql.append(args.series, args.chunks)
  const row = [args.id, location.file, location.offset, location.length]
  await sql.run(
    'INSERT INTO appended (id, file, offset_bytes, length_bytes) VALUES (?, ?, ?, ?)',
    row,
  )
  if (args.fail) throw new Refused('This call was asked to fail.')
  return {
    id: args.id,
    file: location.file,
    offset_bytes: location.offset,
    length_bytes: location.length,
  }
}

/** Updates two rows with a pause between, so that two such calls in opposite order deadlock. */
async function updateTwo(sql: Sql, args: { first: number; second: number }): Promise<void> {
  await sql.run('UPDATE things SET n = n + 1 WHERE k = ?', [args.first])
  if (sql.dialect === 'postgres') await sql.run('SELECT pg_sleep(0.1)')
  await sql.run('UPDATE things SET n = n + 1 WHERE k = ?', [args.second])
}

async function swallowFailure(sql: Sql, args: { k: number }): Promise<string> {
  await sql.run('INSERT INTO things (k, name) VALUES (?, ?)', [args.k, 'half'])
  try {
    await sql.run('INSERT INTO no_such_table (k) VALUES (1)')
  } catch {
    return 'swallowed'
  }
  return 'not reached'
}

/** Claims free things one by one, as leases are claimed. */
async function claim(sql: Sql, args: { by: number }): Promise<number | undefined> {
  const row = await sql.get<{ k: number }>(
    `SELECT k FROM things WHERE n IS NULL ORDER BY k LIMIT 1${sql.forUpdateSkipLocked}`,
  )
  if (!row) return undefined
  await sql.run('UPDATE things SET n = ? WHERE k = ?', [args.by, row.k])
  return row.k
}

export const operations = {
  setUp,
  append,
  updateTwo,
  swallowFailure,
  claim,
  verbs: async (sql: Sql, verbs: Verb[]): Promise<unknown[]> => {
    const results: unknown[] = []
    for (const verb of verbs) results.push(await runVerb(sql, verb))
    return results
  },
  all: (sql: Sql, args: { sql: string; params?: number[] }): Promise<unknown[]> =>
    sql.all(args.sql, args.params),
  insertAndRefuse: async (sql: Sql, args: { k: number }): Promise<never> => {
    await sql.run('INSERT INTO things (k, name) VALUES (?, ?)', [args.k, 'refused'])
    throw new Refused('This call was asked to fail.')
  },
  wipeThings: async (sql: Sql): Promise<number> => {
    await sql.wipe()
    return sql.run('DELETE FROM things')
  },
  unclonable: (): Promise<() => void> => Promise.resolve(() => {}),
  die: (): Promise<never> => process.exit(1),
} satisfies OperationTable

export type ContractOperations = typeof operations
