/**
 * White space is written down once, so that no two engines can differ about it: everything that Unicode calls white
 * space (White_Space), and nothing else: characters of no width, U+FEFF among them, are part of a text.
 */
const RANGES: readonly (readonly [first: number, last: number])[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0x85, 0x85],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
]

/** For the inside of a character class, as DuckDB's regular expressions (RE2) and JavaScript's with `u` write it. */
export const whiteSpaceOf = (dialect: 're2' | 'javascript'): string =>
  RANGES.map((range) => range.map((code) => codeIn(dialect, code)).join('-')).join('')

function codeIn(dialect: 're2' | 'javascript', code: number): string {
  return dialect === 're2' ? `\\x{${code.toString(16)}}` : `\\u{${code.toString(16)}}`
}

const WHITE_SPACE = new Set(
  RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, offset) => first + offset),
  ),
)

/** In loops: a pattern for the end would begin again at every blank of a long run in the middle. */
export function trimmed(text: string): string {
  let [from, to] = [0, text.length]
  while (from < to && WHITE_SPACE.has(text.charCodeAt(from))) from += 1
  while (to > from && WHITE_SPACE.has(text.charCodeAt(to - 1))) to -= 1
  return text.slice(from, to)
}
