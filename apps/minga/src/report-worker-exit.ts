/** Tells a station that a worker is dead, so that nothing waits for the end of its leases. */
import { systemClock } from '@minga/protocol'

export interface DeadWorker {
  url: string
  token: string
  boot: string
}

/** A coordinator that was killed as well is back by then; later the leases have ended by themselves. */
const PATIENCE_MS = 10_000
const CALL_MS = 2_000
const PAUSE_MS = 200

export async function reportWorkerExit(dead: DeadWorker, signal: AbortSignal): Promise<void> {
  const untilMs = systemClock.monotonicMs() + PATIENCE_MS
  while (!signal.aborted && systemClock.monotonicMs() < untilMs) {
    if (await hasHeard(dead, signal)) return
    await systemClock.sleep(PAUSE_MS, signal)
  }
}

async function hasHeard({ url, token, boot }: DeadWorker, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await fetch(`${url}/worker/ended`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ boot }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(CALL_MS)]),
    })
    await response.arrayBuffer()
    // A refusal is an answer: asking again changes nothing.
    return response.status < 500
  } catch {
    return false
  }
}
