/** What a list asks, as the station's lists of collections are asked. */
import type { ListQuestion } from '../../components/list/list-rows.ts'

/** What a list asks for, as its address says it; several words stand with commas between. */
type ListWords = Record<string, string | number | null | undefined>

const orNone = (text: string): string | null => (text === '' ? null : text)

export function wordsOf({ text, filters, sort, cursor, limit }: ListQuestion): ListWords {
  return { ...filters, q: orNone(text), sort: orNone(sort), cursor, limit }
}
