/** Operations that make, fill, read and drop tables. Each is one transaction. */
import type { Sql } from '@minga/store'
import { TableTaken } from '../errors.ts'
import type { Column, Manifest, TableKind } from '../model.ts'
import {
  applySegments,
  makeTable,
  type ChangedTable,
  type SegmentChange,
} from './apply-segments.ts'
import { manifestOf, tableNamed, tablesNamed, type TableAt } from './table-rows.ts'
import { checkColumns, checkTableName, columnsAt } from './table-rules.ts'

export interface NewTable {
  name: string
  columns: readonly Column[]
  owner: string | null
  kind: TableKind
}

export async function createTable(
  sql: Sql,
  { name, columns, owner, kind, now }: NewTable & { now: number },
): Promise<ChangedTable> {
  checkTableName(name)
  checkColumns(columns)
  if ((await makeTable(sql, { name, owner, kind, now })) === null) throw TableTaken.named(name)
  const change: SegmentChange = { table: name, columns, add: [], why: 'made' }
  const [made] = await applySegments(sql, { now, changes: [change] })
  return made!
}

/** Adds segments, or replaces some by others. */
export async function changeSegments(
  sql: Sql,
  { now, ...change }: SegmentChange & { now: number },
): Promise<ChangedTable> {
  const [changed] = await applySegments(sql, { now, changes: [change] })
  return changed!
}

/**
 * The name is free at once. Readers keep what they hold; the rest goes with the next sweep, because
 * no one can name a version of it any more.
 */
export async function dropTable(
  sql: Sql,
  { table: name, now }: { table: string; now: number },
): Promise<void> {
  const table = await tableNamed(sql, name, 'change')
  await sql.run('UPDATE lake_tables SET dropped_at = ? WHERE id = ?', [now, table.id])
  await sql.run(
    'UPDATE lake_segments SET removed_in = ? WHERE table_id = ? AND removed_in IS NULL',
    [table.version + 1, table.id],
  )
  await sql.run('UPDATE lake_versions SET ended_at = ? WHERE table_id = ? AND version = ?', [
    now,
    table.id,
    table.version,
  ])
}

export interface TableView {
  name: string
  owner: string | null
  kind: TableKind
  columns: Column[]
  version: number
  segments: number
  rows: number
  bytes: number
  madeAt: number
  changedAt: number
}

/** By name; all of them, or one if it is there. */
export async function listTables(
  sql: Sql,
  { table }: { table?: string } = {},
): Promise<TableView[]> {
  const tables = await tablesNamed(sql, table === undefined ? 'all' : [table], 'read')
  const versions = await sql.selectMany<VersionRow>({
    table: 'lake_versions',
    keys: ['table_id', 'version'],
    rows: tables.map(({ id, version }) => [id, version]),
    columns: ['at', 'segments', 'row_count', 'bytes'],
  })
  const views = tables.map((row, index) => {
    const { name, owner, kind, version, madeAt } = row
    const { at, segments, row_count: rows, bytes } = versions[index]!
    const columns = columnsAt(row.columns, version)
    return { name, owner, kind, columns, version, segments, rows, bytes, madeAt, changedAt: at }
  })
  return views.toSorted((a, b) => (a.name < b.name ? -1 : 1))
}

interface VersionRow {
  at: number
  segments: number
  row_count: number
  bytes: number
}

/** A state of a table that can still be read. */
export interface VersionView {
  version: number
  at: number
  why: string
  segments: number
  rows: number
  bytes: number
}

/** Newest first; `before`: the lowest version that was given already. */
export async function listVersions(
  sql: Sql,
  { table: name, before, most }: { table: string; before?: number; most: number },
): Promise<VersionView[]> {
  const table = await tableNamed(sql, name, 'read')
  return sql.all(
    `SELECT version, at, why, segments, row_count AS "rows", bytes FROM lake_versions
     WHERE table_id = ? AND version < ? ORDER BY version DESC LIMIT ?`,
    [table.id, before ?? table.version + 1, most],
  )
}

export async function readManifest(sql: Sql, asked: TableAt): Promise<Manifest> {
  return manifestOf(sql, await tableNamed(sql, asked.table, 'read'), asked)
}
