/** Collections: opened or continued by identity, paused, resumed, cancelled, and finished. */
import {
  collectionSpec,
  type CollectionCounts,
  type CollectionSpec,
  type CollectionState,
  type CollectionStatus,
} from '@minga/protocol'
import { logEvents, noteStationEvents, type Sql, type Value } from '@minga/store'
import {
  ForeignCollection,
  NoSuchCollection,
  SharedCollection,
  WatchedCollection,
} from './errors.ts'
import { FILTERED } from './filters/read-filter.ts'
import { lockFilters, recallUnwanted } from './filters/recall.ts'
import { forUpdate } from './row-locks.ts'
import { isRescope, sweepLater } from './scope-change/still-wanted.ts'
import { nextIds } from './sequences.ts'

interface CollectionRow extends CollectionCounts {
  id: number
  owner: string | null
  state: CollectionState
  reason: string | null
  spec: string
  created_at: number
  ended_at: number | null
  active_ms: number
  most_found: number
  /** This station's part of the limits, when several stations gather it. */
  pages_share: number | null
  bytes_share: number | null
  rescoped: number
}

/** What a lease needs to know of a running collection. */
export interface Running {
  id: number
  spec: CollectionSpec
  pages: number
  bytes: number
  leased: number
  activeMs: number
  /** URLs of the host of which most are known. */
  mostFound: number
  /** Its scope was changed since it began. */
  isRescoped: boolean
}

/**
 * The same seeds and scope are the same collection: opening it again continues it, with the
 * newest limits, delay and filter. A finished or cancelled one runs again when work is left.
 */
export async function openCollection(
  sql: Sql,
  args: {
    identity: string
    spec: CollectionSpec
    now: number
    allowPrivateAddresses: boolean
    owner?: string | null
  },
): Promise<OpenedCollection> {
  const { owner = null } = args
  const old = await sql.get<{ id: number; spec: string }>(
    'SELECT id, spec FROM collections WHERE identity = ?',
    [args.identity],
  )
  if (old) {
    const former = parseSpec(old.spec)
    const isFilterNew = JSON.stringify(former.filter) !== JSON.stringify(args.spec.filter)
    if (isFilterNew) await lockFilters(sql)
    // Seeds adopted from redirects stay in the scope.
    const seeds = [...new Set([...args.spec.seeds, ...former.seeds])]
    await sql.run(
      `UPDATE collections SET spec = ?, owner = COALESCE(owner, ?), state = 'running', reason = NULL,
         ended_at = NULL WHERE id = ?`,
      [JSON.stringify({ ...args.spec, seeds }), owner, old.id],
    )
    // Somebody narrowed or widened it since; asked for again it is as it is asked for.
    if (isRescope(former, args.spec)) await sweepLater(sql, old.id)
    // Whoever allows private addresses now means those that were refused before, too.
    if (args.allowPrivateAddresses) await reconsider(sql, old.id, 'MINGA_ADDRESS_REFUSED')
    if (!isFilterNew) return { id: old.id, isNew: false, recalled: [] }
    await reconsider(sql, old.id, FILTERED)
    const recall = { station: null, collectionId: old.id, now: args.now }
    return { id: old.id, isNew: false, recalled: await recallUnwanted(sql, recall) }
  }
  const id = await nextIds(sql, 'collection')
  await sql.run(
    `INSERT INTO collections (id, identity, owner, spec, state, created_at)
     VALUES (?, ?, ?, ?, 'running', ?)`,
    [id, args.identity, owner, JSON.stringify(args.spec), args.now],
  )
  await noteState(sql, { id, kind: args.spec.kind, what: 'opened', why: null, now: args.now })
  return { id, isNew: true, recalled: [] }
}

export interface OpenedCollection {
  id: number
  isNew: boolean
  /** Boots that lost what another filter does not want. */
  recalled: string[]
}

/** What was denied by this code is queued again: it may be judged differently now. */
async function reconsider(sql: Sql, id: number, code: string): Promise<void> {
  const hosts = await sql.all<{ host_id: number; count: number }>(
    `SELECT host_id, COUNT(*) AS count FROM urls
     WHERE collection_id = ? AND outcome = 'denied' AND code = ? GROUP BY host_id`,
    [id, code],
  )
  if (hosts.length === 0) return
  await sql.run(
    `UPDATE urls SET outcome = NULL, code = NULL
     WHERE collection_id = ? AND outcome = 'denied' AND code = ?`,
    [id, code],
  )
  let total = 0
  for (const { host_id, count } of hosts) {
    total += count
    await sql.run(
      'UPDATE collection_hosts SET queued = queued + ? WHERE collection_id = ? AND host_id = ?',
      [count, id, host_id],
    )
  }
  await sql.run('UPDATE collections SET queued = queued + ?, denied = denied - ? WHERE id = ?', [
    total,
    total,
    id,
  ])
  await sql.run('DELETE FROM collection_errors WHERE collection_id = ? AND code = ?', [id, code])
}

