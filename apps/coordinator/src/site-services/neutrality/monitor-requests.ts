/**
 * The requests of the neutrality monitor, among others: assigned with a device's other work,
 * received with its other results. To a device they look like any other request.
 */
import {
  closeRun,
  MONITOR_PREFIX,
  listMonitorRequests,
  recordObservation,
  openRuns,
  openRunsNow,
  tagsOfRun,
  unseen,
  type PageFacts,
  type MonitorObservation,
} from '@minga/fleet'
import { reserveDocuments, tagsOf, unfetchedEnds, type Accepted } from '@minga/frontier'
import type { Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { payForAudit, type Hearing } from '../../agents/trust/audits.ts'

/** Adds the monitor requests of this device to the work that it can lease. */
export async function assignMonitorRequests(
  sql: Sql,
  args: { device: string; delayMs: number; now: number },
): Promise<void> {
  // Idle agents ask all the time, and mostly there is no monitor request.
  const open = await sql.get(
    'SELECT 1 AS one FROM neutrality_places WHERE device = ? AND given = 0',
    [args.device],
  )
  if (!open) return
  const requests = await listMonitorRequests(sql, args)
  const documents = requests.map(({ url, tag }) => ({ url, tag, kind: 'document' as const }))
  await reserveDocuments(sql, { ...args, documents, expiresAt: requests[0]?.expiresAt ?? args.now })
}

/** Results for monitors among an upload. */
export async function recordMonitorResults(
  sql: Sql,
  args: Pick<Hearing, 'id' | 'accepted' | 'sender' | 'prices' | 'now'>,
): Promise<void> {
  const items = args.accepted.filter(
    ({ spec, url, decision }) =>
      spec.kind === 'audits' &&
      url !== null &&
      (decision.type === 'captured' || decision.type === 'failed'),
  )
  if (items.length === 0) return
  const tags = await tagsOf(sql, items.map(placeOf))
  for (const [i, { result, page = null }] of items.entries()) {
    const tag = tags[i]
    if (!tag?.startsWith(MONITOR_PREFIX)) continue
    const isNews = await recordObservation(sql, { tag, observation: observationOf(result, page) })
    if (isNews && page !== null) await payForAudit(sql, { ...args, auditId: tag })
  }
}

function placeOf({ lease, result }: Accepted): {
  collectionId: number
  hostId: number
  hash: number
} {
  return { collectionId: lease.collection_id, hostId: lease.host_id, hash: result.hash }
}

function observationOf(result: Result, page: PageFacts | null): MonitorObservation {
  if (result.type !== 'captured' || page === null) {
    return unseen(result.type === 'failed' ? result.code : result.type)
  }
  const { status, location, digest, fingerprint, language = null } = page
  const certificate = result.certificate ?? null
  return { status, code: null, location, digest, fingerprint, language, certificate }
}

/** Ends without a fetch that are noted in one go. */
const UNFETCHED_MAX = 1_000

/**
 * At the station's pulse: runs that are due begin, runs that are complete end. Returns whether
 * there are new requests.
 */
export async function runDueMonitors(sql: Sql, args: { now: number }): Promise<boolean> {
  for (const run of await openRunsNow(sql)) {
    const ends = await unfetchedEnds(sql, { tagsFrom: tagsOfRun(run), limit: UNFETCHED_MAX })
    for (const { tag, code } of ends)
      await recordObservation(sql, { tag, observation: unseen(code) })
    await closeRun(sql, { ...run, now: args.now })
  }
  return (await openRuns(sql, args)) > 0
}
