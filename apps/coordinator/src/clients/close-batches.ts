/**
 * What is left to do when a batch has ended: call the client's webhook, then close the books. A
 * webhook that does not answer is retried for a while; after a restart the retries begin again, so
 * a client may be notified of a batch twice, and always at least once if its server is up.
 */
import { createHmac } from 'node:crypto'
import type { EndedBatch } from '@minga/frontier'
import type { BatchView } from '@minga/protocol'
import type { Station } from '../station/station.ts'
import { guardedPost, isTaken, type GuardedStation } from '../station/guarded-post.ts'

type ClosingStation = Pick<Station, 'store' | 'clock' | 'resolver' | 'guard' | 'secrets'>

const BATCHES_PER_TICK = 100
/** Pauses between tries: about a day and a half in all. */
const RETRY_MS = [0, 1_000, 5_000, 30_000, 300_000, 3_600_000, 43_200_000, 86_400_000]

export class BatchCloser {
  readonly #station: ClosingStation
  readonly #viewOf: (id: string) => Promise<BatchView>
  readonly #trying = new Map<string, { tries: number; nextAtMs: number }>()

  constructor(station: ClosingStation, viewOf: (id: string) => Promise<BatchView>) {
    this.#station = station
    this.#viewOf = viewOf
  }

  async tick(): Promise<void> {
    const ended = await this.#station.store.call('unclosedBatches', { limit: BATCHES_PER_TICK })
    await Promise.all(ended.map((batch) => this.#close(batch)))
  }

  async #close({ id, client, webhook }: EndedBatch): Promise<void> {
    const { store, clock } = this.#station
    if (webhook !== null && !(await this.#isTold(id, webhook))) return
    this.#trying.delete(id)
    await store.call('closeBatch', { id, client, now: clock.now() })
  }

  async #isTold(id: string, url: string): Promise<boolean> {
    const { clock } = this.#station
    const trying = this.#trying.get(id) ?? { tries: 0, nextAtMs: 0 }
    if (clock.monotonicMs() < trying.nextAtMs) return false
    const batch = await this.#viewOf(id)
    if (await callWebhook(this.#station, { url, batch, atMs: clock.now() })) return true
    const tries = trying.tries + 1
    const pauseMs = RETRY_MS[tries]
    // A server that is away for days is gone; its results stay where they are.
    if (pauseMs === undefined) return true
    this.#trying.set(id, { tries, nextAtMs: clock.monotonicMs() + pauseMs })
    return false
  }
}

// Tells a client's own server that a batch has ended. The call is signed, so that the server can
// know us, and guarded.

/** What the client needs to verify our signature; sent once, when the batch is submitted. */
export function webhookSecret(secret: string, batchId: string): string {
  return createHmac('sha256', secret).update(`webhook ${batchId}`).digest('hex')
}

/** `t` is inside what is signed, so that an old call cannot be played again later. */
function signatureOf(args: { secret: string; body: string; atMs: number }): string {
  const signed = createHmac('sha256', args.secret).update(`${args.atMs}.${args.body}`)
  return `t=${args.atMs},v1=${signed.digest('hex')}`
}

/** Whether the server took it (any 2xx). What may never be called counts as not taken. */
export async function callWebhook(
  station: GuardedStation & Pick<Station, 'secrets'>,
  args: { url: string; batch: BatchView; atMs: number },
): Promise<boolean> {
  const { url, batch, atMs } = args
  const body = JSON.stringify({ event: 'batch.ended', batch })
  const secret = webhookSecret(station.secrets.givenAt(batch.createdAt, atMs), batch.id)
  return callSigned(station, { url, body, secret, atMs })
}

export async function callSigned(station: GuardedStation, args: SignedCall): Promise<boolean> {
  return (await sendSigned(station, args)) === null
}

interface SignedCall {
  url: string
  body: string
  secret: string
  atMs: number
}

/** Why the server did not take it, in words; null when it did. */
export async function sendSigned(
  station: GuardedStation,
  args: SignedCall,
): Promise<string | null> {
  const answer = await guardedPost(station, new URL(args.url), {
    headers: { 'content-type': 'application/json', 'minga-signature': signatureOf(args) },
    body: args.body,
  })
  if (answer.type === 'refused') {
    return 'its name is unknown, or leads to an address that is not called'
  }
  if (answer.type === 'silent') return answer.message
  return isTaken(answer) ? null : `it answered ${answer.status}`
}
