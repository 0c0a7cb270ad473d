/**
 * Canaries: a page that was verified a moment ago is handed to a device as an ordinary request,
 * and its answer is compared with what is known. Made from real traffic, so nothing tells them
 * from other requests; they need no second device at the time, so a fleet in which eligible
 * auditors are rare can still be tested.
 */
import { createHmac } from 'node:crypto'
import { isLasting } from './selection.ts'
import type { Party } from './eligible.ts'
import type { PageFacts } from './verdict.ts'

export interface VerifiedPage {
  readonly captureId: number
  readonly hostId: number
  readonly hash: number
  readonly url: string
  readonly facts: PageFacts
  /** When it was verified. */
  readonly at: number
  /** Who fetched it, and who confirmed it. */
  readonly known: readonly Party[]
}

/** A page may change: an old capture makes honest devices look wrong and costs trusted fetches. */
const FRESH_MS = 3_600_000

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

function isStranger(party: Party, device: Party): boolean {
  return (
    party.device !== device.device &&
    party.owner !== device.owner &&
    (party.network === null || party.network !== device.network)
  )
}
