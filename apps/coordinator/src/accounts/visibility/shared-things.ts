/**
 * Tables and saved questions that are not a viewer's own and are theirs to read all the same: shared with all readers,
 * public, or shared with them by name.
 */
import type { Sharing, SharingChange } from '@minga/protocol'
import type { Sql, Value, OperationTable } from '@minga/store'
import { NoSuchSaved } from '../../station/errors.ts'
import { readersOf, replaceReaders, type Subject } from './sharing.ts'
import { accountOf, type Viewer } from './viewer.ts'

/** A condition on the rows of a table that its query calls `t`, with the kind by which readers know them. */
export function isSharedWith(
  kind: 'table' | 'query',
  viewer: Viewer,
): { sql: string; params: Value[] } {
  const which = viewer.isReader ? `t.visibility <> 'private'` : `t.visibility = 'public'`
  return {
    sql: `(${which} OR t.id IN (SELECT CAST(r.subject AS BIGINT) FROM readers r
      WHERE r.kind = '${kind}' AND r.account = ?))`,
    params: [accountOf(viewer)],
  }
}

/** Names of tables of others. */
async function sharedTables(sql: Sql, { viewer }: { viewer: Viewer }): Promise<string[]> {
  const shared = isSharedWith('table', viewer)
  const rows = await sql.all<{ name: string }>(
    `SELECT t.name FROM lake_tables t WHERE t.dropped_at IS NULL AND t.kind = 'own'
       AND ${shared.sql}`,
    shared.params,
  )
  return rows.map(({ name }) => name)
}

interface Owned extends Pick<Sharing, 'owner' | 'visibility'> {
  id: number
}

/** Whose it is was checked before. */
async function tableSharing(sql: Sql, { name }: { name: string }): Promise<Sharing> {
  const row = await sql.get<Owned>(
    'SELECT id, owner, visibility FROM lake_tables WHERE name = ? AND dropped_at IS NULL',
    [name],
  )
  return sharingOf(sql, 'table', row!)
}

async function shareTable(
  sql: Sql,
  { name, change }: { name: string; change: SharingChange },
): Promise<Sharing> {
  const { id } = (await sql.get<{ id: number }>(
    'SELECT id FROM lake_tables WHERE name = ? AND dropped_at IS NULL',
    [name],
  ))!
  if (change.visibility !== undefined) {
    await sql.run('UPDATE lake_tables SET visibility = ? WHERE id = ?', [change.visibility, id])
  }
  await nameReaders(sql, { kind: 'table', subject: String(id) }, change)
  return tableSharing(sql, { name })
}

interface OfSaved {
  id: number
  /** Whose they may decide about; null: everyone's. */
  owner: string | null
}

async function savedSharing(sql: Sql, { id, owner }: OfSaved): Promise<Sharing> {
  const text = 'SELECT id, owner, visibility FROM saved_queries WHERE id = ?'
  const row = await sql.get<Owned>(text, [id])
  if (row === undefined || (owner !== null && row.owner !== owner)) throw new NoSuchSaved(id)
  return sharingOf(sql, 'query', row)
}

async function shareSaved(
  sql: Sql,
  { change, ...which }: OfSaved & { change: SharingChange },
): Promise<Sharing> {
  const { visibility: former } = await savedSharing(sql, which)
  await sql.run('UPDATE saved_queries SET visibility = ? WHERE id = ?', [
    change.visibility ?? former,
    which.id,
  ])
  await nameReaders(sql, { kind: 'query', subject: String(which.id) }, change)
  return savedSharing(sql, which)
}

async function nameReaders(sql: Sql, subject: Subject, change: SharingChange): Promise<void> {
  const { sharedWith: names } = change
  if (names !== undefined) await replaceReaders(sql, { ...subject, names })
}

async function sharingOf(sql: Sql, kind: 'table' | 'query', row: Owned): Promise<Sharing> {
  const { id, owner, visibility } = row
  return { owner, visibility, sharedWith: await readersOf(sql, { kind, subject: String(id) }) }
}

export const sharedThingOperations = {
  savedSharing,
  sharedTables,
  shareSaved,
  shareTable,
  tableSharing,
} satisfies OperationTable
