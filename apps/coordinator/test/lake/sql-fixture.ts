/**
 * A lake's folder with two tables in it, one of them hidden, and a service that answers on real
 * time.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { DuckDBInstance } from '@duckdb/node-api'
import { LakeFiles, selectOf, type Manifest } from '@minga/lake'
import { systemClock } from '@minga/protocol'
import { temporaryFolder } from '../../../../packages/store/test/contract-engines.ts'
import { answerSql, type SqlTaskAnswer } from '../../src/lake/sql/answer-sql.ts'
import { NOTHING_HIDDEN } from '../../src/accounts/visibility/limited-tables.ts'
import { ownRunner } from '../../src/lake/duckdb/runner.ts'
import {
  SqlService,
  type SeenTables,
  type SqlAsked,
  type SqlLimits,
} from '../../src/lake/sql/sql-service.ts'

export const ROWS = 1_000

const LIMITS: SqlLimits = {
  rowsMax: 100_000,
  bytesMax: 50_000_000,
  memoryMb: 256,
  timeoutMs: 20_000,
  atOnceMax: 4,
}

export interface SqlFixture {
  files: LakeFiles
  service: SqlService
  /** File of the table that is hidden from the caller. */
  hiddenFile: string
  /** How many holds are not released. */
  held: () => number
  ask: (sql: string, more?: Partial<SqlAsked>) => ReturnType<SqlService['ask']>
}

export async function openSql(limits: Partial<SqlLimits> = {}): Promise<SqlFixture> {
  const files = new LakeFiles(join(temporaryFolder(), 'lake'))
  mkdirSync(files.at('tables/seen'), { recursive: true })
  const hiddenFile = files.at('tables/seen/hidden.parquet')
  await write(files.at('tables/seen/1.parquet'), `range AS n, 'row ' || range AS word`)
  await write(hiddenFile, 'range AS secret')
  const closing = new AbortController()
  after(() => closing.abort())
  let ids = 0
  const newId = (): string => `question-${++ids}`
  const all = (): SqlLimits => ({ ...LIMITS, ...limits })
  const service = new SqlService({
    files,
    runner: ownRunner,
    clock: systemClock,
    limits: all,
    newId,
    closing: closing.signal,
  })
  const holds = { count: 0 }
  const hold = async (): Promise<SeenTables> => {
    holds.count++
    const release = async (): Promise<void> => void holds.count--
    const { signal } = new AbortController()
    return { manifests: [SEEN, EMPTY], hidden: NOTHING_HIDDEN, signal, release }
  }
  const usual = {
    owner: 'ana',
    format: 'json' as const,
    hold,
    signal: new AbortController().signal,
  }
  return {
    files,
    service,
    hiddenFile,
    held: () => holds.count,
    ask: (sql, more = {}) => service.ask({ ...usual, sql, ...more }),
  }
}

const SEEN: Manifest = {
  table: 'seen',
  version: 1,
  columns: [
    { name: 'n', type: 'BIGINT' },
    { name: 'word', type: 'VARCHAR' },
  ],
  segments: [{ file: 'tables/seen/1.parquet', rows: ROWS, bytes: 1 }],
}
const EMPTY: Manifest = {
  table: 'empty',
  version: 0,
  columns: [{ name: 'a', type: 'DATE' }],
  segments: [],
}

/** The same without a process of its own; this one stands in the lake's folder from then on. */
export async function answerHere({ files }: SqlFixture, sql: string): Promise<SqlTaskAnswer> {
  process.chdir(files.root)
  const work = 'sql/here'
  await files.makeFolder(work)
  const views = [SEEN, EMPTY].map((one) => ({
    name: one.table,
    select: selectOf(one, (file) => file),
  }))
  const paths = SEEN.segments.map(({ file }) => file)
  const task = { sql, format: 'csv' as const, views, files: paths, work, threads: 1, ...LIMITS }
  try {
    return await answerSql(task)
  } finally {
    await files.removeFolder(work)
  }
}

async function write(file: string, columns: string): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  await connection.run(`COPY (SELECT ${columns} FROM range(${ROWS})) TO '${file}' (FORMAT parquet)`)
  connection.closeSync()
  instance.closeSync()
}
