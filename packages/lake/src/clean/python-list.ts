/**
 * List literals as Python prints them: `['A. Author', "O'Brien"]`. In plain code; `clean-sql.ts` says the same to
 * DuckDB, and a test compares the two. Lists of JSON are read too, since they look alike.
 */
import { trimmed, whiteSpaceOf } from './white-space.ts'

const SPACE = `[${whiteSpaceOf('javascript')}]*`
const STRING = `[uU]?(?:'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`
const TOKEN = new RegExp(
  `${SPACE}(${STRING}(?:${SPACE}${STRING})*|None|null|True|true|False|false|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?|[\\[\\],])${SPACE}`,
  'suy',
)

/** The elements, trimmed, without empty ones and `None`; null when it is no list. */
export function pythonList(text: string): string[] | null {
  const tokens = tokensOf(text)
  if (tokens === null || tokens[0] !== '[' || tokens.at(-1) !== ']' || tokens.length < 2)
    return null
  const inside = tokens.slice(1, -1)
  // Elements and commas take turns, beginning with an element; a last comma is allowed.
  if (inside.some((token, index) => isMark(token) !== (index % 2 === 1) || isBracket(token)))
    return null
  return inside
    .filter((token) => !isMark(token) && token !== 'None' && token !== 'null')
    .map((token) => trimmed(valueOf(token)))
    .filter((element) => element !== '')
}

function tokensOf(text: string): string[] | null {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  while (TOKEN.lastIndex < text.length) {
    const found = TOKEN.exec(text)
    if (found === null) return null
    tokens.push(found[1]!)
  }
  return tokens
}

const isBracket = (token: string): boolean => token === '[' || token === ']'
const isMark = (token: string): boolean => isBracket(token) || token === ','

const STRINGS = new RegExp(STRING, 'gsu')

/** Texts side by side are one text: `'it''s'` is written so by those who think of SQL. */
function valueOf(token: string): string {
  if (!/^[uU]?['"]/u.test(token)) return token
  return (token.match(STRINGS) ?? []).map(textOf).join('')
}

const textOf = (string: string): string =>
  string.replace(/^[uU]/u, '').slice(1, -1).replace(ESCAPE, unescaped)

const ESCAPE =
  /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\x[0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\U[0-9a-fA-F]{8}|\\[0-7]{1,3}|\\./gsu

/** What single letters behind a backslash mean; others stay as they are written. */
export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "'": "'",
  '"': '"',
  '\\': '\\',
  '/': '/',
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
  '\n': '',
}

function unescaped(escape: string): string {
  const letter = escape[1]!
  if (escape.length === 12) {
    return String.fromCharCode(codeAt(escape, 2, 6), codeAt(escape, 8, 12))
  }
  if (/[0-7]/.test(letter)) return character(Number.parseInt(escape.slice(1), 8))
  if ('xuU'.includes(letter) && escape.length > 2)
    return character(codeAt(escape, 2, escape.length))
  return SHORT_ESCAPES[letter] ?? escape
}

const codeAt = (escape: string, from: number, to: number): number =>
  Number.parseInt(escape.slice(from, to), 16)

/** Half of a pair, or a number beyond Unicode, is no character. */
const character = (code: number): string =>
  code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff) ? '\ufffd' : String.fromCodePoint(code)
