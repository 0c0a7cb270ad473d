/** What the recording thread does: findings in, uploads out. See recorder.ts for the other end. */
import { systemClock } from '@minga/protocol'
import { randomUUID } from 'node:crypto'
import type { MessagePort } from 'node:worker_threads'
import { maskOf, type AddressMask } from './mask-addresses.ts'
import { Outbox } from './outbox.ts'
import { AT_EASE, HURRIED, recordFinding } from './record.ts'
import {
  IN_PROGRESS,
  NOTHING,
  type Finding,
  type RecorderData,
  type RecorderRequest,
} from './recorder.ts'

export function serveRecorder(
  port: MessagePort,
  { progress }: RecorderData,
  record: typeof recordFinding = recordFinding,
): void {
  const outbox = new Outbox()
  const tools = { clock: systemClock, newId: randomUUID }
  const maskFor = rememberedMask()
  port.on('message', (request: RecorderRequest) => {
    if (request.type === 'close') process.exit()
    if (request.type === 'findings') {
      const effort = request.isHurried ? HURRIED : AT_EASE
      const mask = maskFor(request.ownAddresses)
      for (const [place, finding] of request.findings.entries()) {
        Atomics.store(progress, IN_PROGRESS, request.firstNumber + place)
        outbox.put(record({ ...tools, effort, mask }, revived(finding)))
      }
      Atomics.store(progress, IN_PROGRESS, NOTHING)
      return
    }
    const batch = outbox.take({ ...request, nowMs: systemClock.monotonicMs() })
    port.postMessage(batch, batch === null ? [] : [batch.body.buffer])
  })
}

/** The addresses hardly ever change, and their patterns are compiled. */
function rememberedMask(): (addresses: readonly string[]) => AddressMask | null {
  let [key, mask]: [string, AddressMask | null] = ['', null]
  return (addresses) => {
    const wanted = addresses.join(' ')
    if (wanted !== key) [key, mask] = [wanted, maskOf(addresses)]
    return mask
  }
}

/** A Buffer crosses threads as plain bytes. */
function revived(finding: Finding): Finding {
  const { outcome } = finding
  if (outcome === null || !outcome.ok) return finding
  const { buffer, byteOffset, byteLength } = outcome.body
  return { ...finding, outcome: { ...outcome, body: Buffer.from(buffer, byteOffset, byteLength) } }
}
