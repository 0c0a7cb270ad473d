/**
 * Tells a client's own server that a batch has ended. The call is signed, so that the server can
 * know us, and guarded.
 */
import { createHmac } from 'node:crypto'
import type { BatchView } from '@minga/protocol'
import { guardedPost, isTaken, type GuardedStation } from '../station/guarded-post.ts'
import type { Station } from '../station/station.ts'

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
