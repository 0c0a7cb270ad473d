/**
 * Titles as MediaWiki normalises them, so that what a user wrote, a link and a stored page can be compared.
 * The wiki's own answer has the last word: it knows languages whose first letters have rules of their own.
 */
import type { Namespace, SiteInfo } from '../model.ts'

export interface WikiTitle {
  ns: number
  /** With the name of its namespace. */
  title: string
  name: string
}

export const CATEGORY_NS = 14

export type TitleProblem =
  | 'empty'
  | 'forbidden-character'
  | 'relative-path'
  | 'percent-escape'
  | 'signature'
  | 'too-long'

const SPACES = /[ _\u00a0\u1680\u180e\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/g
/** Marks of writing direction come along when titles are copied from pages. */
const DIRECTION_MARKS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const FORBIDDEN = /[\u0000-\u001f\u007f<>[\]|{}\ufffd]/
const ESCAPE = /%[0-9a-f]{2}|&(?:[a-z0-9\u0080-\uffff]+|#\d+|#x[0-9a-f]+);/i
const BYTES_MAX = 255

export function normaliseTitle(
  text: string,
  site: Pick<SiteInfo, 'namespaces' | 'case'>,
): WikiTitle | TitleProblem {
  const [whole = ''] = text.normalize('NFC').split('#')
  const spaced = tidy(whole.replace(DIRECTION_MARKS, ''))
  const local = tidy(spaced.replace(/^:+/, ''))
  const { namespace, rest } = splitNamespace(local, site.namespaces)
  const problem = problemOf(rest)
  if (problem !== null) return problem
  const isSensitive = namespace?.isCaseSensitive ?? site.case === 'case-sensitive'
  const name = isSensitive ? rest : upperFirst(rest)
  const prefix = namespace === null || namespace.name === '' ? '' : `${namespace.name}:`
  return { ns: namespace?.id ?? 0, title: prefix + name, name }
}

function tidy(text: string): string {
  return text.replace(SPACES, ' ').trim()
}

function splitNamespace(
  text: string,
  namespaces: Namespace[],
): { namespace: Namespace | null; rest: string } {
  const colon = text.indexOf(':')
  const prefix = colon < 0 ? '' : tidy(text.slice(0, colon)).toLowerCase()
  const named = prefix === '' ? undefined : namespaces.find((each) => answersTo(each, prefix))
  if (named !== undefined) return { namespace: named, rest: tidy(text.slice(colon + 1)) }
  return { namespace: namespaces.find(({ id }) => id === 0) ?? null, rest: text }
}

function answersTo({ name, aliases }: Namespace, prefix: string): boolean {
  return [name, ...aliases].some((each) => tidy(each).toLowerCase() === prefix && each !== '')
}

function problemOf(name: string): TitleProblem | null {
  if (name === '') return 'empty'
  if (FORBIDDEN.test(name)) return 'forbidden-character'
  if (name.includes('~~~')) return 'signature'
  if (/(?:^|\/)\.{1,2}(?:\/|$)/.test(name)) return 'relative-path'
  if (ESCAPE.test(name)) return 'percent-escape'
  return Buffer.byteLength(name) > BYTES_MAX ? 'too-long' : null
}

/** `ß` has no capital of one letter and stays, as do Georgian letters, whose capitals are for headlines. */
function upperFirst(text: string): string {
  const [first = ''] = text
  const upper = first.toUpperCase()
  const isOneLetter = upper.length === String.fromCodePoint(upper.codePointAt(0) ?? 0).length
  const isGeorgian = /^[\u10d0-\u10ff]/.test(first)
  return isOneLetter && !isGeorgian ? upper + text.slice(first.length) : text
}
