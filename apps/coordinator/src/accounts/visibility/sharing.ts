/** Who may read a thing, as its owner sets it: what is kept of that in the store. */
import { nameKey, NoSuchAccount } from '@minga/fleet'
import { batchStatus, ForeignCollection, NoSuchCollection } from '@minga/frontier'
import type { Sharing, SharingChange } from '@minga/protocol'
import type { Sql, OperationTable } from '@minga/store'
import { findWiki } from '@minga/wiki'
import { ForeignWiki } from '../../station/errors.ts'
import { listHidden } from './limited-sql.ts'
import type { Viewer } from './viewer.ts'

export type SharedKind = 'collection' | 'batch' | 'wiki' | 'table' | 'query'

export interface Subject {
  kind: SharedKind
  /** Its number or name, as text. */
  subject: string
}

/** Accounts by name, as people know them. */
export async function readersOf(sql: Sql, { kind, subject }: Subject): Promise<string[]> {
  const rows = await sql.all<{ name: string }>(
    `SELECT a.name FROM readers r JOIN accounts a ON a.id = r.account
     WHERE r.kind = ? AND r.subject = ? ORDER BY a.name_key`,
    [kind, subject],
  )
  return rows.map(({ name }) => name)
}

export async function replaceReaders(
  sql: Sql,
  { kind, subject, names }: Subject & { names: readonly string[] },
): Promise<void> {
  const accounts: string[] = []
  for (const name of names) {
    const found = await sql.get<{ id: string }>('SELECT id FROM accounts WHERE name_key = ?', [
      nameKey(name.trim()),
    ])
    if (found === undefined) throw new NoSuchAccount(name)
    accounts.push(found.id)
  }
  await sql.run('DELETE FROM readers WHERE kind = ? AND subject = ?', [kind, subject])
  await sql.insertMany({
    table: 'readers',
    columns: ['kind', 'subject', 'account'],
    rows: accounts.map((account) => [kind, subject, account]),
    onConflict: 'ignore',
  })
}

interface OwnedCollection {
  owner: string | null
  visibility: Sharing['visibility']
}

interface OfCollection {
  id: number
  /** Whose collections they may decide about; null: everyone's. */
  owner: string | null
}

async function ownCollection(sql: Sql, { id, owner }: OfCollection): Promise<OwnedCollection> {
  const row = await sql.get<OwnedCollection>(
    'SELECT owner, visibility FROM collections WHERE id = ?',
    [id],
  )
  if (row === undefined) throw new NoSuchCollection(id)
  if (owner !== null && row.owner !== owner) throw new ForeignCollection(id)
  return row
}

async function collectionSharing(sql: Sql, args: OfCollection): Promise<Sharing> {
  const { owner, visibility } = await ownCollection(sql, args)
  const sharedWith = await readersOf(sql, { kind: 'collection', subject: String(args.id) })
  return { owner, visibility, sharedWith }
}

async function shareCollectionWith(
  sql: Sql,
  { change, ...args }: OfCollection & { change: SharingChange },
): Promise<Sharing> {
  const { visibility } = await ownCollection(sql, args)
  const { id } = args
  await sql.run('UPDATE collections SET visibility = ? WHERE id = ?', [
    change.visibility ?? visibility,
    id,
  ])
  if (change.sharedWith !== undefined) {
    const subject = { kind: 'collection', subject: String(id) } as const
    await replaceReaders(sql, { ...subject, names: change.sharedWith })
  }
  return collectionSharing(sql, args)
}

interface OfWiki {
  wiki: string
  /** Whose wikis they may decide about; null: everyone's. */
  owner: string | null
}

async function ownWiki(
  sql: Sql,
  { wiki, owner }: OfWiki,
): Promise<OwnedCollection & { id: number }> {
  const { wikiId: id, key } = await findWiki(sql, { wiki })
  const row = await sql.get<OwnedCollection>('SELECT owner, visibility FROM wikis WHERE id = ?', [
    id,
  ])
  if (owner !== null && row!.owner !== owner) throw new ForeignWiki(key)
  return { ...row!, id }
}

async function wikiSharing(sql: Sql, args: OfWiki): Promise<Sharing> {
  const { id, owner, visibility } = await ownWiki(sql, args)
  return {
    owner,
    visibility,
    sharedWith: await readersOf(sql, { kind: 'wiki', subject: String(id) }),
  }
}

/** With what its tasks brought. */
async function shareWikiWith(
  sql: Sql,
  { change, ...args }: OfWiki & { change: SharingChange },
): Promise<Sharing> {
  const { id, visibility: former } = await ownWiki(sql, args)
  const { visibility = former, sharedWith: names } = change
  await sql.run('UPDATE wikis SET visibility = ? WHERE id = ?', [visibility, id])
  if (names !== undefined) {
    await replaceReaders(sql, { kind: 'wiki', subject: String(id), names })
  }
  return wikiSharing(sql, args)
}

interface OfBatch {
  id: string
  /** Whose batches they may decide about. */
  client: string
}

async function batchSharing(sql: Sql, args: OfBatch): Promise<Sharing> {
  const { client: owner, id } = await batchStatus(sql, { ...args, isOwn: true })
  const sharedWith = await readersOf(sql, { kind: 'batch', subject: id })
  return { owner, visibility: 'private', sharedWith }
}

async function shareBatchWith(
  sql: Sql,
  { sharedWith: names, ...args }: OfBatch & { sharedWith: readonly string[] },
): Promise<Sharing> {
  const { id } = await batchStatus(sql, { ...args, isOwn: true })
  await replaceReaders(sql, { kind: 'batch', subject: id, names })
  return batchSharing(sql, args)
}

async function isHidden(
  sql: Sql,
  { viewer, id }: { viewer: Viewer; id: number },
): Promise<boolean> {
  return (await listHidden(sql, viewer, id)).length > 0
}

/** Whether there is anything for those whom the station does not know. */
async function hasPublic(sql: Sql): Promise<boolean> {
  for (const table of ['collections', 'lake_tables', 'saved_queries']) {
    const text = `SELECT 1 FROM ${table} WHERE visibility = 'public' LIMIT 1`
    if ((await sql.get(text)) !== undefined) return true
  }
  return false
}

/** For those who see everything; a viewer's own answer is given by `readAs`. */
async function hiddenCollections(): Promise<number[]> {
  return []
}

async function hiddenWikis(): Promise<string[]> {
  return []
}

export const sharingOperations = {
  batchSharing,
  collectionSharing,
  hasPublic,
  hiddenCollections,
  hiddenWikis,
  isHidden,
  shareBatchWith,
  shareCollectionWith,
  shareWikiWith,
  wikiSharing,
} satisfies OperationTable
