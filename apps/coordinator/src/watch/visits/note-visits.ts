/**
 * Steps 8 and 9 inside the transaction of ingest: what the visits among an upload found, what that
 * teaches about each watched URL, and when to come back. One outcome serves both: the capture is a
 * revisit record or a new one already, and the forecast learns the same.
 */
import { isRedirect, nextRedirect, queueVisits, type Accepted } from '@minga/frontier'
import type { CapturedResult } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { decideVisit, type Finding } from './decide-visit.ts'
import { endVisits, type EndedVisit } from './end-visits.ts'
import {
  forecastsAt,
  watchedUrlKeyOf,
  watchesOf,
  type ForecastRow,
  type WatchedUrlKey,
} from '../plan/forecast-rows.ts'
import type { Reading } from './read-visits.ts'
import { sketchesAt } from './sketch-rows.ts'
import { twinsOut } from './twin-requests.ts'
import { rootKeys } from './visit-facts.ts'

export interface NoteVisits {
  accepted: readonly (Accepted & { visit?: Reading })[]
  refusals: Readonly<Record<string, string>>
  now: number
}

export async function noteVisits(sql: Sql, args: NoteVisits): Promise<void> {
  const items = args.accepted.filter(isEndedVisit)
  if (items.length === 0) return
  const ended: EndedVisit[] = []
  for (const item of items) {
    const key = keyOfItem(item)
    const roots = await rootsAt(sql, key)
    if (roots.length === 0) continue
    if (await isLedOn(sql, item, { key, roots, args })) continue
    const finding = findingOf(item, item.visit ?? null, args)
    ended.push(...(await decideAll(sql, roots, finding)))
    await dropChains(sql, key)
  }
  await endVisits(sql, { ended, now: args.now })
}

function isEndedVisit({ spec, url, decision }: Accepted): boolean {
  return (
    spec.kind === 'watch' &&
    url?.kind === 'document' &&
    (decision.type === 'captured' || decision.type === 'failed' || decision.type === 'denied')
  )
}

const keyOfItem = ({ lease, result }: Accepted): WatchedUrlKey => ({
  collectionId: lease.collection_id,
  hostId: lease.host_id,
  hash: result.hash,
})

/** Only those that wait for a visit: a page that was not requested is no observation. */
async function rootsAt(sql: Sql, key: WatchedUrlKey): Promise<ForecastRow[]> {
  const keys = await rootKeys(sql, key)
  await holdForecasts(sql, keys)
  const rows = await forecastsAt(sql, keys)
  return rows.filter((row) => row !== undefined && row.out_since !== null) as ForecastRow[]
}

/**
 * On PostgreSQL a round may begin in the meantime: its wish must not be overwritten by an older
 * plan.
 */
async function holdForecasts(sql: Sql, keys: readonly WatchedUrlKey[]): Promise<void> {
  if (sql.dialect !== 'postgres') return
  for (const { collectionId, hostId, hash } of keys) {
    await sql.get(
      `SELECT 1 FROM forecasts WHERE collection_id = ? AND host_id = ? AND hash = ? FOR UPDATE`,
      [collectionId, hostId, hash],
    )
  }
}

interface Leading {
  key: WatchedUrlKey
  roots: readonly ForecastRow[]
  args: NoteVisits
}

/**
 * A redirect is followed, and what it leads to is what the watched URL shows: whether a site answers
 * under one name or the other says nothing of its content. Answers false when the visit ends here.
 */
async function isLedOn(sql: Sql, item: Accepted, leading: Leading): Promise<boolean> {
  const { result, decision, url } = item
  const { key, roots, args } = leading
  if (decision.type !== 'captured' || result.type !== 'captured') return false
  const step = nextRedirect(result, url?.hops ?? 0, args.refusals)
  if (step.type !== 'follow') return false
  const { collectionId } = key
  const wanted = { url: step.url, hops: step.hops, priority: 0, via: result.url }
  const [target] = await queueVisits(sql, { collectionId, documents: [wanted] })
  await dropChains(sql, key)
  await sql.insertMany({
    table: 'visit_chains',
    columns: ['collection_id', 'host_id', 'hash', 'root_host_id', 'root_hash'],
    rows: roots.map((root) => [
      collectionId,
      target!.hostId,
      target!.hash,
      root.host_id,
      root.hash,
    ]),
    onConflict: 'ignore',
  })
  return true
}

