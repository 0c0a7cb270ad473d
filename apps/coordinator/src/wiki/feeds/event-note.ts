import type { EventNote, WikiEvent } from '@minga/wiki'

/** An entry of the wiki's log as it is kept. */
export function eventNoteOf(event: WikiEvent): EventNote {
  const { kind, at, logId, pageId, title, ...details } = event
  return { kind, at, logId: logId ?? 0, pageId, title, details }
}
