/**
 * Canaries: a page that was verified a moment ago is handed to a device as an ordinary request,
 * and its answer is compared with what is known. Made from real traffic, so nothing tells them
 * from other requests; they need no second device at the time, so a fleet in which eligible
 * auditors are rare can still be tested.
 *
 * How often: see `canaryProbability`. A passed canary is an audited agreement like any other (two
 * owners' devices saw the same) and raises trust. An answer that differs proves nothing: the page may
 * have changed. It is a lie when a trusted fetch afterwards sees what was known before: then the
 * page stood still in between. Known limit: canaries are other devices' pages; who lies about one
 * site only is found by audits of what it sends, not by them.
 */
import { createHmac } from 'node:crypto'
import type { Sql } from '@minga/store'
import { isLasting } from './selection.ts'
import type { Party } from './eligible.ts'
import type { PageFacts } from './verdict.ts'

export interface VerifiedPage {
  readonly captureId: number
  readonly hostId: number
  readonly hash: number
  readonly url: string
  readonly facts: PageFacts
  readonly at: number
  /** Who fetched it, and who confirmed it. */
  readonly known: readonly Party[]
}

/** A page may change: an old capture makes honest devices look wrong and costs trusted fetches. */
export const FRESH_MS = 3_600_000
/** As many as in the ids of audits: nothing tells them apart. */
const ID_DIGITS = 24

/**
 * The page to hand to this device, or null. Never one that it, its owner or its network has seen:
 * they could answer from memory. `seen` are the canaries it had already.
 */
export function chooseCanary(
  pages: readonly VerifiedPage[],
  device: Party,
  turn: { secret: string; number: number; now: number; seen?: ReadonlySet<number> },
): VerifiedPage | null {
  const fit = pages.filter(
    (page) =>
      page.at <= turn.now &&
      turn.now - page.at <= FRESH_MS &&
      isLasting(page.facts.status) &&
      !turn.seen?.has(page.captureId) &&
      page.known.every((party) => isStranger(party, device)),
  )
  if (fit.length === 0) return null
  const drawn = createHmac('sha256', turn.secret)
    .update(`canary ${device.device} ${turn.number}`)
    .digest()
    .readUInt32BE(0)
  return fit[drawn % fit.length]!
}

/** Made of what is drawn once: an operation that runs again opens the same canary. */
export function canaryId(
  secret: string,
  { device, captureId, now }: { device: string; captureId: number; now: number },
): string {
  const digest = createHmac('sha256', secret).update(`canary id ${device} ${captureId} ${now}`)
  return `aud_${digest.digest('hex').slice(0, ID_DIGITS)}`
}

function isStranger(party: Party, device: Party): boolean {
  return (
    party.device !== device.device &&
    party.owner !== device.owner &&
    (party.network === null || party.network !== device.network)
  )
}

/** Unanswered canaries of one device at a time: more would show that something is being tried. */
const OPEN_MAX = 2
/** Devices checked in one go; the rest come next time. */
const DEVICES_MAX = 50
/** A device that was silent for this long gets none: the page would be old when it answers. */
const AWAY_MS = 300_000

export async function canaryCandidates(sql: Sql, args: { now: number }): Promise<Party[]> {
  return sql.all<Party>(
    `SELECT device, owner, network FROM device_trust t
     WHERE canaries_due > 0 AND state = 'active' AND is_trusted = 0 AND seen_at >= ?
       AND (SELECT COUNT(*) FROM audits a WHERE a.device = t.device AND a.kind = 'canary'
         AND a.state = 'canary' AND a.closed_at IS NULL) < ?
     ORDER BY device LIMIT ?`,
    [args.now - AWAY_MS, OPEN_MAX, DEVICES_MAX],
  )
}