async function dropChains(sql: Sql, { collectionId, hostId, hash }: WatchedUrlKey): Promise<void> {
  await sql.run('DELETE FROM visit_chains WHERE collection_id = ? AND host_id = ? AND hash = ?', [
    collectionId,
    hostId,
    hash,
  ])
}

function findingOf(
  { result, decision }: Accepted,
  reading: Reading | null,
  { refusals, now }: NoteVisits,
): Finding {
  // By the coordinator's clock: what a device or a site says the time is may be wrong.
  const at = now - Math.max(0, result.type === 'returned' ? 0 : result.endedAgoMs)
  const code =
    decision.type === 'failed' || decision.type === 'denied'
      ? decision.code
      : failureIn(result as CapturedResult, refusals)
  if (code !== null || result.type !== 'captured') {
    return { type: 'failed', at, code: code ?? 'MINGA_VISIT_LOST' }
  }
  const { digest, payloadBytes, hash, hostId, status } = result
  return {
    type: 'seen',
    at,
    digest,
    bytes: status === 304 ? 0 : payloadBytes,
    reading,
    hostId,
    hash,
  }
}

/** Errors, redirects that lead nowhere, and "not modified" where nothing is held are never changes. */
function failureIn(
  { status, location, record }: CapturedResult,
  refusals: NoteVisits['refusals'],
): string | null {
  if (isRedirect(status)) {
    return location === null
      ? `MINGA_HTTP_${status}`
      : (refusals[location] ?? `MINGA_HTTP_${status}`)
  }
  const isPage = status === 200 || (status === 304 && record === 'revisit')
  return isPage ? null : `MINGA_HTTP_${status}`
}

async function decideAll(
  sql: Sql,
  roots: readonly ForecastRow[],
  finding: Finding,
): Promise<EndedVisit[]> {
  const keys = roots.map(watchedUrlKeyOf)
  const sketches = await sketchesAt(sql, keys)
  const twins = await twinsOut(sql, keys)
  const watches = await watchesOf(
    sql,
    keys.map(({ collectionId }) => collectionId),
  )
  const ended: EndedVisit[] = []
  for (const [i, forecast] of roots.entries()) {
    const watch = watches.get(forecast.collection_id)
    if (watch === undefined) continue
    const memory = sketches[i] ?? null
    const captures = await capturesFor(sql, forecast, finding)
    // It cannot have ended before it was due, whatever the device says.
    const at = Math.max(finding.at, forecast.out_since ?? finding.at)
    const seen = { memory, finding: { ...finding, at }, twin: twins[i] ?? null, ...captures }
    const visit = decideVisit({ forecast, watch, ...seen })
    ended.push({ forecast, watch, visit })
  }
  return ended
}

/** The capture that this visit made, and the digest of the one that counted before. */
async function capturesFor(
  sql: Sql,
  forecast: ForecastRow,
  finding: Finding,
): Promise<{ captureId: number | null; formerDigest: string | null }> {
  const former = await sql.get<{ digest: string }>('SELECT digest FROM captures WHERE id = ?', [
    forecast.capture_id,
  ])
  if (finding.type === 'failed') return { captureId: null, formerDigest: former?.digest ?? null }
  const made = await sql.get<{ id: number }>(
    `SELECT MAX(id) AS id FROM captures WHERE host_id = ? AND hash = ? AND collection_id = ?`,
    [finding.hostId, finding.hash, forecast.collection_id],
  )
  return { captureId: made?.id ?? null, formerDigest: former?.digest ?? null }
}
