/** Histories for tests of metrics: made from a seed, asked through a plain DuckDB, judged by loops over arrays. */
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'
import type { Ask } from '../../src/metrics/ask.ts'

export interface FixtureRevision {
  wiki: string
  pageId: number
  revId: number
  parentId: number | null
  at: number
  user: string | null
  userId: number | null
  editor: string
  isMinor: boolean
  size: number | null
  /** Any text: revisions with the same one have the same content. */
  sha1: string | null
  comment: string | null
  tags: string[]
}

export interface FixturePage {
  wiki: string
  pageId: number
  ns: number
  title: string
}

export const NOW = Date.parse('2026-03-01T12:00:00Z')

export function fixtureRevision(
  given: Partial<FixtureRevision> & { revId: number },
): FixtureRevision {
  return {
    wiki: 'w',
    pageId: 1,
    parentId: null,
    at: Date.parse('2020-01-01T00:00:00Z') + given.revId * 60_000,
    user: 'Ada',
    userId: 1,
    editor: 'registered',
    isMinor: false,
    size: 100,
    sha1: `text ${given.revId}`,
    comment: null,
    tags: [],
    ...given,
  }
}

export interface AskedHistory {
  ask: Ask
  close(): void
}

const REVISIONS = `CREATE TEMP TABLE kept (
  wiki VARCHAR, page_id BIGINT, rev_id BIGINT, parent_id BIGINT, "at" BIGINT, "user" VARCHAR, user_id BIGINT,
  editor VARCHAR, is_minor BOOLEAN, size BIGINT, sha1 BLOB, comment VARCHAR, tags VARCHAR[], hidden VARCHAR[])`

const REVISION_SHAPE = `[{"wiki":"VARCHAR","pageId":"BIGINT","revId":"BIGINT","parentId":"BIGINT","at":"BIGINT",
  "user":"VARCHAR","userId":"BIGINT","editor":"VARCHAR","isMinor":"BOOLEAN","size":"BIGINT","sha1":"VARCHAR",
  "comment":"VARCHAR","tags":["VARCHAR"]}]`

const PAGE_SHAPE = '[{"wiki":"VARCHAR","pageId":"BIGINT","ns":"INTEGER","title":"VARCHAR"}]'

/** Rows travel as one JSON text: quick, and every value stays a value. */
export async function askedHistory(
  revisions: readonly FixtureRevision[],
  pages: readonly FixturePage[] = [{ wiki: 'w', pageId: 1, ns: 0, title: 'Dungeon Siege' }],
): Promise<AskedHistory> {
  const { connection, ask } = await openAsk()
  await connection.run(REVISIONS)
  await connection.run(
    'CREATE TEMP TABLE pages (wiki VARCHAR, page_id BIGINT, ns INTEGER, title VARCHAR)',
  )
  await connection.run(
    `INSERT INTO kept SELECT * REPLACE (encode(sha1) AS sha1), []
     FROM (SELECT unnest(from_json($1, '${REVISION_SHAPE}'), recursive := true))`,
    [JSON.stringify(revisions)],
  )
  await connection.run(
    `INSERT INTO pages SELECT unnest(from_json($1, '${PAGE_SHAPE}'), recursive := true)`,
    [JSON.stringify(pages)],
  )
  await connection.run(
    'CREATE TEMP VIEW revisions AS SELECT kept.*, ns, title FROM kept LEFT JOIN pages USING (wiki, page_id)',
  )
  return { ask, close: () => connection.closeSync() }
}

/** One for all tests of a process: histories are temporary tables of their own connections. */
let instance: Promise<DuckDBInstance> | undefined

/** Two threads as on a small machine, and an answer that runs over its time is interrupted. */
export async function openAsk(): Promise<{ connection: DuckDBConnection; ask: Ask }> {
  instance ??= DuckDBInstance.create(':memory:', { threads: '2' })
  const connection = await (await instance).connect()
  const ask: Ask = async (statement, values, limits) => {
    const timer =
      limits === undefined ? undefined : setTimeout(() => connection.interrupt(), limits.timeMs)
    try {
      const read = await connection.runAndReadAll(statement, [...values])
      return read.getRowObjectsJS()
    } finally {
      clearTimeout(timer)
    }
  }
  return { connection, ask }
}
