/**
 * Step 4: one lane works through the requests of one host, one after the other, waiting the
 * host's delay after the end of each response. Whatever it may not dial any more is given back.
 */
import { faultPoint, type HostBlock } from '@minga/protocol'
import { errandOf, type Errand } from './errand.ts'
import type { Hand } from './hand.ts'

export async function fetchHost(hand: Hand, fence: number, host: HostBlock): Promise<void> {
  const { clock } = hand.machine
  const place = hand.turnstile.place()
  let restUntilMs = 0
  let goOn = true
  for (const request of host.requests) {
    const errand = errandOf(fence, host, request)
    if (!goOn) {
      giveBack(hand, errand)
      continue
    }
    // A lane that need not rest keeps its place: hosts then end one after the other and are free
    // for new work, instead of all together at the end of a block.
    if (restUntilMs > clock.monotonicMs()) place.leave()
    await restUntil(hand, restUntilMs)
    await place.enter()
    goOn = await fetchOne(hand, errand, host.address)
    restUntilMs = clock.monotonicMs() + host.delayMs
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

/** Sends one request; answers whether the host may be asked again in this block. */
async function fetchOne(hand: Hand, errand: Errand, address: string): Promise<boolean> {
  const { machine } = hand
  await hand.roomForResults()
  faultPoint('agent:before-dial')
  // Nothing may come between this question and the dial: a pause there would go unnoticed.
  if (!hand.mayDial(errand.fence)) {
    giveBack(hand, errand)
    return false
  }
  const { url, previous } = errand.request
  const outcome = await machine.fetcher.fetch({
    url,
    address,
    ...(previous?.etag ? { etag: previous.etag } : {}),
    ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
  })
  const endedAtMs = machine.clock.monotonicMs()
  faultPoint('agent:after-response')
  machine.recorder.put({ errand, outcome, endedAtMs })
  hand.requestEnded()
  faultPoint('agent:after-record')
  return outcome.ok ? outcome.status !== 429 && outcome.status !== 503 : outcome.retry === 'never'
}

function giveBack(hand: Hand, errand: Errand): void {
  hand.machine.recorder.put({ errand, outcome: null, endedAtMs: 0 })
  hand.requestEnded()
}
