/**
 * Signs of life. An answer renews our right to dial; what it names as ended is dropped. The loop
 * runs in a thread of its own (beat-thread.ts), so that no work of ours can keep it waiting.
 */
import {
  BEAT_EVERY_MS,
  SILENCE_MS,
  type Heartbeat,
  type HeartbeatResponse,
  type Clock,
} from '@minga/protocol'
import { StationUnreachable } from '../errors.ts'
import type { ReadAnswer } from './station-call.ts'

/** An agent holds a few leases at a time. */
const ENDED_MAX = 100_000

export interface Beating {
  clock: Clock
  say(): Heartbeat
  send(beat: Heartbeat, signal: AbortSignal): Promise<HeartbeatResponse>
  /** The station answered the beat that was sent at this moment, and these leases are over. */
  heard(sentAtMonotonicMs: number, ended: readonly number[]): void
}

export async function keepBeating(beating: Beating, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await beating.clock.sleep(BEAT_EVERY_MS, signal)
    if (!signal.aborted) await beatOnce(beating, signal)
  }
}

async function beatOnce(beating: Beating, signal: AbortSignal): Promise<void> {
  const { clock } = beating
  const over = new AbortController()
  const isOver = AbortSignal.any([signal, over.signal])
  // An answer after so long renews nothing, while a new beat on a new connection may get through.
  void clock.sleep(SILENCE_MS, isOver).then(() => over.abort())
  try {
    const sentAt = clock.monotonicMs()
    const { ended } = await beating.send(beating.say(), isOver)
    beating.heard(sentAt, ended)
  } catch (error) {
    // Silence is its own message: the work buffer stops dialling by itself when it lasts.
    if (!(error instanceof StationUnreachable)) throw error
  } finally {
    over.abort()
  }
}

/** Checked without zod: the heartbeat thread would load a library for this one list. */
export const asBeatAnswer: ReadAnswer<HeartbeatResponse> = async (json) => {
  const ended: unknown = typeof json === 'object' && json !== null && 'ended' in json && json.ended
  if (!Array.isArray(ended) || ended.length > ENDED_MAX)
    return { problem: 'ended: no list of leases' }
  return { answer: { ended: ended.filter((fence) => Number.isSafeInteger(fence)) } }
}
