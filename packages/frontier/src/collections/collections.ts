/** Collections: paused, resumed, cancelled, finished, and their counts. */
import {
  storedCollectionSpec,
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
} from '../errors.ts'
import { outcomeOf, problemOf, type MetError } from './collection-outcome.ts'
import { forUpdate } from '../row-locks.ts'
import { addSeeds } from '../queue/seeds.ts'

interface CollectionRow extends Omit<CollectionCounts, 'linksDropped'> {
  id: number
  owner: string | null
  state: CollectionState
  reason: string | null
  spec: string
  created_at: number
  ended_at: number | null
  active_ms: number
  most_found: number
  links_dropped: number
  /** This station's part of the limits, when several stations gather it. */
  pages_share: number | null
  bytes_share: number | null
  rescoped: number
  federated: number
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
  const seeds = addSeeds(spec.seeds, args.seeds)
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
    /** Whose collections may be changed; null: everyone's. */
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
  if (args.state === 'finished') return noteEnd(sql, args)
  const { kind } = (await specOf(sql, args.id))!
  const what = args.state === 'running' ? 'resumed' : args.state
  await noteState(sql, { id: args.id, kind, what, why: args.reason, now: args.now })
}

interface NotedState {
  id: number
  kind: CollectionSpec['kind']
  what: 'opened' | 'resumed' | Exclude<CollectionState, 'running' | 'finished'>
  why: string | null
  now: number
}

export async function noteState(sql: Sql, { id, kind, what, why, now }: NotedState): Promise<void> {
  if (isUnnoted(kind)) return
  const event = { at: now, kind: `collection:${what}`, subject: String(id), detail: why ?? '' }
  await noteStationEvents(sql, [event])
  const reason = why === null ? '' : ` (${why})`
  const sentence = `The collection was ${what}${reason}.`
  const logged = { at: now, subject: event.subject, sentence, details: { why: why ?? undefined } }
  await logEvents(sql, [{ ...logged, code: `collection:${what}` }])
}

/**
 * The end of a collection that captured nothing is a separate event, because "finished" would not
 * be read as a failure.
 */
async function noteEnd(sql: Sql, { id, now }: { id: number; now: number }): Promise<void> {
  const [status] = await collectionStatus(sql, { id })
  const { spec, reason, failed, outcome, problem } = status!
  if (isUnnoted(spec.kind)) return
  const at = { at: now, subject: String(id) }
  if (outcome === 'failed') {
    const error = problem!.code
    await noteStationEvents(sql, [{ ...at, kind: 'collection:failed', detail: error }])
    const sentence = `The collection failed: nothing was captured (${error}).`
    await logEvents(sql, [{ ...at, code: 'collection:failed', sentence, details: { error } }])
    return
  }
  await noteStationEvents(sql, [{ ...at, kind: 'collection:finished', detail: reason ?? '' }])
  const why = reason === null ? '' : ` (${reason})`
  const errors = failed === 0 ? '' : `; ${failed} addresses failed`
  const sentence = `The collection was finished${why}${errors}.`
  const details = { why: reason ?? undefined, failed: failed === 0 ? undefined : failed }
  await logEvents(sql, [{ ...at, code: 'collection:finished', sentence, details }])
}

/** A watch rests and wakes many times a day by itself; only what a user started is noted. */
const isUnnoted = (kind: CollectionSpec['kind']): boolean => kind === 'watch' || isOfStation(kind)

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

/** For what is in flight when the time of a collection is over. A page that is slower, or an agent that hangs, does not
 * prolong it: a result that comes later still counts. */
const OVERTIME_MS = 2_000

/**
 * Ends running collections with nothing left, or whose limits are reached and nothing is out, or whose time is over.
 * Those of `doubted` have nothing left only when it is known whether their last failures are.
 */
export async function finishCollections(
  sql: Sql,
  args: { now: number; elapsedMs: number; doubted: ReadonlySet<number> },
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
    const running = asRunning(row)
    const isSettled = row.leased === 0 || isOvertime(running)
    const reason = row.queued === 0 ? null : isSettled ? limitReached(running) : undefined
    if (reason === undefined || (reason === null && row.queued > 0)) continue
    if (reason === null && args.doubted.has(row.id)) continue
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

function isOvertime({ spec, activeMs }: Running): boolean {
  return spec.maxTimeS !== null && activeMs >= spec.maxTimeS * 1_000 + OVERTIME_MS
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
  const errors = await sql.all<MetError & { id: number }>(
    `SELECT collection_id AS id, code, count, last_url AS "lastUrl" FROM collection_errors
     WHERE collection_id IN (SELECT id FROM collections WHERE ${condition}) ORDER BY count DESC`,
    params,
  )
  const byCollection = Map.groupBy(errors, ({ id }) => id)
  return rows.map((row) => statusOf(row, byCollection.get(row.id) ?? []))
}

function statusOf(row: CollectionRow, errors: readonly MetError[]): CollectionStatus {
  const spec = parseSpec(row.spec)
  const outcome = outcomeOf({ ...row, kind: spec.kind, isShared: row.federated === 1 })
  return {
    id: row.id,
    owner: row.owner,
    state: row.state,
    reason: row.reason,
    outcome,
    problem: problemOf(outcome, errors),
    createdAt: row.created_at,
    endedAt: row.ended_at,
    spec,
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
    linksDropped: row.links_dropped,
    errors: Object.fromEntries(errors.map(({ code, count }) => [code, count])),
  }
}

const parsedSpecs = new Map<string, CollectionSpec>()

/**
 * Specs are parsed at every lease; the text is the cache key, so a changed spec is parsed again.
 */
export function parseSpec(text: string): CollectionSpec {
  const known = parsedSpecs.get(text)
  if (known) return known
  const spec = storedCollectionSpec.parse(JSON.parse(text))
  if (parsedSpecs.size > 100) parsedSpecs.clear()
  parsedSpecs.set(text, spec)
  return spec
}
