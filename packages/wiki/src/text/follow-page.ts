/** The words of a page, followed through its history as it is read. */
import type { Revision } from '../model.ts'
import { TextHistory } from './text-history.ts'

/** Oldest first, with texts. Only one text is in memory at a time. */
export async function followPage(
  revisions: AsyncIterable<Revision> | Iterable<Revision>,
  { role = 'main' }: { role?: string } = {},
): Promise<TextHistory> {
  const history = new TextHistory()
  const decoder = new TextDecoder()
  for await (const { revId, user, slots } of revisions) {
    const text = slots.find((slot) => slot.role === role)?.text ?? null
    history.add({ revId, user, text: text === null ? null : decoder.decode(text) })
  }
  return history
}
