/** What a list asks, as the station's lists of collections are asked. */
import type { ListWords } from '../../api/client.ts'
import type { ListQuestion } from '../../components/list/list-rows.ts'

const orNone = (text: string): string | null => (text === '' ? null : text)

export function wordsOf({ text, filters, sort, cursor, limit }: ListQuestion): ListWords {
  return { ...filters, q: orNone(text), sort: orNone(sort), cursor, limit }
}
