/**
 * Harvests of whole sites: asked for (waiting), launched as soon as nothing of the watch is out,
 * paused and resumed with its collection, and ended as complete, truncated or cancelled. Each is a
 * version: the site at one moment, as far as it could be gathered.
 */
import { cancelQueued, setCollectionState, startHarvest, type Candidate } from '@minga/frontier'
import { TWIN_WITHIN_MS } from '@minga/forecast'
import type { GuardPolicy } from '@minga/net'
import { faultPoint, type CollectionSpec, type CollectionState } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { ForeignWatch, NoHarvest } from '../watch-errors.ts'
import { admit } from '../../station/admission.ts'
import { NoSuchWatch } from '../../station/errors.ts'
import { lockVisitScheduling } from './due-visits.ts'

/** The cause of a harvest that a user requested. */
export const ASKED = 'asked'

interface VersionRow {
  collection_id: number
  number: number
  state: string
  after_id: number
}

/** One at a time: asking again while one waits or runs changes nothing. Answers its number. */
export async function askForHarvest(
  sql: Sql,
  args: { collectionId: number; cause: string; now: number },
): Promise<number> {
  const { collectionId, cause, now } = args
  const open = await openVersion(sql, collectionId)
  if (open) return open.number
  const last = await sql.get<{ number: number | null }>(
    'SELECT MAX(number) AS number FROM versions WHERE collection_id = ?',
    [collectionId],
  )
  const number = (last?.number ?? 0) + 1
  await sql.insertMany({
    table: 'versions',
    columns: ['collection_id', 'number', 'state', 'cause', 'started_at'],
    rows: [[collectionId, number, 'waiting', cause, now]],
  })
  return number
}

function openVersion(sql: Sql, collectionId: number): Promise<VersionRow | undefined> {
  return sql.get<VersionRow>(
    `SELECT collection_id, number, state, after_id FROM versions
     WHERE collection_id = ? AND ended_at IS NULL`,
    [collectionId],
  )
}

/** At the station's pulse: waiting ones are launched, finished ones ended. Answers whether anything
 * was launched. */
export async function advanceHarvests(
  sql: Sql,
  args: { guard: GuardPolicy; now: number },
): Promise<boolean> {
  await lockVisitScheduling(sql)
  let hasLaunched = false
  for (const version of await openVersions(sql)) {
    const { reason } = version
    if (version.state === 'waiting' && isUnwanted(version)) {
      await endVersion(sql, version, { state: 'cancelled', reason: 'inactive', now: args.now })
    } else if (version.state === 'waiting') {
      hasLaunched = (await launch(sql, version, args)) || hasLaunched
    } else if (version.collection_state === 'finished') {
      const state = isEmpty(version) ? 'failed' : reason === null ? 'complete' : 'truncated'
      await endVersion(sql, version, { state, reason, now: args.now })
    }
  }
  return hasLaunched
}

interface OpenVersion extends VersionRow {
  cause: string
  collection_state: CollectionState
  reason: string | null
  is_active: number
  pages: number
  captures: number
  collection_failed: number
  denied: number
}

/** Nothing was captured, or only robots.txt; pages that are all unchanged are a version. */
function isEmpty({ pages, captures, collection_failed: failed, denied }: OpenVersion): boolean {
  return pages === 0 && (captures === 0 || failed + denied > 0)
}

function openVersions(sql: Sql): Promise<OpenVersion[]> {
  return sql.all<OpenVersion>(
    `SELECT v.collection_id, v.number, v.state, v.after_id, v.cause, c.state AS collection_state,
       c.reason, c.pages, c.captures, c.failed AS collection_failed, c.denied, w.is_active
     FROM versions v JOIN collections c ON c.id = v.collection_id
     JOIN watches w ON w.collection_id = v.collection_id WHERE v.ended_at IS NULL`,
  )
}

/**
 * A watch that was paused in the meantime is not harvested, unless a user requested exactly that.
 */
function isUnwanted({ is_active: isActive, cause }: OpenVersion): boolean {
  return isActive === 0 && cause !== ASKED
}

async function launch(
  sql: Sql,
  { collection_id: collectionId, number }: VersionRow,
  { guard, now }: { guard: GuardPolicy; now: number },
): Promise<boolean> {
  const seedsOf = ({ seeds }: CollectionSpec): Candidate[] =>
    seeds.flatMap((seed) => {
      const { url, refusal } = admit(seed, 'harvest', { guard })
      if (url === null) return []
      const kind = 'page' as const
      return [{ url, kind, depth: 0, hops: 0, via: null, refusal: refusal?.code ?? null }]
    })
  if (await awaitsTwin(sql, collectionId, now)) return false
  if (!(await startHarvest(sql, { collectionId, seedsOf }))) return false
  await sql.run(
    `UPDATE versions SET state = 'running', started_at = ?, after_id = ?
     WHERE collection_id = ? AND number = ?`,
    [now, await newestCapture(sql), collectionId, number],
  )
  faultPoint('watch:harvest-launched')
  return true
}

