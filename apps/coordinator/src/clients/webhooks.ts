/**
 * Tells a client's own server that a batch has ended. The call is signed, so that the server can
 * know us, and guarded.
 */
import { createHmac } from 'node:crypto'
import type { BatchView } from '@minga/protocol'
import type { StationSecrets } from '../station/secrets/station-secrets.ts'
import { guardedPost, isTaken, type GuardedParts } from '../station/guarded-post.ts'

export interface WebhookParts extends GuardedParts {
  /** Known to this station only; each batch's own secret is made from it. */
  secrets: StationSecrets
}

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
  parts: WebhookParts,
  args: { url: string; batch: BatchView; atMs: number },
): Promise<boolean> {
  const { url, batch, atMs } = args
  const body = JSON.stringify({ event: 'batch.ended', batch })
  const secret = webhookSecret(parts.secrets.givenAt(batch.createdAt, atMs), batch.id)
  return callSigned(parts, { url, body, secret, atMs })
}

export async function callSigned(parts: GuardedParts, args: SignedCall): Promise<boolean> {
  return (await sendSigned(parts, args)) === null
}

interface SignedCall {
  url: string
  body: string
  secret: string
  atMs: number
}

/** Why the server did not take it, in words; null when it did. */
export async function sendSigned(parts: GuardedParts, args: SignedCall): Promise<string | null> {
  const answer = await guardedPost(parts, new URL(args.url), {
    headers: { 'content-type': 'application/json', 'minga-signature': signatureOf(args) },
    body: args.body,
  })
  if (answer.type === 'refused') {
    return 'its name is unknown, or leads to an address that is not called'
  }
  if (answer.type === 'silent') return answer.message
  return isTaken(answer) ? null : `it answered ${answer.status}`
}
