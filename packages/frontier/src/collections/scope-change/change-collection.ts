/**
 * Changes a collection while it runs, and takes changes back.
 *
 * Limits and delay hold from the next block on. A new scope holds at once for whatever is found from now on; what is
 * queued already is gone through in steps (`sweepScopes`), and looked at before it goes out besides. So from the
 * commit of the change on nothing that is out of scope is given to an agent.
 */
import { isDeepStrictEqual } from 'node:util'
import { checkPatterns } from '@minga/net'
import {
  type CollectionChange,
  type CollectionSpec,
  type CollectionTrailView,
  storedCollectionSpec,
} from '@minga/protocol'
import { noteStationEvents, type Sql } from '@minga/store'
import { parseSpec } from '../collections.ts'
import {
  FixedCollection,
  ForeignCollection,
  NoSuchCollection,
  NothingToTakeBack,
} from '../../errors.ts'
import { shareCollection } from '../../federation/shared-collections.ts'
import { forUpdate } from '../../row-locks.ts'
import { compareSpecs } from './compare-specs.ts'
import { isRescope, sweepLater } from './still-wanted.ts'

interface Changer {
  id: number
  /** Whose collections may be changed; null: everyone's. */
  owner: string | null
  by: string
  now: number
}

interface ChangedRow {
  id: number
  spec: string
  owner: string | null
  federated: number
}

/** Answers whether anything is different now. */
export async function changeCollection(
  sql: Sql,
  args: Changer & { change: CollectionChange },
): Promise<boolean> {
  const row = await rowToChange(sql, args)
  const { addExclude = [], ...set } = args.change
  const former = parseSpec(row.spec)
  const exclude = [...new Set([...(set.exclude ?? former.exclude), ...addExclude])]
  const spec = storedCollectionSpec.parse({ ...former, ...set, exclude })
  const { before, after } = compareSpecs(former, spec)
  if (Object.keys(after).length === 0) return false
  await writeSpec(sql, row, spec)
  await sql.insertMany({
    table: 'collection_trail',
    columns: ['collection_id', 'at', 'by_account', 'before_json', 'after_json'],
    rows: [[row.id, args.now, args.by, JSON.stringify(before), JSON.stringify(after)]],
  })
  await noteChange(sql, { ...args, what: 'changed', fields: Object.keys(after) })
  return true
}

/** Takes back the newest change that still holds; called again, the one before it. */
export async function undoCollection(sql: Sql, args: Changer): Promise<void> {
  const row = await rowToChange(sql, args)
  const last = await sql.get<{ id: number; before_json: string }>(
    `SELECT id, before_json FROM collection_trail
     WHERE collection_id = ? AND undone_at IS NULL ORDER BY id DESC LIMIT 1`,
    [row.id],
  )
  if (!last) throw new NothingToTakeBack(row.id)
  const before = JSON.parse(last.before_json) as Partial<CollectionSpec>
  await writeSpec(sql, row, { ...parseSpec(row.spec), ...before })
  await sql.run('UPDATE collection_trail SET undone_at = ?, undone_by = ? WHERE id = ?', [
    args.now,
    args.by,
    last.id,
  ])
  await noteChange(sql, { ...args, what: 'change undone', fields: Object.keys(before) })
}

async function rowToChange(sql: Sql, { id, owner }: Changer): Promise<ChangedRow> {
  // Operations that find, lease or end URLs hold this row, too: one scope holds for each of them.
  const row = await sql.get<ChangedRow>(
    `SELECT id, spec, owner, federated FROM collections WHERE id = ?${forUpdate(sql)}`,
    [id],
  )
  if (!row) throw new NoSuchCollection(id)
  if (owner !== null && row.owner !== owner) throw new ForeignCollection(id)
  if (parseSpec(row.spec).kind !== 'crawl') throw new FixedCollection(id)
  return row
}

async function writeSpec(sql: Sql, row: ChangedRow, spec: CollectionSpec): Promise<void> {
  // A pattern that cannot be read is refused here, before anything depends on it. Those that stay as
  // they are may be from before there were limits.
  const { include, exclude } = parseSpec(row.spec)
  if (!isDeepStrictEqual([include, exclude], [spec.include, spec.exclude])) checkPatterns(spec)
  // What was asked for elsewhere gives way to what a user of this station wants.
  await sql.run('UPDATE collections SET spec = ?, origin_spec = NULL WHERE id = ?', [
    JSON.stringify(spec),
    row.id,
  ])
  if (isRescope(parseSpec(row.spec), spec)) await sweepLater(sql, row.id)
  if (row.federated === 1) await shareCollection(sql, row.id)
}

async function noteChange(
  sql: Sql,
  { id, now, what, fields }: Changer & { what: string; fields: readonly string[] },
): Promise<void> {
  const event = { at: now, kind: `collection:${what}`, subject: String(id) }
  await noteStationEvents(sql, [{ ...event, detail: fields.join(' ') }])
}

interface TrailRow extends Omit<CollectionTrailView, 'before' | 'after'> {
  before: string
  after: string
}

/** Newest first. */
export async function collectionTrail(
  sql: Sql,
  args: { id: number; limit: number },
): Promise<CollectionTrailView[]> {
  const rows = await sql.all<TrailRow>(
    `SELECT id, at, by_account AS "by", before_json AS before, after_json AS after,
       undone_at AS "undoneAt", undone_by AS "undoneBy"
     FROM collection_trail WHERE collection_id = ? ORDER BY id DESC LIMIT ?`,
    [args.id, args.limit],
  )
  return rows.map((row) => ({
    ...row,
    before: JSON.parse(row.before) as Record<string, unknown>,
    after: JSON.parse(row.after) as Record<string, unknown>,
  }))
}