/** The twin that tells noise from change comes first: after a harvest it would come too late. */
async function awaitsTwin(sql: Sql, collectionId: number, now: number): Promise<boolean> {
  const row = await sql.get(
    'SELECT 1 AS one FROM twin_requests WHERE collection_id = ? AND due_at >= ? LIMIT 1',
    [collectionId, now - TWIN_WITHIN_MS],
  )
  return row !== undefined
}

async function newestCapture(sql: Sql): Promise<number> {
  const row = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM captures')
  return row?.id ?? 0
}

interface VersionEnd {
  state: string
  reason: string | null
  now: number
}

async function endVersion(sql: Sql, version: VersionRow, end: VersionEnd): Promise<void> {
  const { collection_id: collectionId, number } = version
  const { state, reason, now } = end
  // What a limit left in the queue belongs to this harvest, not to the next visit.
  await cancelQueued(sql, collectionId)
  const newest = await newestCapture(sql)
  if (version.state === 'waiting') {
    // It never began: what its watch has counted and kept is of earlier ones.
    await sql.run(
      `UPDATE versions SET state = ?, reason = ?, ended_at = ?, after_id = ?, last_id = ?
       WHERE collection_id = ? AND number = ?`,
      [state, reason, now, newest, newest, collectionId, number],
    )
    return
  }
  const counts = await sql.get<{ pages: number; bytes: number; failed: number }>(
    'SELECT pages, bytes, failed FROM collections WHERE id = ?',
    [collectionId],
  )
  const span = [version.after_id, collectionId]
  const files = await sql.all<{ file: string }>(
    'SELECT DISTINCT file FROM captures WHERE id > ? AND collection_id = ? ORDER BY file',
    span,
  )
  const agents = await sql.all<{ device: string }>(
    `SELECT DISTINCT device FROM captures
     WHERE id > ? AND collection_id = ? AND device IS NOT NULL ORDER BY device`,
    span,
  )
  await sql.run(
    `UPDATE versions SET state = ?, reason = ?, ended_at = ?, documents = ?, bytes = ?, failed = ?,
       files = ?, agents = ?, last_id = ? WHERE collection_id = ? AND number = ?`,
    [
      state,
      reason,
      now,
      counts?.pages ?? 0,
      counts?.bytes ?? 0,
      counts?.failed ?? 0,
      JSON.stringify(files.map(({ file }) => file)),
      JSON.stringify(agents.map(({ device }) => device)),
      newest,
      collectionId,
      number,
    ],
  )
  faultPoint('watch:harvest-ended')
}

export type HarvestVerb = 'pause' | 'resume' | 'cancel'

/** Starts a harvest manually. Returns its number. */
export async function orderHarvest(
  sql: Sql,
  args: { collectionId: number; owner: string | null; cause: string; now: number },
): Promise<number> {
  const { collectionId, owner, cause, now } = args
  const watch = await sql.get<{ subject: string; owner: string | null }>(
    `SELECT w.subject, c.owner FROM watches w JOIN collections c ON c.id = w.collection_id
     WHERE w.collection_id = ?`,
    [collectionId],
  )
  if (!watch) throw new NoSuchWatch(collectionId)
  if (owner !== null && watch.owner !== owner) throw new ForeignWatch(collectionId)
  if (watch.subject !== 'site') throw NoHarvest.ofPages(collectionId)
  return askForHarvest(sql, { collectionId, cause, now })
}

/** A pending or running harvest is paused, resumed, or ended as it is. */
export async function steerHarvest(
  sql: Sql,
  args: { collectionId: number; verb: HarvestVerb; owner: string | null; now: number },
): Promise<void> {
  const { collectionId: id, verb, owner, now } = args
  const open = await openVersion(sql, id)
  if (!open) throw NoHarvest.now(id)
  const state = STATE_AFTER[verb]
  const reason = state === 'running' ? null : ASKED
  await setCollectionState(sql, { id, state, reason, owner, now })
  if (verb === 'cancel') await endVersion(sql, open, { state: 'cancelled', reason, now })
  else if (open.state !== 'waiting') {
    await sql.run('UPDATE versions SET state = ? WHERE collection_id = ? AND number = ?', [
      state,
      id,
      open.number,
    ])
  }
}

const STATE_AFTER = { pause: 'paused', resume: 'running', cancel: 'finished' } as const
