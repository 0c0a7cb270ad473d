/**
 * Step 4: one lane works through the requests of one host, one after the other, waiting the
 * host's delay after the end of each response. Whatever it may not dial any more is given back.
 */
import { faultPoint, type BlockRequest, type HostBlock } from '@minga/protocol'
import type { Hand } from './hand.ts'
import { recordOutcome } from './record.ts'

export async function fetchHost(hand: Hand, fence: number, host: HostBlock): Promise<void> {
  let restUntilMs = 0
  let goOn = true
  for (const request of host.requests) {
    if (goOn) {
      await restUntil(hand, restUntilMs)
      goOn = await fetchOne(hand, { fence, host, request })
      restUntilMs = hand.machine.clock.monotonicMs() + host.delayMs
    } else giveBack(hand, { fence, host, request })
  }
}

/** Timers may fire a millisecond early; a host's clock may not. */
async function restUntil({ machine, signal }: Hand, untilMs: number): Promise<void> {
  while (!signal.aborted) {
    const leftMs = untilMs - machine.clock.monotonicMs()
    if (leftMs <= 0) return
    await machine.clock.sleep(Math.ceil(leftMs), signal)
  }
}

export interface Errand {
  fence: number
  host: HostBlock
  request: BlockRequest
}

/** Sends one request; answers whether the host may be asked again in this block. */
async function fetchOne(hand: Hand, errand: Errand): Promise<boolean> {
  const { machine, outbox, turnstile } = hand
  await outbox.room()
  await turnstile.enter()
  try {
    if (!hand.mayDial(errand.fence)) {
      giveBack(hand, errand)
      return false
    }
    faultPoint('agent:before-dial')
    const { url, previous } = errand.request
    const outcome = await machine.fetcher.fetch({
      url,
      address: errand.host.address,
      ...(previous?.etag ? { etag: previous.etag } : {}),
      ...(previous?.lastModified ? { lastModified: previous.lastModified } : {}),
    })
    const endedAtMonotonicMs = machine.clock.monotonicMs()
    faultPoint('agent:after-response')
    outbox.put({ ...recordOutcome(machine, errand, outcome), endedAtMonotonicMs })
    hand.requestEnded()
    faultPoint('agent:after-record')
    return outcome.ok ? outcome.status !== 429 && outcome.status !== 503 : outcome.retry === 'never'
  } finally {
    turnstile.leave()
  }
}

function giveBack(hand: Hand, { fence, host, request }: Errand): void {
  const { hostId, collectionId } = host
  const result = { type: 'returned', fence, collectionId, hostId, hash: request.hash } as const
  hand.outbox.put({ result, members: [] })
  hand.requestEnded()
}
