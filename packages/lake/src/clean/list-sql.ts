/** List literals in DuckDB's own words; `python-list.ts` says in plain code what they mean. */
import { SHORT_ESCAPES } from './python-list.ts'
import { sqlText } from '../kernel/sql-text.ts'
import { whiteSpaceOf } from './white-space.ts'

const SPACE = `[${whiteSpaceOf('re2')}]*`
const STRING = `[uU]?(?:'(?:[^'\\\\]|\\\\.)*'|"(?:[^"\\\\]|\\\\.)*")`
const ELEMENT = `${STRING}(?:${SPACE}${STRING})*|None|null|True|true|False|false|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?`
const LIST = `(?s)${SPACE}\\[${SPACE}(?:(?:${ELEMENT})${SPACE}(?:,${SPACE}(?:${ELEMENT})${SPACE})*,?)?${SPACE}\\]${SPACE}`
/** By far most lists: texts without quotes or backslashes in them and without white space at their edges. */
const VISIBLE = `[!#-&(-\\[\\]-~]`
const NEAT_TEXT = `${VISIBLE}(?:[^'"\\\\]*${VISIBLE})?`
const NEAT = `\\['${NEAT_TEXT}'(?:, '${NEAT_TEXT}')*\\]`

const PAIR = '\\\\u[dD][89abAB][0-9a-fA-F]{2}\\\\u[dD][c-fC-F][0-9a-fA-F]{2}'
const CODE = '\\\\x[0-9a-fA-F]{2}|\\\\u[0-9a-fA-F]{4}|\\\\U[0-9a-fA-F]{8}'
const PIECE = `(?s)${PAIR}|${CODE}|\\\\[0-7]{1,3}|\\\\.|[^\\\\]+`

const hex = (piece: string, from: number, to: number): string =>
  `coalesce(TRY_CAST('0x' || ${piece}[${from}:${to}] AS BIGINT), 0)`

const octal = (piece: string): string =>
  `list_reduce([0::BIGINT] || list_transform(string_split(${piece}[2:], ''), lambda d: coalesce(TRY_CAST(d AS BIGINT), 0)), lambda whole, d: whole * 8 + d)`

/** `chr` fails on what is no character, so it is never given that. */
const character = (code: string): string =>
  `chr((CASE WHEN ${code} > 1114111 OR ${code} BETWEEN 55296 AND 57343 THEN 65533 ELSE ${code} END)::INTEGER)`

const pair = (piece: string): string =>
  `(65536 + ((${hex(piece, 3, 6)} - 55296) * 1024) + (${hex(piece, 9, 12)} - 56320))`

const shortEscapes = (piece: string): string =>
  Object.entries(SHORT_ESCAPES)
    .map(([letter, value]) => `WHEN ${sqlText(`\\${letter}`)} THEN ${sqlText(value)}`)
    .reduce((cases, one) => `${cases} ${one}`, `CASE ${piece}`)
    .concat(` ELSE ${piece} END`)

const PIECE_VALUE = `CASE
    WHEN p[1] <> '\\' THEN p
    WHEN length(p) = 12 THEN ${character(pair('p'))}
    WHEN p[2] BETWEEN '0' AND '7' THEN ${character(octal('p'))}
    WHEN length(p) > 2 THEN ${character(hex('p', 3, 10))}
    ELSE ${shortEscapes('p')} END`

/** Texts side by side are one; only texts end with a quote, while a `u` may stand before the first. */
const elements = (text: (quoted: string) => string): string => `list_filter(
    list_transform(regexp_extract_all(x, ${sqlText(`(?s)${ELEMENT}`)}), lambda t: CASE
      WHEN t[-1] IN ('''', '"') THEN clean_text(array_to_string(list_transform(
        regexp_extract_all(t, ${sqlText(`(?s)${STRING}`)}), lambda q: ${text(`ltrim(q, 'uU')`)}), ''))
      WHEN t IN ('None', 'null') THEN NULL
      ELSE t END),
    lambda e: e IS NOT NULL)`

export const listMacros: readonly string[] = [
  `CREATE OR REPLACE TEMP MACRO unescape_text(x) AS CASE WHEN NOT contains(x, '\\') THEN x ELSE
    array_to_string(list_transform(regexp_extract_all(x, ${sqlText(PIECE)}), lambda p: ${PIECE_VALUE}), '') END`,
  `CREATE OR REPLACE TEMP MACRO clean_list(x) AS CASE
    WHEN regexp_full_match(x, ${sqlText(NEAT)}) THEN string_split(x[3:-3], ${sqlText("', '")})
    WHEN NOT regexp_full_match(x, ${sqlText(LIST)}) THEN NULL
    WHEN NOT contains(x, '\\') THEN ${elements((quoted) => `${quoted}[2:-2]`)}
    ELSE ${elements((quoted) => `unescape_text(${quoted}[2:-2])`)} END`,
]
