/**
 * Canaries: recent verified captures, handed once more to devices that are to be tested. They take
 * the road of second opinions (audits.ts), so hosts' clocks, robots.txt and the mask of blocks hold
 * for them as for everything, and the platform pays for them.
 */
import {
  CANARY_FRESH_MS,
  canaryCandidates,
  canaryId,
  chooseCanary,
  openCanary,
  unfitPatterns,
  type PageFacts,
  type Party,
  type VerifiedPage,
} from '@minga/fleet'
import type { Sql } from '@minga/store'
import type { Station } from '../../station/station.ts'

/** The newest captures are looked through, so that a large archive costs no more than a small one. */
const LOOKED_THROUGH_MAX = 2_000
const PAGES_MAX = 60
/** Draws per device until it meets a page that its owner has not seen. */
const DRAWS_MAX = 5

interface OpenCanariesArgs {
  /** Known to this station only: by it pages are drawn. */
  secret: string
  now: number
}

/** Makes the canaries that are due; answers how many. */
export async function openCanaries(sql: Sql, args: OpenCanariesArgs): Promise<number> {
  const devices = await canaryCandidates(sql, args)
  if (devices.length === 0) return 0
  const pages = await verifiedPages(sql, args.now)
  let opened = 0
  for (const device of devices) {
    const page = await pageFor(sql, device, { ...args, pages })
    if (page === null) continue
    const { device: id } = device
    const { facts, captureId } = page
    await openCanary(sql, {
      ...page,
      id: canaryId(args.secret, { device: id, captureId, now: args.now }),
      device: id,
      page: facts,
      now: args.now,
    })
    opened++
  }
  return opened
}

type KnownPage = VerifiedPage & { collectionId: number }

interface CaptureRow {
  captureId: number
  collectionId: number
  hostId: number
  hash: number
  url: string
  status: number
  digest: string
  lastModified: string | null
  at: number
  device: string | null
  owner: string | null
  network: string | null
  isTrusted: number | null
}

/** Pages with content: a redirect or an error says little that a liar could not guess. */
async function verifiedPages(sql: Sql, now: number): Promise<KnownPage[]> {
  const newest = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM captures')
  const rows = await sql.all<CaptureRow>(
    `SELECT c.id AS "captureId", c.collection_id AS "collectionId", c.host_id AS "hostId", c.hash,
       c.url, c.status, c.digest, c.last_modified AS "lastModified", c.captured_at AS at, c.device,
       t.owner, t.network, t.is_trusted AS "isTrusted"
     FROM captures c LEFT JOIN device_trust t ON t.device = c.device
     WHERE c.id > ? AND c.verified = 1 AND c.hash <> 0 AND c.status = 200 AND c.payload_bytes > 0
       AND c.captured_at >= ?
     ORDER BY c.id DESC LIMIT ?`,
    [(newest?.id ?? 0) - LOOKED_THROUGH_MAX, now - CANARY_FRESH_MS, PAGES_MAX],
  )
  const unfit = await unfitPatterns(sql, rows, now)
  const fit = rows.filter((_, i) => !unfit[i])
  return Promise.all(fit.map(async (row) => knownPage(row, await confirmationOf(sql, row))))
}

interface Confirmation extends Party {
  subject: string
}

/** The audit by which it was verified, if it was: it holds what noise cannot hide. */
async function confirmationOf(
  sql: Sql,
  { device, captureId, at }: CaptureRow,
): Promise<Confirmation | null> {
  const row = await sql.get<Confirmation>(
    `SELECT a.subject, t.device, t.owner, t.network FROM audits a
     JOIN device_trust t ON t.device = a.auditor
     WHERE a.device = ? AND a.verdict = 'agree' AND a.received_at >= ? AND a.capture_id = ?
       AND a.kind <> 'canary' AND a.subject IS NOT NULL LIMIT 1`,
    [device, at, captureId],
  )
  return row ?? null
}

/**
 * The station's own devices share their results with no one: only strangers count as knowing a
 * page.
 */
function knownPage(row: CaptureRow, confirmation: Confirmation | null): KnownPage {
  const { captureId, collectionId, hostId, hash, url, at, device, owner, network } = row
  const known: Party[] = []
  if (device !== null && owner !== null && row.isTrusted !== 1) {
    known.push({ device, owner, network })
  }
  if (confirmation !== null) known.push(confirmation)
  const facts = confirmation ? (JSON.parse(confirmation.subject) as PageFacts) : factsOf(row)
  return { captureId, collectionId, hostId, hash, url, at, facts, known }
}

/** Without a fingerprint, noise looks like a difference; a trusted fetch clears that up. */
function factsOf({ status, digest, lastModified }: CaptureRow): PageFacts {
  const modifiedAt = Date.parse(lastModified ?? '')
  return {
    status,
    digest,
    fingerprint: null,
    location: null,
    modifiedAt: Number.isNaN(modifiedAt) ? null : modifiedAt,
  }
}

async function pageFor(
  sql: Sql,
  device: Party,
  { secret, now, pages }: OpenCanariesArgs & { pages: readonly KnownPage[] },
): Promise<KnownPage | null> {
  const seen = new Set<number>()
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const page = chooseCanary(pages, device, { secret, number: now + draw, now, seen })
    if (page === null) return null
    if (!(await hasMet(sql, device, page))) return page as KnownPage
    seen.add(page.captureId)
  }
  return null
}

/** Its owner's devices have fetched the page, or were tested with it. */
async function hasMet(
  sql: Sql,
  { owner }: Party,
  { hostId, hash }: VerifiedPage,
): Promise<boolean> {
  const met = await sql.get(
    `SELECT 1 AS met FROM captures c JOIN device_trust t ON t.device = c.device
     WHERE c.host_id = ? AND c.hash = ? AND t.owner = ? LIMIT 1`,
    [hostId, hash, owner],
  )
  if (met) return true
  const tested = await sql.get(
    `SELECT 1 AS met FROM audits a JOIN device_trust t ON t.device = a.device
     WHERE t.owner = ? AND a.kind = 'canary' AND a.host_id = ? AND a.hash = ? LIMIT 1`,
    [owner, hostId, hash],
  )
  return tested !== undefined
}

/** Canaries are in no hurry, and a device's answers are not to come back at once. */
const EVERY_MS = 5_000

export class CanaryScheduler {
  readonly #station: Station
  #nextMs = 0

  constructor(station: Station) {
    this.#station = station
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const { store, clock, secret, work } = this.#station
    if (clock.monotonicMs() < this.#nextMs) return
    this.#nextMs = clock.monotonicMs() + EVERY_MS
    const opened = await store.call('openCanaries', { secret, now: clock.now() })
    // Who waits for work has some.
    if (opened > 0) work.notifyAll()
  }
}
