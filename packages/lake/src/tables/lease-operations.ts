/**
 * Readers' and writers' leases. What a reader holds is not swept while its lease lasts; what a writer has written
 * is not swept while its lease lasts. Ids are chosen by their holders, so that taking one again does no harm.
 */
import type { Sql } from '@minga/store'
import { UnknownTable } from '../errors.ts'
import type { Manifest } from '../model.ts'
import { manifestOf, tablesNamed, type TableAt } from './table-rows.ts'

export interface HoldTables {
  reader: string
  /** `all`: every table as it is now, all at the same moment. */
  tables: readonly TableAt[] | 'all'
  until: number
  /** For people who wonder why old segments are still there. */
  who: string
}

/** In the order of `tables`. */
export async function holdTables(
  sql: Sql,
  { reader, tables, until, who }: HoldTables,
): Promise<Manifest[]> {
  const names = tables === 'all' ? tables : [...new Set(tables.map(({ table }) => table))]
  const found = await tablesNamed(sql, names, 'read')
  const asked = tables === 'all' ? found.map(({ name }) => ({ table: name })) : tables
  const manifests: Manifest[] = []
  for (const one of asked) {
    const table = found.find(({ name }) => name === one.table)
    if (table === undefined) throw UnknownTable.named(one.table)
    const manifest = await manifestOf(sql, table, one)
    manifests.push(manifest)
    await sql.insertMany({
      table: 'lake_readers',
      columns: ['reader', 'table_id', 'version', 'until', 'who'],
      rows: [[reader, table.id, manifest.version, until, who]],
      onConflict: { keys: ['reader', 'table_id', 'version'], update: ['until', 'who'] },
    })
  }
  // What it held before lasts as long: a lease is lost as a whole.
  await sql.run('UPDATE lake_readers SET until = ? WHERE reader = ?', [until, reader])
  return manifests
}

/**
 * Returns those whose lease is gone: what they held may be gone too. One that expired but was not
 * swept yet is valid again, because the sweep removes the lease first.
 */
export async function renewReaders(
  sql: Sql,
  { readers, until }: { readers: readonly string[]; until: number },
): Promise<string[]> {
  const lost: string[] = []
  for (const reader of readers.toSorted()) {
    const held = await sql.run('UPDATE lake_readers SET until = ? WHERE reader = ?', [
      until,
      reader,
    ])
    if (held === 0) lost.push(reader)
  }
  return lost
}

export async function releaseReader(sql: Sql, { reader }: { reader: string }): Promise<void> {
  await sql.run('DELETE FROM lake_readers WHERE reader = ?', [reader])
}

export async function beginWriter(
  sql: Sql,
  { writer, until }: { writer: string; until: number },
): Promise<void> {
  await sql.run('INSERT INTO lake_writers (writer, until) VALUES (?, ?)', [writer, until])
}

/** False when its lease is gone, and perhaps its files. */
export async function renewWriter(
  sql: Sql,
  { writer, until }: { writer: string; until: number },
): Promise<boolean> {
  return (
    (await sql.run('UPDATE lake_writers SET until = ? WHERE writer = ?', [until, writer])) === 1
  )
}

export async function endWriter(sql: Sql, { writer }: { writer: string }): Promise<void> {
  await sql.run('DELETE FROM lake_writers WHERE writer = ?', [writer])
}

export async function livingWriters(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ writer: string }>('SELECT writer FROM lake_writers')
  return rows.map(({ writer }) => writer)
}
