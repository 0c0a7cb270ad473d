/**
 * Questions to an index of captures, in the words of the CDX servers of Wayback and pywb. This reads
 * and checks them; `cdx-query-answer.ts` applies them to captures that come in the order of their keys.
 */
import { canonicalUrl, compileUrlPattern } from '@minga/net'
import type { Instant } from '@minga/protocol'
import { endOfTimestamp, parseTimestamp, searchKey, type CdxjEntry } from './cdxj.ts'
import { BadCdxQuery } from './errors.ts'

/** Keys from `low` up to, not including, `high`. */
export interface KeyRange {
  low: string
  high: string
}

const MATCH_TYPES = ['exact', 'prefix', 'host', 'domain'] as const
type MatchType = (typeof MATCH_TYPES)[number]
const OUTPUTS = ['text', 'json', 'cdxj'] as const

export const CDX_FIELDS = [
  'urlkey',
  'timestamp',
  'original',
  'mimetype',
  'statuscode',
  'digest',
  'length',
  'offset',
  'filename',
] as const
export type CdxField = (typeof CDX_FIELDS)[number]

/** The names that pywb has for some of them. */
const ALIASES: Record<string, CdxField> = {
  url: 'original',
  mime: 'mimetype',
  status: 'statuscode',
}
const DEFAULT_FIELDS = CDX_FIELDS.slice(0, 7)

/** Lines that must be held back before the first is sent (`limit=-n`). */
const LAST_MOST = 10_000
const PAGE_KEYS = 1_000
const PAGE_KEYS_MOST = 100_000
const FILTERS_MOST = 20

export interface CdxRow {
  key: string
  entry: CdxjEntry
  /** Where to go on after it. */
  resumeKey: string
}

export type RowTest = (row: CdxRow) => boolean

export interface CdxQuery {
  ranges: KeyRange[]
  fromAt: Instant
  toAt: Instant
  /** Null: all. */
  limit: number | null
  order: 'forward' | 'reverse' | { closestTo: Instant }
  /** The last ones, but in the usual order. */
  isFromEnd: boolean
  output: (typeof OUTPUTS)[number]
  fields: readonly CdxField[]
  filters: RowTest[]
  collapse: { field: CdxField; characters: number }[]
  page: number | null
  pageSize: number
  showNumPages: boolean
  resumeKey: string | null
  showResumeKey: boolean
}

export function parseCdxQuery(given: URLSearchParams): CdxQuery {
  const { url, matchType } = subjectOf(given)
  const limit = wholeOf(given, 'limit', -LAST_MOST)
  const order = orderOf(given, matchType)
  const isFromEnd = limit !== null && limit < 0
  if (isFromEnd && order !== 'forward')
    throw new BadCdxQuery('limit', 'is negative together with a sort')
  return {
    ranges: rangesOf(url, matchType),
    fromAt: timeOf(given, 'from', parseTimestamp) ?? 0,
    toAt: timeOf(given, 'to', endOfTimestamp) ?? Number.MAX_SAFE_INTEGER,
    limit: limit === null ? null : Math.abs(limit),
    order,
    isFromEnd,
    output: oneOf(given, 'output', OUTPUTS) ?? 'text',
    fields: fieldsOf(given),
    filters: filtersOf(given),
    collapse: given.getAll('collapse').map(collapseOf),
    page: wholeOf(given, 'page', 0),
    pageSize: Math.min(wholeOf(given, 'pageSize', 1) ?? PAGE_KEYS, PAGE_KEYS_MOST),
    showNumPages: isOn(given, 'showNumPages'),
    resumeKey: given.get('resumeKey'),
    showResumeKey: isOn(given, 'showResumeKey'),
  }
}

