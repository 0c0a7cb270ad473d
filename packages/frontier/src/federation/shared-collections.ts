/**
 * Collections that all stations of a federation gather together. Each has the same identity
 * everywhere. State and limits are changed at any station and sent to all: of two changes the one
 * with the higher version counts, of two with the same version that of the station whose id is
 * greater. Seeds only ever grow, so that the scope is the union of what all stations learnt.
 */
import { SEEDS_MAX, type CollectionSpec, type CollectionState } from '@minga/protocol'
import { isDeepStrictEqual } from 'node:util'
import type { Sql } from '@minga/store'
import { cancelQueued, parseSpec } from '../collections/collections.ts'
import { isRescope, sweepLater } from '../collections/scope-change/still-wanted.ts'
import { addSeeds } from '../queue/seeds.ts'
import { nextIds } from '../sequences.ts'
import type { CollectionPayload, LimitShare } from './entries.ts'
import { limitForeign, limitShare, type ForeignLimits } from './limit-foreign.ts'
import { Owners } from './owners.ts'
import { writeOutbox } from './outbox.ts'
import { partsOf } from './split-row.ts'

interface SharedRow {
  id: number
  identity: string
  spec: string
  /** As other stations have it, where this one allows less. */
  origin_spec: string | null
  state: CollectionState
  reason: string | null
  home: string | null
  version: number
  version_by: string | null
  shares: string | null
  federated: number
}

const COLUMNS =
  'id, identity, spec, origin_spec, state, reason, home, version, version_by, shares, federated'

const readShared = (sql: Sql, id: number): Promise<SharedRow | undefined> =>
  sql.get<SharedRow>(`SELECT ${COLUMNS} FROM collections WHERE id = ?`, [id])

export async function hasTrapBudget(sql: Sql, id: number): Promise<boolean> {
  const row = await readShared(sql, id)
  return row !== undefined && parseSpec(row.spec).trapBudget
}

/** After a collection was opened or opened again: at a station of a federation all take part in it. */
export async function shareCollection(sql: Sql, id: number): Promise<void> {
  const owners = await Owners.read(sql)
  const row = owners && (await readShared(sql, id))
  if (!owners || !row) return
  const spec = parseSpec(row.spec)
  if (spec.kind !== 'crawl') return
  const shares = sharesOf(spec, owners)
  const own = shares?.[owners.self] ?? NO_SHARE
  await sql.run(
    `UPDATE collections SET federated = 1, home = COALESCE(home, ?), shares = ?,
       pages_share = ?, bytes_share = ? WHERE id = ?`,
    [owners.self, shares && JSON.stringify(shares), own.pages, own.bytes, id],
  )
  await changeVersion(sql, owners, id)
  await tellCollection(sql, { id, stations: owners.others })
}

const NO_SHARE: LimitShare = { pages: null, bytes: null }

/** What is left over goes to the station where it was asked for: together never more than the limit. */
function sharesOf(spec: CollectionSpec, owners: Owners): Record<string, LimitShare> | null {
  const { maxPages, maxBytes } = spec
  if (maxPages === null && maxBytes === null) return null
  const n = Math.max(1, owners.active.length)
  const part = (limit: number | null, isHome: boolean): number | null =>
    limit === null ? null : Math.floor(limit / n) + (isHome ? limit % n : 0)
  return Object.fromEntries(
    owners.active.map((id) => {
      const isHome = id === owners.self
      return [id, { pages: part(maxPages, isHome), bytes: part(maxBytes, isHome) }]
    }),
  )
}

async function changeVersion(sql: Sql, owners: Owners, id: number): Promise<void> {
  await sql.run('UPDATE collections SET version = version + 1, version_by = ? WHERE id = ?', [
    owners.self,
    id,
  ])
}

/** Called after a user paused, resumed or cancelled it here. */
export async function tellState(sql: Sql, id: number): Promise<void> {
  const row = await readShared(sql, id)
  if (row?.federated !== 1) return
  const owners = await Owners.read(sql)
  if (!owners) return
  await changeVersion(sql, owners, id)
  await tellCollection(sql, { id, stations: owners.others })
}

/** After its scope grew here. */
export async function tellScope(sql: Sql, id: number): Promise<void> {
  const row = await readShared(sql, id)
  if (row?.federated !== 1) return
  const owners = await Owners.read(sql)
  if (owners) await tellCollection(sql, { id, stations: owners.others })
}

export async function tellCollection(
  sql: Sql,
  args: { id: number; stations: readonly string[] },
): Promise<void> {
  const row = await readShared(sql, args.id)
  if (!row) return
  const payloads = payloadsOf(row)
  await writeOutbox(
    sql,
    args.stations.flatMap((station) =>
      payloads.map((payload) => ({
        station,
        kind: 'collection',
        collectionId: args.id,
        entries: 1,
        payload,
      })),
    ),
  )
}

/** Seeds of one description, in characters of JSON: a batch describes all collections that it speaks of. */
const SEEDS_CHARS_MAX = 1_000_000

/**
 * A collection with many seeds is sent in several parts; a receiver forms the union of their seeds.
 */
function payloadsOf(row: SharedRow): CollectionPayload[] {
  const { identity, state, reason, home, version, version_by: versionBy } = row
  const shared = sharedSpec(row)
  const shares = row.shares === null ? null : (JSON.parse(row.shares) as Record<string, LimitShare>)
  return partsOf(shared.seeds, SEEDS_CHARS_MAX).map((seeds) => {
    const spec = JSON.stringify({ ...shared, seeds })
    return { identity, spec, state, reason, home, version, versionBy, shares }
  })
}

