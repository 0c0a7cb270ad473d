/**
 * Step 4: one host's requests, in their order, `threads` at a time and one at a time wherever there
 * is a delay, which is waited out after the end of each response. Whatever may not be dialled any
 * more is given back.
 */
import { faultPoint, type BlockRequest, type HostBlock } from '@minga/protocol'
import { errandOf, type Errand } from './errand.ts'
import type { Hand } from './hand.ts'

/** One host's requests in a block, and what its threads share. */
export interface Group {
  fence: number
  host: HostBlock
  left: ArrayIterator<BlockRequest>
  /** Whether the host may be asked again in this block. */
  goOn: boolean
}

export function groupOf(fence: number, host: HostBlock): Group {
  return { fence, host, left: host.requests.values(), goOn: true }
}

export async function fetchHost(hand: Hand, group: Group): Promise<void> {
  const { host } = group
  const isSpaced = host.delayMs > 0 || host.bytesPerSecond !== null
  const threads = isSpaced ? 1 : host.threads
  await Promise.all(Array.from({ length: threads }, () => runThread(hand, group)))
}

/** Whatever no thread has taken up yet: it need not wait for a response that is in the air. */
export function giveBackRest(hand: Hand, group: Group): void {
  group.goOn = false
  const { fence, host, left } = group
  for (const request of left) giveBack(hand, errandOf(fence, host, request))
}

async function runThread(hand: Hand, group: Group): Promise<void> {
  const { clock, lending } = hand.machine
  const { fence, host, left } = group
  const place = hand.turnstile.place()
  let restUntilMs = 0
  for (const request of left) {
    const errand = errandOf(fence, host, request)
    if (!group.goOn || lending?.refuses(request.url)) {
      giveBack(hand, errand)
      continue
    }
    // A lane that need not rest keeps its place: hosts then end one after the other and are free
    // for new work, instead of all together at the end of a block.
    if (restUntilMs > clock.monotonicMs()) place.leave()
    await restUntil(hand, restUntilMs, hand.halt)
    const isIn = !hand.halt.aborted && (await place.enter())
    const fetched = isIn ? await fetchOne(hand, errand, host) : giveBack(hand, errand)
    group.goOn &&= fetched.goOn
    restUntilMs = clock.monotonicMs() + restMs(host, fetched)
  }
  place.leave()
  // The lane ends with the host rested, so that another lane may begin at once.
  await restUntil(hand, restUntilMs, hand.signal)
}

/** Timers may fire a millisecond early; a host's clock may not. */
async function restUntil({ machine }: Hand, untilMs: number, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const leftMs = untilMs - machine.clock.monotonicMs()
    if (leftMs <= 0) return
    await machine.clock.sleep(Math.ceil(leftMs), signal)
  }
}

function restMs(host: HostBlock, { bytes, totalMs }: Fetched): number {
  const { delayMs, bytesPerSecond, restFactor } = host
  const forBytesMs = bytesPerSecond === null ? 0 : (bytes * 1_000) / bytesPerSecond
  const forTimeMs = restFactor ? Math.min(restFactor.atMostMs, restFactor.times * totalMs) : 0
  return Math.max(delayMs, forBytesMs, forTimeMs)
}

interface Fetched {
  /** Whether the host may be asked again in this block. */
  goOn: boolean
  bytes: number
  /** How long the download took. */
  totalMs: number
}

async function fetchOne(hand: Hand, errand: Errand, host: HostBlock): Promise<Fetched> {
  const { machine } = hand
  const { address, authorization } = host
  await hand.roomForResults()
  const hasTurn = await hand.turn(errand.fence)
  faultPoint('agent:before-dial')
  // Nothing may come between this question and the dial: a pause there would go unnoticed.
  if (!hasTurn || !hand.mayDial(errand.fence)) return giveBack(hand, errand, !hand.halt.aborted)
  const { url, previous } = errand.request
  const signal = hand.signalOf(errand.fence)
  const fetching = machine.fetcher.fetch({
    url,
    address,
    mayStart: () => hand.mayDial(errand.fence),
    ...(signal ? { signal } : {}),
    ...(authorization === undefined ? {} : { headers: [['authorization', authorization]] }),
    ...(previous?.etag ? { etag: previous.etag } : {}),
    ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
  })
  machine.lending?.began(errand)
  const outcome = await fetching
  machine.lending?.ended(errand, outcome)
  if (!outcome.ok && outcome.code === 'MINGA_CANCELLED') {
    if (!hand.isAbandoned) return giveBack(hand, errand)
    hand.requestEnded()
    return NOTHING
  }
  const endedAtMs = machine.clock.monotonicMs()
  // Counted before the recorder takes the body away.
  const bytes = outcome.ok ? outcome.body.length : 0
  faultPoint('agent:after-response')
  machine.recorder.put({ errand, outcome, endedAtMs })
  hand.requestEnded()
  faultPoint('agent:after-record')
  const { totalMs } = outcome
  if (!outcome.ok) return { goOn: outcome.retry === 'never', bytes: 0, totalMs }
  return { goOn: outcome.status !== 429 && outcome.status !== 503, bytes, totalMs }
}

const NOTHING: Fetched = { goOn: false, bytes: 0, totalMs: 0 }

function giveBack(hand: Hand, errand: Errand, isLate = false): Fetched {
  hand.machine.recorder.put({ errand, outcome: null, endedAtMs: 0 })
  hand.machine.lending?.gaveBack(isLate)
  hand.requestEnded()
  return NOTHING
}
