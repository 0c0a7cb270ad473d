/**
 * Memento (RFC 7089): the words that a client and an archive use to agree on a moment. The original
 * is a URL as it was, a memento one capture of it, a TimeGate finds the memento nearest to a moment,
 * a TimeMap lists them all. A capture's moment has seconds, as HTTP dates have.
 */
import { parseTimestamp, cdxjTimestamp } from './cdxj.ts'
import { writableDate } from './writable-time.ts'
import type { Instant } from '@minga/protocol'

export type TimeMapForm = 'link' | 'json'

/** Where an archive answers; every URL is written as it is, behind the path. */
export interface MementoAddresses {
  timeGate(url: string): string
  /** A page of a TimeMap that begins at an instant, or its first page. */
  timeMap(url: string, form: TimeMapForm, from?: Instant): string
  memento(url: string, at: Instant): string
}

export function mementoAddresses(base: string): MementoAddresses {
  return {
    timeGate: (url) => `${base}/memento/timegate/${url}`,
    timeMap: (url, form, from) =>
      `${base}/memento/timemap/${form}/${from === undefined ? '' : `${cdxjTimestamp(from)}/`}${url}`,
    memento: (url, at) => `${base}/memento/${cdxjTimestamp(at)}/${url}`,
  }
}

const HTTP_DATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:[A-Z][a-z]{2}) \d{4} \d\d:\d\d:\d\d GMT$/

/** Null when it is not a date of the one form that RFC 7089 allows. */
export function parseHttpDate(text: string): Instant | null {
  const trimmed = text.trim()
  if (!HTTP_DATE.test(trimmed)) return null
  const at = Date.parse(trimmed)
  // Days that do not exist roll over: 31 February is not asked for by accident.
  return Number.isNaN(at) || httpDate(at).slice(5) !== trimmed.slice(5) ? null : at
}

export function httpDate(at: Instant): string {
  return new Date(at).toUTCString()
}

/** Exactly 14 digits, as they stand in the address of a memento. */
export function parseMementoTime(digits: string): Instant | null {
  return digits.length === 14 ? parseTimestamp(digits) : null
}

/** A memento and those around it; `previous` and `next` are null at the ends. */
export interface MementoPlace {
  url: string
  first: Instant
  last: Instant
  previous: Instant | null
  memento: Instant
  next: Instant | null
}

/** The Link header of a TimeGate's answer and of a memento. */
export function mementoLinks(addresses: MementoAddresses, place: MementoPlace): string {
  const { url } = place
  const links = [
    link(url, { rel: 'original' }),
    link(addresses.timeMap(url, 'link'), { rel: 'timemap', type: LINK_FORMAT }),
    link(addresses.timeGate(url), { rel: 'timegate' }),
  ]
  for (const [at, rels] of relations(place)) {
    const datetime = httpDate(at)
    links.push(link(addresses.memento(url, at), { rel: `${rels.join(' ')} memento`, datetime }))
  }
  return links.join(', ')
}

export const LINK_FORMAT = 'application/link-format'

/** One link per moment, with all that it is: the only memento is first and last at once. */
function relations(place: MementoPlace): [Instant, string[]][] {
  const named: [Instant | null, string][] = [
    [place.first, 'first'],
    [place.previous, 'prev'],
    [place.memento, ''],
    [place.next, 'next'],
    [place.last, 'last'],
  ]
  const byMoment = new Map<Instant, string[]>()
  for (const [at, rel] of named) {
    if (at === null) continue
    const second = Math.floor(at / 1_000) * 1_000
    byMoment.set(second, [...(byMoment.get(second) ?? []), ...(rel === '' ? [] : [rel])])
  }
  return [...byMoment].toSorted(([a], [b]) => a - b)
}

function link(target: string, attributes: Record<string, string>): string {
  const written = Object.entries(attributes).map(([name, value]) => `${name}="${value.trim()}"`)
  return `<${target}>; ${written.join('; ')}`
}

/** A page of a TimeMap: moments in order, and where the other pages begin. */
export interface TimeMapPage {
  url: string
  moments: readonly Instant[]
  first: Instant
  last: Instant
  /** Null: this page is the first. */
  from: Instant | null
  /** Where the next page begins; null on the last. */
  next: Instant | null
}

export function timeMapLinks(addresses: MementoAddresses, page: TimeMapPage): string {
  const { url, moments, from, next } = page
  const span = { from: httpDate(moments[0]!), until: httpDate(moments.at(-1)!) }
  const self = addresses.timeMap(url, 'link', from ?? undefined)
  const lines = [
    link(url, { rel: 'original' }),
    link(self, { rel: 'self', type: LINK_FORMAT, ...span }),
    link(addresses.timeGate(url), { rel: 'timegate' }),
  ]
  for (const start of [from === null ? null : page.first, next]) {
    if (start === null) continue
    const other = addresses.timeMap(url, 'link', start === page.first ? undefined : start)
    lines.push(link(other, { rel: 'timemap', type: LINK_FORMAT, from: httpDate(start) }))
  }
  for (const at of moments) {
    const datetime = httpDate(at)
    lines.push(link(addresses.memento(url, at), { rel: mementoRel(page, at), datetime }))
  }
  return `${lines.join(',\n')}\n`
}

function mementoRel({ first, last }: TimeMapPage, at: Instant): string {
  return `${at === first ? 'first ' : ''}${at === last ? 'last ' : ''}memento`
}

/** The same page for programs that would rather read JSON. */
export function timeMapJson(addresses: MementoAddresses, page: TimeMapPage): object {
  const { url, moments, from, next } = page
  const one = (at: Instant) => ({
    datetime: writableDate(at).toISOString(),
    uri: addresses.memento(url, at),
  })
  return {
    original_uri: url,
    self: addresses.timeMap(url, 'json', from ?? undefined),
    timegate_uri: addresses.timeGate(url),
    timemap_uri: {
      link_format: addresses.timeMap(url, 'link'),
      json_format: addresses.timeMap(url, 'json'),
    },
    mementos: { first: one(page.first), last: one(page.last), list: moments.map(one) },
    next: next === null ? null : addresses.timeMap(url, 'json', next),
  }
}