/** A seed's redirect is what the collector meant: its target becomes a seed too. */
export async function adoptSeeds(
  sql: Sql,
  args: { collectionId: number; seeds: string[] },
): Promise<void> {
  const row = await sql.get<{ spec: string }>('SELECT spec FROM collections WHERE id = ?', [
    args.collectionId,
  ])
  if (!row) return
  const spec = parseSpec(row.spec)
  const seeds = [...new Set([...spec.seeds, ...args.seeds])]
  await sql.run('UPDATE collections SET spec = ? WHERE id = ?', [
    JSON.stringify({ ...spec, seeds }),
    args.collectionId,
  ])
}

const RUNNING_COLUMNS =
  'id, spec, pages, bytes, leased, active_ms, most_found, pages_share, bytes_share, rescoped'

/** Running collections, the longest unserved first. */
export async function runningCollections(sql: Sql): Promise<Running[]> {
  const rows = await sql.all<CollectionRow>(
    `SELECT ${RUNNING_COLUMNS} FROM collections WHERE state = 'running' ORDER BY leased_at, id`,
  )
  return rows.map(asRunning)
}

/**
 * A collection with a limit of pages is leased by one operation at a time: two that ask together
 * would both count what is left, and go over the limit together.
 */
export async function lockLimited(sql: Sql, collection: Running): Promise<Running> {
  if (collection.spec.maxPages === null) return collection
  return (await runningById(sql, collection.id, forUpdate(sql))) ?? collection
}

export async function runningById(sql: Sql, id: number, lock = ''): Promise<Running | null> {
  const row = await sql.get<CollectionRow>(
    `SELECT ${RUNNING_COLUMNS} FROM collections WHERE id = ?${lock}`,
    [id],
  )
  return row ? asRunning(row) : null
}

export async function setCollectionState(
  sql: Sql,
  args: {
    id: number
    state: CollectionState
    reason: string | null
    now: number
    /** Whose collections may be changed; null: everybody's. */
    owner?: string | null
  },
): Promise<void> {
  if (args.owner != null) await requireOwner(sql, args.id, args.owner)
  const isEnd = args.state === 'finished' || args.state === 'cancelled'
  if (isEnd) await refuseToEnd(sql, args.id, args.state)
  const ended = isEnd ? args.now : null
  const changed = await sql.run(
    'UPDATE collections SET state = ?, reason = ?, ended_at = ? WHERE id = ?',
    [args.state, args.reason, ended, args.id],
  )
  if (changed === 0) throw new NoSuchCollection(args.id)
  if (args.state === 'cancelled') await cancelQueued(sql, args.id)
  const { kind } = (await specOf(sql, args.id))!
  const what = args.state === 'running' ? 'resumed' : args.state
  await noteState(sql, { id: args.id, kind, what, why: args.reason, now: args.now })
}

interface NotedState {
  id: number
  kind: CollectionSpec['kind']
  what: 'opened' | 'resumed' | Exclude<CollectionState, 'running'>
  why: string | null
  now: number
}

/** Of what somebody started: a watch rests and wakes many times a day, of its own accord. */
async function noteState(sql: Sql, { id, kind, what, why, now }: NotedState): Promise<void> {
  if (kind === 'watch' || isOfStation(kind)) return
  const event = { at: now, kind: `collection:${what}`, subject: String(id), detail: why ?? '' }
  await noteStationEvents(sql, [event])
  const reason = why === null ? '' : ` (${why})`
  const sentence = `The collection was ${what}${reason}.`
  const logged = { at: now, subject: event.subject, sentence, details: { why: why ?? undefined } }
  await logEvents(sql, [{ ...logged, code: `collection:${what}` }])
}

async function specOf(sql: Sql, id: number): Promise<CollectionSpec | null> {
  const row = await sql.get<{ spec: string }>('SELECT spec FROM collections WHERE id = ?', [id])
  return row ? parseSpec(row.spec) : null
}

async function requireOwner(sql: Sql, id: number, owner: string): Promise<void> {
  const row = await sql.get<{ owner: string | null }>(
    'SELECT owner FROM collections WHERE id = ?',
    [id],
  )
  if (!row) throw new NoSuchCollection(id)
  if (row.owner !== owner) throw new ForeignCollection(id)
}

/** Clients cancel their own batches; the collections of the station itself only rest or run. A
 * watch rests when nothing is due, and comes back: to end it is to pause or remove the watch. */
async function refuseToEnd(sql: Sql, id: number, state: CollectionState): Promise<void> {
  const spec = await specOf(sql, id)
  if (!spec) return
  const { kind } = spec
  if (isOfStation(kind)) throw new SharedCollection()
  if (kind === 'watch' && state === 'cancelled') throw new WatchedCollection(id)
}

const isOfStation = (kind: CollectionSpec['kind']): boolean =>
  kind === 'requests' || kind === 'audits'

