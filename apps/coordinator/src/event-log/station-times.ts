/** The station's own beginning and end in its log; one that ended without saying so is noticed when it begins again. */
import { spanText } from '@minga/protocol'
import type { Store } from '@minga/store'
import type { EventLog } from './event-log.ts'

/** Among the facts of the station: whether it is open. */
const FACT = 'isOpen'

export async function noteOpened(
  store: Pick<Store, 'call'>,
  eventLog: Pick<EventLog, 'note'>,
  { url, now }: { url: string | null; now: number },
): Promise<void> {
  const wasOpen = await store.call<string | null>('readFact', { name: FACT })
  if (wasOpen === 'yes') {
    const latestSeen = await store.call<string | null>('readFact', { name: 'latestSeen' })
    const awayMs = Math.max(0, now - Number(latestSeen ?? now))
    const sentence = `The station had ended without closing: it was killed, or its machine went down. It was away for ${spanText(awayMs)}.`
    eventLog.note({ code: 'station:recovered', subject: '', sentence, details: { awayMs } })
  }
  const sentence = url === null ? 'The station works.' : `The station listens at ${url}.`
  const details = url === null ? {} : { url }
  eventLog.note({ code: 'station:started', subject: '', sentence, details })
  await store.call('writeFact', { name: FACT, value: 'yes' })
}

/** What cannot be written now is lost as by a crash, and hinders nobody from closing. */
export async function noteClosed(
  store: Pick<Store, 'call'>,
  eventLog: Pick<EventLog, 'note' | 'flush'>,
): Promise<void> {
  eventLog.note({ code: 'station:stopped', subject: '', sentence: 'The station was closed.' })
  await eventLog.flush().catch(() => {})
  await store.call('writeFact', { name: FACT, value: 'no' }).catch(() => {})
}
