/** The coordinator's pulse: each of its parts looks, in turn and again and again, whether time has made work for it. */
import { isMingaError, type Clock } from '@minga/protocol'
import type { IncomingMessage, Server } from 'node:http'
import type { EventLog } from './event-log/event-log.ts'

const TICK_MS = 500
/** While nobody calls: half the work for what nobody waits for. */
const IDLE_TICK_MS = 1_000
/** After the last call. */
const BUSY_MS = 5_000
/** By which agents and workers say that they are there, with nothing to do. */
const IDLE_CALLS = /^\/(agent\/(ask|beat)|worker\/lease)\b/

export interface Ticking {
  parts: readonly { tick(): Promise<void> }[]
  clock: Clock
  /** Whose callers keep the pulse quick; null when they are in this process. */
  server: Pick<Server, 'on'> | null
  eventLog: Pick<EventLog, 'note'>
}

export async function tickUntil(
  { parts, clock, server, eventLog }: Ticking,
  signal: AbortSignal,
): Promise<void> {
  let calledMs = clock.monotonicMs()
  server?.on('request', ({ url = '' }: IncomingMessage) => {
    if (!IDLE_CALLS.test(url)) calledMs = clock.monotonicMs()
  })
  while (!signal.aborted) {
    try {
      for (const part of parts) await part.tick()
    } catch (error) {
      // A full disk or an absent database passes; agents keep their results meanwhile.
      if (!isMingaError(error) || error.retry === 'never') throw error
      process.stderr.write(`minga: ${error.message} (${error.code})\n`)
      const { code: subject, message } = error
      const noted = { subject, sentence: message, details: { message } }
      eventLog.note({ code: 'station:trouble', ...noted })
    }
    const isIdle = server !== null && clock.monotonicMs() - calledMs > BUSY_MS
    await clock.sleep(isIdle ? IDLE_TICK_MS : TICK_MS, signal)
  }
}