/** `*.example.org` is a domain and `example.org/a*` a prefix, whatever `matchType` says. */
function subjectOf(given: URLSearchParams): { url: string; matchType: MatchType } {
  const text = (given.get('url') ?? '').trim()
  if (text === '') throw new BadCdxQuery('url', 'is missing')
  const bare = text.replace(/^\*\./, '').replace(/\*$/, '')
  const wildcard = text.startsWith('*.') ? 'domain' : text.endsWith('*') ? 'prefix' : null
  const matchType = wildcard ?? oneOf(given, 'matchType', MATCH_TYPES) ?? 'exact'
  const url = canonicalUrl(/^[a-z][a-z0-9+.-]*:\/\//i.test(bare) ? bare : `http://${bare}`)
  if (url === null) throw new BadCdxQuery('url', 'is no http or https address')
  return { url, matchType }
}

function rangesOf(url: string, matchType: MatchType): KeyRange[] {
  if (matchType === 'exact') return [keyRange(searchKey(url))]
  if (matchType === 'prefix') return [prefixRange(url)]
  const { host } = new URL(url)
  return matchType === 'host' ? hostRanges(host) : domainRanges(host)
}

/** Keys have no characters below the exclamation mark, so that nothing lies between both ends. */
function keyRange(key: string): KeyRange {
  return { low: key, high: `${key} ` }
}

export function prefixRange(url: string): KeyRange {
  return startingWith(searchKey(url))
}

function startingWith(start: string): KeyRange {
  const last = start.charCodeAt(start.length - 1)
  return { low: start, high: start.slice(0, -1) + String.fromCharCode(last + 1) }
}

/** A host with its port, or without one the ports that schemes have by themselves. */
export function hostRanges(host: string): KeyRange[] {
  return [startingWith(`${hostKey(host)})`)]
}

/** A host and all below it, on any port: `com,example)`, `com,example,www)`, `com,example:8080)`. */
function domainRanges(host: string): KeyRange[] {
  const key = hostKey(host)
  return [`${key})`, `${key},`, `${key}:`].map(startingWith)
}

function hostKey(host: string): string {
  const key = searchKey(`http://${host}/`)
  const end = key.indexOf(')')
  if (end <= 0) throw new BadCdxQuery('url', 'names no host')
  return key.slice(0, end)
}

function orderOf(given: URLSearchParams, matchType: MatchType): CdxQuery['order'] {
  const closestTo = timeOf(given, 'closest', parseTimestamp)
  const sort = oneOf(given, 'sort', ['reverse', 'closest', 'default'])
  if (sort === 'reverse') return 'reverse'
  if (sort !== 'closest' && closestTo === null) return 'forward'
  if (closestTo === null) throw new BadCdxQuery('sort=closest', 'needs closest=, a time')
  if (matchType !== 'exact') throw new BadCdxQuery('closest', 'is for one address only')
  return { closestTo }
}

function timeOf(
  given: URLSearchParams,
  name: string,
  read: (digits: string) => Instant | null,
): Instant | null {
  const text = given.get(name)
  if (text === null || text === '') return null
  const at = read(text)
  if (at === null) throw new BadCdxQuery(name, 'is no time of 4 to 14 digits')
  return at
}

function wholeOf(given: URLSearchParams, name: string, least: number): number | null {
  const text = given.get(name)
  if (text === null || text === '') return null
  const value = Number(text)
  if (!/^-?\d{1,15}$/.test(text) || value < least) {
    throw new BadCdxQuery(name, `is no whole number from ${least}`)
  }
  return value
}

function oneOf<T extends string>(
  given: URLSearchParams,
  name: string,
  values: readonly T[],
): T | null {
  const text = given.get(name)
  if (text === null || text === '') return null
  const found = values.find((value) => value === text)
  if (found === undefined) throw new BadCdxQuery(name, `is none of ${values.join(', ')}`)
  return found
}

function isOn(given: URLSearchParams, name: string): boolean {
  return /^(true|1)$/i.test(given.get(name) ?? '')
}

function fieldsOf(given: URLSearchParams): readonly CdxField[] {
  const text = given.get('fl')
  if (text === null || text === '') return DEFAULT_FIELDS
  return text.split(',').map((name) => fieldOf('fl', name))
}

function fieldOf(parameter: string, name: string): CdxField {
  const field = ALIASES[name] ?? CDX_FIELDS.find((each) => each === name)
  if (field === undefined) throw new BadCdxQuery(parameter, `names no field: ${name.slice(0, 50)}`)
  return field
}

function filtersOf(given: URLSearchParams): RowTest[] {
  const texts = given.getAll('filter')
  if (texts.length > FILTERS_MOST) throw new BadCdxQuery('filter', `is there ${texts.length} times`)
  return texts.map(filterOf)
}

/**
 * `[!]field:expression` must match the whole value (Wayback), `[!]~field:expression` a part of it
 * and `[!]=field:text` is the value itself (pywb). Expressions are matched in one pass: none is slow.
 */
function filterOf(text: string): RowTest {
  const parts = /^(!?)([=~]?)(\w+):(.*)$/s.exec(text)
  if (!parts) throw new BadCdxQuery('filter', 'is not of the form [!][=|~]field:expression')
  const [, not, kind, name, value] = parts as unknown as [string, string, string, string, string]
  const field = fieldOf('filter', name)
  const matches = kind === '=' ? (own: string) => own === value : expression(kind, value)
  return (row) => matches(fieldValue(row, field)) !== (not === '!')
}

function expression(kind: string, text: string): (value: string) => boolean {
  const pattern = compileUrlPattern(kind === '~' ? text : `^(?:${text})$`)
  return (value) => pattern.test(value)
}

function collapseOf(text: string): CdxQuery['collapse'][number] {
  const parts = /^(\w+)(?::(\d{1,6}))?$/.exec(text)
  if (!parts) throw new BadCdxQuery('collapse', 'is not of the form field or field:N')
  const field = fieldOf('collapse', parts[1]!)
  return { field, characters: parts[2] === undefined ? Infinity : Number(parts[2]) }
}

export function fieldValue({ key, entry }: CdxRow, field: CdxField): string {
  switch (field) {
    case 'urlkey':
      return key
    case 'timestamp':
      return entry.timestamp
    case 'original':
      return entry.url
    case 'mimetype':
      return entry.mime
    case 'statuscode':
      return entry.status
    case 'digest':
      return entry.digest
    case 'length':
      return String(entry.length)
    case 'offset':
      return String(entry.offset)
    case 'filename':
      return entry.filename
  }
}
