/**
 * What may go: versions that are too old, segments that no version sees, files that no writer can
 * commit.
 */
import type { Sql } from '@minga/store'
import { livingWriters } from './lease-operations.ts'
import { lockOf, tableNamed } from './table-rows.ts'

/** Dropped ones included. */
export async function sweepableTables(sql: Sql): Promise<number[]> {
  const rows = await sql.all<{ id: number }>('SELECT id FROM lake_tables ORDER BY id')
  return rows.map(({ id }) => id)
}

export interface SweepTable {
  tableId: number
  now: number
  /** How long a version can be read after the next one came. */
  retentionMs: number
  most: number
}

/**
 * Deletes versions of a table that are neither current, nor young enough, nor held, and returns the
 * files of segments that no version sees now. They can never become visible again, as a removed
 * segment does not come back: the files may be removed at any time after the commit, and their rows
 * after that.
 */
export async function sweepTable(sql: Sql, asked: SweepTable): Promise<string[]> {
  const { tableId, now, retentionMs, most } = asked
  // A reader that takes a lease in the meantime waits, and then finds the version gone.
  const table = await sql.get<{ dropped_at: number | null }>(
    `SELECT dropped_at FROM lake_tables WHERE id = ?${lockOf(sql, 'sweep')}`,
    [tableId],
  )
  if (table === undefined) return []
  const isDropped = table.dropped_at !== null
  // Of all tables at once: a reader loses all that it holds, or nothing.
  await sql.run('DELETE FROM lake_readers WHERE until <= ?', [now])
  await sql.run(
    `DELETE FROM lake_versions WHERE table_id = ? AND ended_at <= ? AND NOT EXISTS
       (SELECT 1 FROM lake_readers r
        WHERE r.table_id = lake_versions.table_id AND r.version = lake_versions.version)`,
    [tableId, isDropped ? now : now - retentionMs],
  )
  const gone = await sql.all<{ file: string }>(
    `SELECT s.file FROM lake_segments s WHERE s.table_id = ? AND s.removed_in IS NOT NULL AND NOT EXISTS
       (SELECT 1 FROM lake_versions v WHERE v.table_id = s.table_id
        AND v.version >= s.added_in AND v.version < s.removed_in)
     ORDER BY s.file LIMIT ?`,
    [tableId, most],
  )
  if (isDropped && gone.length === 0) await forgetTable(sql, tableId)
  return gone.map(({ file }) => file)
}

/**
 * Deletes all versions but the current one, even if they are held, and returns the table's id: a
 * takedown must not leave anything in an old version either. Readers lose what they hold.
 */
export async function forgetVersions(sql: Sql, { table }: { table: string }): Promise<number> {
  const { id, version } = await tableNamed(sql, table, 'sweep')
  for (const rows of ['lake_readers', 'lake_versions']) {
    await sql.run(`DELETE FROM ${rows} WHERE table_id = ? AND version < ?`, [id, version])
  }
  return id
}

/** A dropped table of which nothing is left. */
async function forgetTable(sql: Sql, tableId: number): Promise<void> {
  await sql.run(
    `DELETE FROM lake_tables WHERE id = ?
     AND NOT EXISTS (SELECT 1 FROM lake_segments WHERE table_id = lake_tables.id)
     AND NOT EXISTS (SELECT 1 FROM lake_versions WHERE table_id = lake_tables.id)`,
    [tableId],
  )
}

/** After their files are gone. */
export async function forgetSegments(
  sql: Sql,
  { files }: { files: readonly string[] },
): Promise<void> {
  const rows = files.map((file) => [file])
  await sql.deleteMany({ table: 'lake_segments', keys: ['file'], rows })
}

export interface FoundFile {
  file: string
  writer: string
}

/**
 * Of files that were found in the folder, those that no segment names and whose writer has no
 * lease. Call it after the folder was listed: the writer of a listed file had its lease before.
 */
export async function strayFiles(
  sql: Sql,
  { found, now }: { found: readonly FoundFile[]; now: number },
): Promise<string[]> {
  // First, so that a writer that stood still cannot commit what is removed below.
  await sql.run('DELETE FROM lake_writers WHERE until <= ?', [now])
  const living = new Set(await livingWriters(sql))
  const segments = await sql.selectMany({
    table: 'lake_segments',
    keys: ['file'],
    rows: found.map(({ file }) => [file]),
    columns: ['file'],
  })
  return found
    .filter(({ writer }, index) => !living.has(writer) && segments[index] === undefined)
    .map(({ file }) => file)
}
