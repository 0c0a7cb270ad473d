/**
 * The captures table of a folder that no station serves, read without changing anything: opening
 * the store would cut files, migrate and write. A check must find a folder as it was left, also
 * when the store would refuse to open it.
 */
import type { CaptureDiff, CaptureRow, WatchView } from '@minga/protocol'
import {
  callsOn,
  SCHEMA_VERSION,
  StoreDamaged,
  StoreLocked,
  type OperationTable,
  type Row,
  type Sql,
} from '@minga/store'
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { diffCaptures, type DiffQuery } from './archive/compare/capture-diff.ts'
import {
  watchDiffOptions,
  type WatchDiffOptions,
  type WatchDiffQuery,
} from './archive/compare/watch-diff-options.ts'
import {
  readContent,
  type CaptureContent,
  type ContentQuery,
} from './archive/captures/capture-content.ts'
import {
  archiveFacts,
  captureContent,
  listCaptures,
  type ArchiveFacts,
  type CaptureQuery,
} from './archive/captures/captures.ts'
import { tombstoneOf, type TombstoneQuery } from './archive/takedown/takedown-rows.ts'
import { NoSuchWatch } from './station/errors.ts'
import { listWatches, type WatchQuery } from './watch/watch-rows.ts'

export interface ReadOnlyArchive {
  schemaVersion(): Promise<number | null>
  /** Whether something that was asked to be removed is still there. */
  hasOpenTakedowns(): Promise<boolean>
  facts(): Promise<ArchiveFacts>
  captures(query: CaptureQuery): Promise<CaptureRow[]>
  content(query: ContentQuery): Promise<CaptureContent>
  diff(query: DiffQuery): Promise<CaptureDiff>
  /** Newest first. */
  watches(query: WatchQuery): Promise<WatchView[]>
  close(): void
}

/**
 * The same for commands that only read: null also when a station must open the folder first, to bring
 * it up to date or to finish a takedown that was interrupted.
 */
export async function openCurrent(data: string): Promise<ReadOnlyArchive | null> {
  const archive = openReadOnly(data)
  if (archive === null) return null
  if (await isCurrent(archive).catch(() => false)) return archive
  archive.close()
  return null
}

async function isCurrent(archive: ReadOnlyArchive): Promise<boolean> {
  const version = await archive.schemaVersion()
  return version === SCHEMA_VERSION && !(await archive.hasOpenTakedowns())
}

/** Null when the folder has no SQLite database: it is new, or its state is in PostgreSQL. */
export function openReadOnly(data: string): ReadOnlyArchive | null {
  const file = join(data, 'minga.db')
  if (!existsSync(file)) return null
  const db = attempt(file, () => openDatabase(file))
  const known = attempt(file, () => understood(db))
  const sql: Pick<Sql, 'all' | 'get'> = {
    all: async <R>(text: string, params: Row = []) =>
      attempt(file, () => db.prepare(known(text)).all(...params) as R[]),
    get: async <R>(text: string, params: Row = []) =>
      attempt(file, () => db.prepare(known(text)).get(...params) as R | undefined),
  }
  const store = callsOn(sql as Sql, READING)
  return {
    schemaVersion: async () => {
      const text = 'SELECT max(version) AS version FROM schema_version'
      return (await sql.get<{ version: number | null }>(text))?.version ?? null
    },
    hasOpenTakedowns: async () =>
      (await sql.get(`SELECT 1 FROM takedowns WHERE state <> 'done'`)) !== undefined,
    facts: () => archiveFacts(sql as Sql),
    captures: (query) => listCaptures(sql as Sql, query),
    content: (query) => readContent({ store, data }, query),
    diff: (query) => diffCaptures({ store, data }, query),
    watches: (query) => listWatches(sql as Sql, query),
    close: () => db.close(),
  }
}

/** The captures of a folder that an older program left have no names of records. */
function understood(db: DatabaseSync): (sql: string) => string {
  const columns = db.prepare(`SELECT name FROM pragma_table_info('captures')`).all()
  if (columns.some(({ name }) => name === 'record_id')) return (sql) => sql
  return (sql) => sql.replaceAll(/\b(c\.)?record_id\b/g, 'NULL')
}

/** The operations that reading a capture needs. */
const READING = {
  captureContent,
  listCaptures,
  tombstoneOf: tombstoneIfAny,
  watchDiffOptions: diffOptionsIfWatching,
} satisfies OperationTable

/** A folder that an older program left may know nothing of watches. */
async function diffOptionsIfWatching(
  sql: Sql,
  query: WatchDiffQuery,
): Promise<WatchDiffOptions | null> {
  const table = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sketches'`
  if (await sql.get(table)) return watchDiffOptions(sql, query)
  if (query.watchId !== null) throw new NoSuchWatch(query.watchId)
  return null
}

/** Nor of what was taken down. */
async function tombstoneIfAny(sql: Sql, query: TombstoneQuery): ReturnType<typeof tombstoneOf> {
  const table = `SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'takedowns'`
  return (await sql.get(table)) ? tombstoneOf(sql, query) : null
}

/**
 * Without a journal no process is writing, and the file can be read as it is, even on a read-only
 * disk. With one (left by a crash, or in use) SQLite must read both and take its locks.
 */
function openDatabase(file: string): DatabaseSync {
  const journal = statSync(`${file}-wal`, { throwIfNoEntry: false })
  if (journal && journal.size > 0) return new DatabaseSync(file, { readOnly: true })
  const url = pathToFileURL(file)
  url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

function attempt<R>(file: string, work: () => R): R {
  try {
    return work()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    if (/locked|busy/.test(message)) throw StoreLocked.folder(join(file, '..'))
    throw StoreDamaged.because(file, message)
  }
}
