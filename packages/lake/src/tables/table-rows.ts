/** Rows of tables and versions as the operations of the store read them. */
import type { Sql } from '@minga/store'
import { UnknownTable, VersionGone } from '../errors.ts'
import type { Manifest, Segment, TableKind } from '../model.ts'
import { columnsAt, type KeptColumn } from './table-rules.ts'

export interface TableRow {
  id: number
  name: string
  owner: string | null
  kind: TableKind
  columns: KeptColumn[]
  version: number
  places: number
  madeAt: number
}

/** A table at a version, or at a moment; without both as it is now. */
export interface TableAt {
  table: string
  version?: number
  at?: number
}

const TABLE = `id, name, owner, kind, columns, version, places, made_at AS "madeAt"`

/**
 * What a transaction keeps others from doing with the tables it reads, until it commits. On PostgreSQL:
 * `change` waits for other changes; `read` only keeps the sweep away, which may take a version's segments.
 */
type TableLock = 'change' | 'read' | 'sweep'

const LOCKS: Readonly<Record<TableLock, string>> = {
  change: ' FOR NO KEY UPDATE',
  read: ' FOR KEY SHARE',
  sweep: ' FOR UPDATE',
}

export const lockOf = (sql: Sql, lock: TableLock): string =>
  sql.dialect === 'postgres' ? LOCKS[lock] : ''

/**
 * In one order for everyone, so that two do not wait for each other. Those that are not there are
 * left out.
 */
export async function tablesNamed(
  sql: Sql,
  names: readonly string[] | 'all',
  lock: TableLock,
): Promise<TableRow[]> {
  if (names.length === 0) return []
  const which = names === 'all' ? '' : ` AND name IN (${marksFor(names)})`
  const named = `FROM lake_tables WHERE dropped_at IS NULL${which} ORDER BY id${lockOf(sql, lock)}`
  const values = names === 'all' ? [] : names
  if (sql.dialect !== 'postgres' || lock !== 'read') {
    return (await sql.all<StoredTable>(`SELECT ${TABLE} ${named}`, values)).map(toTable)
  }
  // FOR KEY SHARE may answer with a row as it was before the latest change, whose version may have been swept
  // before we had the lock. What is read after it is the latest, and no sweep takes that from us.
  const ids = (await sql.all<{ id: number }>(`SELECT id ${named}`, values)).map(({ id }) => id)
  if (ids.length === 0) return []
  const locked = `FROM lake_tables WHERE dropped_at IS NULL AND id IN (${marksFor(ids)}) ORDER BY id`
  return (await sql.all<StoredTable>(`SELECT ${TABLE} ${locked}`, ids)).map(toTable)
}

type StoredTable = Omit<TableRow, 'columns'> & { columns: string }

const toTable = (row: StoredTable): TableRow => ({
  ...row,
  columns: JSON.parse(row.columns) as KeptColumn[],
})

const marksFor = (values: readonly unknown[]): string => values.map(() => '?').join(', ')

export async function tableNamed(sql: Sql, name: string, lock: TableLock): Promise<TableRow> {
  const [table] = await tablesNamed(sql, [name], lock)
  if (table === undefined) throw UnknownTable.named(name)
  return table
}

/** The version that is meant, if it can still be read. */
async function versionMeant(sql: Sql, table: TableRow, asked: TableAt): Promise<number> {
  if (asked.version !== undefined) {
    const row = await sql.get(
      'SELECT version FROM lake_versions WHERE table_id = ? AND version = ?',
      [table.id, asked.version],
    )
    if (row === undefined) throw VersionGone.of(table.name, `version ${asked.version}`)
    return asked.version
  }
  if (asked.at === undefined) return table.version
  const row = await sql.get<{ version: number; endedAt: number | null }>(
    `SELECT version, ended_at AS "endedAt" FROM lake_versions WHERE table_id = ? AND at <= ?
     ORDER BY version DESC LIMIT 1`,
    [table.id, asked.at],
  )
  // The version of that moment may be gone while an earlier one is still held by a reader.
  if (row === undefined || (row.endedAt !== null && row.endedAt <= asked.at)) {
    throw VersionGone.of(table.name, new Date(asked.at).toISOString())
  }
  return row.version
}

/** The caller has locked the table, so that no segment of the version goes in the meantime. */
export async function manifestOf(sql: Sql, table: TableRow, asked: TableAt): Promise<Manifest> {
  const version = await versionMeant(sql, table, asked)
  const segments = await sql.all<Segment>(
    `SELECT file, row_count AS "rows", bytes FROM lake_segments
     WHERE table_id = ? AND added_in <= ? AND (removed_in IS NULL OR removed_in > ?)
     ORDER BY place, file`,
    [table.id, version, version],
  )
  return { table: table.name, version, columns: columnsAt(table.columns, version), segments }
}
