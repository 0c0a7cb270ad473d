/** Row functions that every station knows. */
import { scorerOf, type Language } from '../sentiment/scorers.ts'
import type { RowFunction } from './row-function.ts'

const sentiment =
  (language: Language): RowFunction =>
  (text) =>
    typeof text === 'string' ? scorerOf(language)(text) : null

export const SHIPPED_FUNCTIONS: ReadonlyMap<string, RowFunction> = new Map([
  ['sentiment', sentiment('en')],
  ['sentiment-es', sentiment('es')],
  ['sentiment-pt', sentiment('pt')],
  ['characters', (text) => (text === null ? null : characters(String(text)))],
])

/** Code points, as DuckDB's `length` counts. */
function characters(text: string): number {
  let count = text.length
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // The first half of a pair; text from DuckDB has no half without the other.
    if (unit >= 0xd800 && unit < 0xdc00) count--
  }
  return count
}
