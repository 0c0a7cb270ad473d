/**
 * Goes through the queue of a collection whose scope was changed, a step at a time: one transaction
 * stays short on a million URLs, and whatever dies, the next step resumes where the last one was
 * committed.
 *
 *   back   what an earlier change put out, and this one takes in again, is queued again; nothing else that has ended
 *          ever is
 *   out    what is queued, or out with an agent, and out of scope ends as denied: once, for what has an outcome is
 *          not looked at, and an answer that comes for it afterwards changes nothing
 */
import type { CollectionSpec, RequestKind } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { parseSpec } from '../collections.ts'
import { endUrls, type UrlEnd } from '../../queue/end-urls.ts'
import { forUpdate } from '../../row-locks.ts'
import { BEFORE_ALL, isStillWanted, OUT_OF_SCOPE } from './still-wanted.ts'

/** URLs checked in one step: some hundredths of a second. */
const STEP_URLS = 2_000

interface Sweep {
  collection_id: number
  step: 'back' | 'out'
  host_id: number
  priority: number
  hash: number
}

interface SweptUrl {
  host_id: number
  hash: number
  priority: number
  url: string
  kind: RequestKind
  depth: number
  hops: number
  via: string | null
}

/** Answers whether there may be more to do. */
export async function sweepScopes(sql: Sql, args: { now: number }): Promise<{ isMore: boolean }> {
  const found = await sql.get<Pick<Sweep, 'collection_id'>>(
    'SELECT collection_id FROM collection_sweeps ORDER BY collection_id LIMIT 1',
  )
  if (!found) return { isMore: false }
  const id = found.collection_id
  // Uploads that end these URLs, and changes that restart the sweep, wait for this row.
  const row = await sql.get<{ spec: string }>(
    `SELECT spec FROM collections WHERE id = ?${forUpdate(sql)}`,
    [id],
  )
  const sweep = await sql.get<Sweep>('SELECT * FROM collection_sweeps WHERE collection_id = ?', [
    id,
  ])
  if (!row || !sweep) return { isMore: true }
  const spec = parseSpec(row.spec)
  const hostId = await nextHost(sql, sweep)
  if (hostId === null) return nextStep(sql, sweep)
  const at = hostId === sweep.host_id ? sweep : { ...sweep, ...AT_BEGINNING, host_id: hostId }
  const urls = await urlsFrom(sql, at)
  if (sweep.step === 'back') await takeBack(sql, { id, hostId, urls, spec })
  else await putOut(sql, { id, hostId, urls, spec, now: args.now })
  await moveOn(sql, at, urls)
  return { isMore: true }
}

const AT_BEGINNING = { priority: BEFORE_ALL, hash: BEFORE_ALL }

async function nextHost(sql: Sql, sweep: Sweep): Promise<number | null> {
  const isConcerned =
    sweep.step === 'out'
      ? 'c.queued > 0'
      : `EXISTS (SELECT 1 FROM urls u WHERE u.collection_id = c.collection_id
           AND u.host_id = c.host_id AND u.code = '${OUT_OF_SCOPE}')`
  const row = await sql.get<{ host_id: number }>(
    `SELECT c.host_id FROM collection_hosts c
     WHERE c.collection_id = ? AND c.host_id >= ? AND ${isConcerned} ORDER BY c.host_id LIMIT 1`,
    [sweep.collection_id, sweep.host_id],
  )
  return row?.host_id ?? null
}

function urlsFrom(sql: Sql, { collection_id, step, host_id, ...at }: Sweep): Promise<SweptUrl[]> {
  const columns = 'host_id, hash, priority, url, kind, depth, hops, via'
  if (step === 'back') {
    return sql.all<SweptUrl>(
      `SELECT ${columns} FROM urls WHERE collection_id = ? AND host_id = ?
         AND code = '${OUT_OF_SCOPE}' AND hash > ? ORDER BY hash LIMIT ?`,
      [collection_id, host_id, at.hash, STEP_URLS],
    )
  }
  return sql.all<SweptUrl>(
    `SELECT ${columns} FROM urls WHERE collection_id = ? AND host_id = ? AND outcome IS NULL
       AND (priority, hash) > (?, ?) ORDER BY priority, hash LIMIT ?`,
    [collection_id, host_id, at.priority, at.hash, STEP_URLS],
  )
}

interface HostPart {
  id: number
  hostId: number
  urls: readonly SweptUrl[]
  spec: CollectionSpec
}

async function putOut(
  sql: Sql,
  { id, hostId, urls, spec, now }: HostPart & { now: number },
): Promise<void> {
  const ends = urls
    .filter((row) => !isStillWanted(spec, row))
    .map(({ hash, url }): UrlEnd => ({ hash, outcome: 'denied', code: OUT_OF_SCOPE, url }))
  await endUrls(sql, { collectionId: id, hostId, ends, now })
}

async function takeBack(sql: Sql, { id, hostId, urls, spec }: HostPart): Promise<void> {
  const back = urls.filter((row) => isStillWanted(spec, row))
  if (back.length === 0) return
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'code'],
    rows: back.map(({ hash }) => [id, hostId, hash, null, null]),
  })
  await sql.run(
    'UPDATE collection_hosts SET queued = queued + ? WHERE collection_id = ? AND host_id = ?',
    [back.length, id, hostId],
  )
  await sql.run('UPDATE collections SET queued = queued + ?, denied = denied - ? WHERE id = ?', [
    back.length,
    back.length,
    id,
  ])
  await sql.run(
    'UPDATE collection_errors SET count = count - ? WHERE collection_id = ? AND code = ?',
    [back.length, id, OUT_OF_SCOPE],
  )
  await sql.run('DELETE FROM collection_errors WHERE collection_id = ? AND count <= 0', [id])
}

/** To the next URLs of this host, or to the next host when these were the last. */
async function moveOn(sql: Sql, at: Sweep, urls: readonly SweptUrl[]): Promise<void> {
  const last = urls.length < STEP_URLS ? undefined : urls.at(-1)
  await saveSweep(
    sql,
    last
      ? { ...at, priority: last.priority, hash: last.hash }
      : { ...at, ...AT_BEGINNING, host_id: at.host_id + 1 },
  )
}

async function nextStep(sql: Sql, sweep: Sweep): Promise<{ isMore: boolean }> {
  if (sweep.step === 'back') {
    await saveSweep(sql, { ...sweep, ...AT_BEGINNING, step: 'out', host_id: 0 })
  } else {
    await sql.run('DELETE FROM collection_sweeps WHERE collection_id = ?', [sweep.collection_id])
  }
  return { isMore: true }
}

async function saveSweep(sql: Sql, sweep: Sweep): Promise<void> {
  const { collection_id: id, step, host_id: hostId, priority, hash } = sweep
  await sql.run(
    'UPDATE collection_sweeps SET step = ?, host_id = ?, priority = ?, hash = ? WHERE collection_id = ?',
    [step, hostId, priority, hash, id],
  )
}