/** Seeds that were found here are everyone's; all else is as it was asked for. */
function sharedSpec({ spec, origin_spec: origin }: SharedRow): CollectionSpec {
  const own = parseSpec(spec)
  // A station refuses what has more seeds than a request may, and the whole batch with it.
  if (origin === null) return { ...own, seeds: own.seeds.slice(0, SEEDS_MAX) }
  const asked = parseSpec(origin)
  return { ...asked, seeds: addSeeds(asked.seeds, own.seeds) }
}

/**
 * As they are here: a batch brings those that it speaks of, for the first one may come from anyone.
 * Of many seeds it brings the first, and the others come with what `tellCollection` wrote.
 */
export async function describeCollections(
  sql: Sql,
  args: { identities: readonly string[] },
): Promise<CollectionPayload[]> {
  const found: CollectionPayload[] = []
  for (const identity of args.identities) {
    const row = await sql.get<SharedRow>(
      `SELECT ${COLUMNS} FROM collections WHERE identity = ? AND federated = 1`,
      [identity],
    )
    if (row) found.push(payloadsOf(row)[0]!)
  }
  return found
}

export interface Heard {
  id: number
  /** Whether anything of it changed here: what is remembered of its scope is old. */
  isChanged: boolean
  /** Why none of its URLs is queued here; null: they may be. */
  refusal: string | null
}

interface Telling {
  self: string
  told: CollectionPayload
  limits: ForeignLimits
  now: number
}

/** Takes in what another station says of a collection; one that is new here is opened. */
export async function hearCollection(sql: Sql, args: Telling): Promise<Heard> {
  const { told, limits } = args
  const row = await sql.get<SharedRow>(`SELECT ${COLUMNS} FROM collections WHERE identity = ?`, [
    told.identity,
  ])
  const asked = parseSpec(told.spec)
  const { spec, refusal } = limitForeign(asked, limits)
  if (!row) return { id: await openTold(sql, { ...args, spec }), isChanged: true, refusal }
  const own = parseSpec(row.spec)
  const seeds = addSeeds(own.seeds, asked.seeds)
  const isNewer =
    row.federated === 0 ||
    told.version > row.version ||
    (told.version === row.version && (told.versionBy ?? '') > (row.version_by ?? ''))
  if (!isNewer && isDeepStrictEqual(seeds, own.seeds)) {
    return { id: row.id, isChanged: false, refusal }
  }
  // A pause at another station does not change what was allowed here before.
  const isAsBefore = isDeepStrictEqual({ ...sharedSpec(row), seeds: [] }, { ...asked, seeds: [] })
  const taken = { ...(isAsBefore || !isNewer ? own : spec), seeds }
  if (isNewer) await takeChange(sql, { ...args, row, spec: taken, isAsBefore })
  else {
    await sql.run('UPDATE collections SET spec = ? WHERE id = ?', [JSON.stringify(taken), row.id])
  }
  return { id: row.id, isChanged: true, refusal }
}

async function openTold(
  sql: Sql,
  { self, told, limits, now, spec }: Telling & { spec: CollectionSpec },
): Promise<number> {
  const id = await nextIds(sql, 'collection')
  const { pagesMax: pages, bytesMax: bytes } = limits
  const share = limitShare(shareIn(told, self), { pages, bytes })
  await sql.run(
    `INSERT INTO collections (id, identity, spec, origin_spec, state, reason, created_at, ended_at,
       federated, home, version, version_by, shares, pages_share, bytes_share)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?)`,
    [
      id,
      told.identity,
      JSON.stringify(spec),
      told.spec,
      told.state,
      told.reason,
      now,
      isEnd(told.state) ? now : null,
      // A collection that is unknown here was not started here, whatever the message says.
      told.home === self ? null : told.home,
      told.version,
      told.versionBy,
      told.shares && JSON.stringify(told.shares),
      share.pages,
      share.bytes,
    ],
  )
  return id
}

/** Who came later has no share of a limit. */
function shareIn({ shares }: CollectionPayload, self: string): LimitShare {
  if (shares === null) return NO_SHARE
  const own = shares[self]
  if (own) return own
  const any = Object.values(shares)[0] ?? NO_SHARE
  return { pages: any.pages === null ? null : 0, bytes: any.bytes === null ? null : 0 }
}

const isEnd = (state: CollectionState): boolean => state === 'finished' || state === 'cancelled'

async function takeChange(
  sql: Sql,
  args: Telling & { row: SharedRow; spec: CollectionSpec; isAsBefore: boolean },
): Promise<void> {
  const { self, row, told, limits, now, spec, isAsBefore } = args
  const isOwn = row.home === self && isAsBefore
  const most = isOwn
    ? { pages: spec.maxPages, bytes: spec.maxBytes }
    : { pages: limits.pagesMax, bytes: limits.bytesMax }
  const share = limitShare(shareIn(told, self), told.shares === null && isOwn ? NO_SHARE : most)
  await sql.run(
    `UPDATE collections SET spec = ?, origin_spec = ?, state = ?, reason = ?, ended_at = ?, federated = 1,
       home = COALESCE(home, ?), version = ?, version_by = ?, shares = ?, pages_share = ?,
       bytes_share = ? WHERE id = ?`,
    [
      JSON.stringify(spec),
      isAsBefore ? row.origin_spec : told.spec,
      told.state,
      told.reason,
      isEnd(told.state) ? now : null,
      told.home,
      told.version,
      told.versionBy,
      told.shares && JSON.stringify(told.shares),
      share.pages,
      share.bytes,
      row.id,
    ],
  )
  if (isRescope(parseSpec(row.spec), spec)) await sweepLater(sql, row.id)
  if (told.state === 'cancelled') await cancelQueued(sql, row.id)
}
