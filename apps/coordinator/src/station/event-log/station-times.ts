/** The station's own beginning and end in its log; one that ended without saying so is noticed when it begins again. */
import { spanText } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { EventLog } from './event-log.ts'
import type { Operations } from '../station-operations.ts'

/** Among the facts of the station: whether it is open. */
const FACT = 'isOpen'

/** Without an address it is a command that opens the folder for a question: no station starts and stops. */
export async function noteOpened(
  store: Calls<Operations>,
  eventLog: Pick<EventLog, 'note'>,
  { url, now }: { url: string | null; now: number },
): Promise<void> {
  if (url === null) return
  const wasOpen = await store.call('readFact', { name: FACT })
  if (wasOpen === 'yes') {
    const latestSeen = await store.call('readFact', { name: 'latestSeen' })
    const awayMs = Math.max(0, now - Number(latestSeen ?? now))
    const sentence = `The station had ended without closing: it was killed, or its machine went down. It was away for ${spanText(awayMs)}.`
    eventLog.note({ code: 'station:recovered', subject: '', sentence, details: { awayMs } })
  }
  const sentence = `The station listens at ${url}.`
  eventLog.note({ code: 'station:started', subject: '', sentence, details: { url } })
  await store.call('writeFact', { name: FACT, value: 'yes' })
}

/** What cannot be written now is lost as by a crash, and does not keep the station from closing. */
export async function noteClosed(
  store: Calls<Operations>,
  eventLog: Pick<EventLog, 'note' | 'flush'>,
  url: string | null,
): Promise<void> {
  const sentence = 'The station was closed.'
  if (url !== null) eventLog.note({ code: 'station:stopped', subject: '', sentence })
  await eventLog.flush().catch(() => {})
  if (url === null) return
  await store.call('writeFact', { name: FACT, value: 'no' }).catch(() => {})
}
