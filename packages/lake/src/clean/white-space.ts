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

const EDGES = new RegExp(
  `^[${whiteSpaceOf('javascript')}]+|[${whiteSpaceOf('javascript')}]+$`,
  'gu',
)

export const trimmed = (text: string): string => text.replace(EDGES, '')
