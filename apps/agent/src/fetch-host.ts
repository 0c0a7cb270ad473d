/**
 * Step 4: one host's requests, in their order, `threads` at a time and one at a time wherever there
 * is a delay, which is waited out after the end of each response. Whatever may not be dialled any
 * more is given back.
 */
import { faultPoint, type BlockRequest, type HostBlock } from '@minga/protocol'
import { errandOf, type Errand } from './errand.ts'
import type { Hand } from './hand.ts'

/** What the threads of one host share. */
interface Group {
  fence: number
  host: HostBlock
  left: ArrayIterator<BlockRequest>
  /** Whether the host may be asked again in this block. */
  goOn: boolean
}

export async function fetchHost(hand: Hand, fence: number, host: HostBlock): Promise<void> {
  const group: Group = { fence, host, left: host.requests.values(), goOn: true }
  const isSpaced = host.delayMs > 0 || host.bytesPerSecond !== null
  const threads = isSpaced ? 1 : host.threads
  await Promise.all(Array.from({ length: threads }, () => runThread(hand, group)))
}

async function runThread(hand: Hand, group: Group): Promise<void> {
  const { clock } = hand.machine
  const { fence, host, left } = group
  const place = hand.turnstile.place()
  let restUntilMs = 0
  for (const request of left) {
    const errand = errandOf(fence, host, request)
    if (!group.goOn) {
      giveBack(hand, errand)
      continue
    }
    // A lane that need not rest keeps its place: hosts then end one after the other and are free
    // for new work, instead of all together at the end of a block.
    if (restUntilMs > clock.monotonicMs()) place.leave()
    await restUntil(hand, restUntilMs)
    await place.enter()
    const fetched = await fetchOne(hand, errand, host.address)
    group.goOn &&= fetched.goOn
    restUntilMs = clock.monotonicMs() + restMs(host, fetched.bytes)
  }
  place.leave()
  // The lane ends with the host rested, so that another lane may begin at once.
  await restUntil(hand, restUntilMs)
}

/** Timers may fire a millisecond early; a host's clock may not. */
async function restUntil({ machine, signal }: Hand, untilMs: number): Promise<void> {
  while (!signal.aborted) {
    const leftMs = untilMs - machine.clock.monotonicMs()
    if (leftMs <= 0) return
    await machine.clock.sleep(Math.ceil(leftMs), signal)
  }
}

function restMs({ delayMs, bytesPerSecond }: HostBlock, bytes: number): number {
  return bytesPerSecond === null ? delayMs : Math.max(delayMs, (bytes * 1_000) / bytesPerSecond)
}

interface Fetched {
  /** Whether the host may be asked again in this block. */
  goOn: boolean
  bytes: number
}

async function fetchOne(hand: Hand, errand: Errand, address: string): Promise<Fetched> {
  const { machine } = hand
  await hand.roomForResults()
  faultPoint('agent:before-dial')
  // Nothing may come between this question and the dial: a pause there would go unnoticed.
  if (!hand.mayDial(errand.fence)) {
    giveBack(hand, errand)
    return { goOn: false, bytes: 0 }
  }
  const { url, previous } = errand.request
  const signal = hand.signalOf(errand.fence)
  const outcome = await machine.fetcher.fetch({
    url,
    address,
    mayStart: () => hand.mayDial(errand.fence),
    ...(signal ? { signal } : {}),
    ...(previous?.etag ? { etag: previous.etag } : {}),
    ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
  })
  if (!outcome.ok && outcome.code === 'MINGA_CANCELLED') {
    giveBack(hand, errand)
    return { goOn: false, bytes: 0 }
  }
  const endedAtMs = machine.clock.monotonicMs()
  // Counted before the recorder takes the body away.
  const bytes = outcome.ok ? outcome.body.length : 0
  faultPoint('agent:after-response')
  machine.recorder.put({ errand, outcome, endedAtMs })
  hand.requestEnded()
  faultPoint('agent:after-record')
  if (!outcome.ok) return { goOn: outcome.retry === 'never', bytes: 0 }
  return { goOn: outcome.status !== 429 && outcome.status !== 503, bytes }
}

function giveBack(hand: Hand, errand: Errand): void {
  hand.machine.recorder.put({ errand, outcome: null, endedAtMs: 0 })
  hand.requestEnded()
}
