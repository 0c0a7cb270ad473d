/** Finds what the user means from a few letters: `ncol` finds "New collection". */
import { plain } from '../list/list-match.ts'

/** How well it fits, the higher the better; null when a letter is missing. */
export function fitOf(asked: string, text: string): number | null {
  const letters = plain(asked).replaceAll(' ', '')
  const whole = plain(text)
  if (letters === '') return 0
  const at = whole.indexOf(plain(asked).trim())
  // The words themselves beat scattered letters, the nearer to the beginning the better.
  if (at >= 0) return 1_000 - at - whole.length / 1_000
  let score = 0
  let from = 0
  for (const letter of letters) {
    const found = whole.indexOf(letter, from)
    if (found < 0) return null
    const startsWord = found === 0 || /[^\p{L}\p{N}]/u.test(whole[found - 1]!)
    score += startsWord ? 10 : found === from ? 5 : 1
    from = found + 1
  }
  return score - whole.length / 1_000
}

export function bestFits<Item extends { text: string }>(
  asked: string,
  items: readonly Item[],
): Item[] {
  return items
    .map((item, order) => ({ item, order, fit: fitOf(asked, item.text) }))
    .filter(({ fit }) => fit !== null)
    .toSorted((a, b) => b.fit! - a.fit! || a.order - b.order)
    .map(({ item }) => item)
}