/** Every accepted request ends exactly once: what was still queued ends as cancelled. */
export async function cancelQueued(sql: Sql, id: number): Promise<void> {
  const ended = await sql.run(
    `UPDATE urls SET outcome = 'cancelled' WHERE collection_id = ? AND outcome IS NULL`,
    [id],
  )
  await sql.run('UPDATE collection_hosts SET queued = 0 WHERE collection_id = ?', [id])
  await sql.run('UPDATE collections SET queued = 0, cancelled = cancelled + ? WHERE id = ?', [
    ended,
    id,
  ])
}

/** Ends running collections with nothing left, or whose limits are reached and nothing is out. */
export async function finishCollections(
  sql: Sql,
  args: { now: number; elapsedMs: number },
): Promise<number[]> {
  await sql.run(`UPDATE collections SET active_ms = active_ms + ? WHERE state = 'running'`, [
    args.elapsedMs,
  ])
  // What stations gather together ends when all of them have nothing left.
  const rows = await sql.all<CollectionRow>(
    `SELECT * FROM collections WHERE state = 'running' AND federated = 0`,
  )
  const ended: number[] = []
  for (const row of rows) {
    // The next client's request may come at any time.
    if (isOfStation(parseSpec(row.spec).kind)) continue
    const reason =
      row.queued === 0 ? null : row.leased === 0 ? limitReached(asRunning(row)) : undefined
    if (reason === undefined || (reason === null && row.queued > 0)) continue
    await setCollectionState(sql, { id: row.id, state: 'finished', reason, now: args.now })
    ended.push(row.id)
  }
  return ended
}

/** Which of a collection's own limits is used up, if any. */
export function limitReached(collection: Running): string | null {
  const { spec } = collection
  if (spec.maxPages !== null && collection.pages >= spec.maxPages) return 'max-pages'
  if (spec.maxBytes !== null && collection.bytes >= spec.maxBytes) return 'max-bytes'
  if (spec.maxTimeS !== null && collection.activeMs >= spec.maxTimeS * 1_000) return 'max-time'
  return null
}

function withShares(spec: CollectionSpec, row: CollectionRow): CollectionSpec {
  const { pages_share: maxPages, bytes_share: maxBytes } = row
  if (maxPages === null && maxBytes === null) return spec
  return { ...spec, maxPages, maxBytes }
}

function asRunning(row: CollectionRow): Running {
  return {
    id: row.id,
    spec: withShares(parseSpec(row.spec), row),
    pages: row.pages,
    bytes: row.bytes,
    leased: row.leased,
    activeMs: row.active_ms,
    mostFound: row.most_found,
    isRescoped: row.rescoped === 1,
  }
}

export async function collectionStatus(
  sql: Sql,
  args: { id: number | null },
): Promise<CollectionStatus[]> {
  const { id } = args
  const statuses = await readStatuses(
    sql,
    id === null ? { condition: '1 = 1', params: [] } : { condition: 'id = ?', params: [id] },
  )
  if (id !== null && statuses.length === 0) throw new NoSuchCollection(id)
  return statuses
}

/** Those that a condition over the table of collections chooses, in the order of their numbers. */
export async function readStatuses(
  sql: Sql,
  { condition, params }: { condition: string; params: readonly Value[] },
): Promise<CollectionStatus[]> {
  const rows = await sql.all<CollectionRow>(
    `SELECT * FROM collections WHERE ${condition} ORDER BY id`,
    params,
  )
  const errors = await sql.all<{ id: number; code: string; count: number }>(
    `SELECT collection_id AS id, code, count FROM collection_errors
     WHERE collection_id IN (SELECT id FROM collections WHERE ${condition}) ORDER BY count DESC`,
    params,
  )
  const byCollection = Map.groupBy(errors, ({ id }) => id)
  return rows.map((row) => statusOf(row, byCollection.get(row.id) ?? []))
}

function statusOf(row: CollectionRow, errors: { code: string; count: number }[]): CollectionStatus {
  return {
    id: row.id,
    owner: row.owner,
    state: row.state,
    reason: row.reason,
    createdAt: row.created_at,
    endedAt: row.ended_at,
    spec: parseSpec(row.spec),
    found: row.found,
    queued: row.queued,
    leased: row.leased,
    pages: row.pages,
    captures: row.captures,
    bytes: row.bytes,
    failed: row.failed,
    denied: row.denied,
    cancelled: row.cancelled,
    duplicates: row.duplicates,
    filtered: row.filtered,
    errors: Object.fromEntries(errors.map(({ code, count }) => [code, count])),
  }
}

const parsedSpecs = new Map<string, CollectionSpec>()

/** Specs are read at every lease; the text is the key, so a changed spec is parsed anew. */
export function parseSpec(text: string): CollectionSpec {
  const known = parsedSpecs.get(text)
  if (known) return known
  const spec = collectionSpec.parse(JSON.parse(text))
  if (parsedSpecs.size > 100) parsedSpecs.clear()
  parsedSpecs.set(text, spec)
  return spec
}
