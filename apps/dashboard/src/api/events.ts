/** What the page asks about the log of events. */
import type { LoggedEvent } from '@minga/protocol'
import type { EventQuestion } from '../screens/events/event-question.ts'
import { queryOf } from './call.ts'
import { events as eventsOf } from './event-stream.ts'

/** New lines as they are written, some at a time. Ends when the station ends it. */
export async function* newEvents(
  question: EventQuestion,
  signal: AbortSignal,
): AsyncGenerator<LoggedEvent[]> {
  const path = `/event-log/stream${queryOf({ ...question })}`
  for await (const { event, data } of eventsOf(path, signal)) {
    if (event === 'events') yield JSON.parse(data) as LoggedEvent[]
  }
}
