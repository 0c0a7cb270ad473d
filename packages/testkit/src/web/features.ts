/** Joins each feature's entries (what `/p/0` links to) with the answers behind them. */
import { pageAnswer, rawAnswer, redirectAnswer, textAnswer, type Answer } from './answer.ts'
import {
  CHARSETS,
  DIRECTIVES,
  SOFT_404_ENTRIES,
  behindNofollow,
  decodedPage,
  duplicateAnswer,
  duplicatePaths,
} from './contents.ts'
import { BOMB_ENTRIES, BROKEN, LYING, MALFORMED, bombAnswer } from './mischief.ts'
import type { Site, Sites } from './site.ts'
import { FEEDS, sitemapAnswer } from './sitemaps.ts'
import type { Behaviour } from './spec.ts'

/** Paths that the first page of the host links to on behalf of its features. */
export function entriesOf(site: Site): string[] {
  return site.behaviours.flatMap((behaviour) => {
    const all = allEntries(behaviour)
    const only = 'only' in behaviour ? behaviour.only : undefined
    return only === undefined ? all : all.filter((path) => only.includes(nameOf(path)))
  })
}

export function featureAnswer(sites: Sites, site: Site, path: string): Answer | undefined {
  for (const behaviour of site.behaviours) {
    const answer = answerOf(behaviour, { sites, site, path })
    if (answer) return answer
  }
  return undefined
}

/** `/calendar/2026-01` and `/session?sid=0` are named by their first part, others by their last. */
function nameOf(path: string): string {
  const parts = path.split(/[/?]/).filter((part) => part !== '')
  return (TRAP_ENTRIES.includes(path) ? parts[0] : parts.at(-1)) ?? ''
}

function allEntries(behaviour: Behaviour): string[] {
  switch (behaviour.kind) {
    case 'redirects':
      return [...REDIRECT_ENTRIES, ...(behaviour.outside === undefined ? [] : ['/r/outside'])]
    case 'broken':
      return Object.keys(BROKEN)
    case 'lying':
      return Object.keys(LYING)
    case 'malformed':
      return Object.keys(MALFORMED)
    case 'bombs':
      return BOMB_ENTRIES
    case 'traps':
      return TRAP_ENTRIES
    case 'duplicates':
      return duplicatePaths(behaviour.copies)
    case 'charsets':
      return Object.keys(CHARSETS)
    case 'directives':
      return Object.keys(DIRECTIVES)
    case 'sitemaps':
      return FEEDS
    case 'soft404':
      return SOFT_404_ENTRIES
    default:
      return []
  }
}

function answerOf(
  behaviour: Behaviour,
  { sites, site, path }: { sites: Sites; site: Site; path: string },
): Answer | undefined {
  switch (behaviour.kind) {
    case 'redirects':
      return redirectsAnswer({ sites, site, outside: behaviour.outside }, path)
    case 'broken':
      return BROKEN[path]?.()
    case 'lying':
      return LYING[path]?.()
    case 'malformed':
      return MALFORMED[path]?.()
    case 'bombs':
      return bombAnswer(path, behaviour.expandedBytes)
    case 'traps':
      return trapAnswer(path)
    case 'duplicates':
      return duplicateAnswer(path)
    case 'charsets':
      return CHARSETS[path]?.() ?? decodedPage(path)
    case 'directives':
      return DIRECTIVES[path]?.() ?? behindNofollow(path)
    case 'sitemaps':
      return sitemapAnswer(site, path)
    default:
      return undefined
  }
}

/** Endless spaces: each page leads to ever new ones. A crawl without a trap budget never ends. */
const TRAP_ENTRIES = [
  '/calendar/2026-01',
  '/session?sid=0',
  '/deeper/1/',
  '/repeating/a/b/',
  '/facets?color=0',
]

const FACETS = ['color', 'size', 'sort', 'page', 'brand']

function trapAnswer(path: string): Answer | undefined {
  const links = trapLinks(path)
  return links && pageAnswer({ title: `Endless: ${path.slice(0, 80)}`, links }, 'maybe')
}

function trapLinks(path: string): string[] | undefined {
  const month = /^\/calendar\/(\d{1,6})-(\d\d)$/.exec(path)
  if (month) return [1, -1].map((step) => calendarPath(Number(month[1]), Number(month[2]) + step))

  // The same two pages for ever, under a new session each time they are asked for.
  const session = /^\/session\?sid=(\d{1,15})$/.exec(path)?.[1]
  if (session !== undefined) {
    return [1, 2].map((n) => `/session?sid=${(Number(session) * 2 + n) % Number.MAX_SAFE_INTEGER}`)
  }

  const depth = /^\/deeper\/(?:\d+\/)*(\d+)\/$/.exec(path)?.[1]
  if (depth !== undefined) return [`${path}${Number(depth) + 1}/`]
  if (/^\/repeating\/(?:[ab]\/)+$/.test(path)) return [`${path}a/b/`]
  return path.startsWith('/facets?') ? facetLinks(path.slice('/facets?'.length)) : undefined
}

function calendarPath(year: number, month: number): string {
  const months = Math.max(0, year * 12 + month - 1)
  return `/calendar/${Math.floor(months / 12)}-${String((months % 12) + 1).padStart(2, '0')}`
}

/** Every facet can be added or raised: the number of addresses grows exponentially with clicks. */
function facetLinks(query: string): string[] {
  const values = new URLSearchParams(query)
  return FACETS.map((facet) => {
    const next = new URLSearchParams(values)
    next.set(facet, String(Number(values.get(facet) ?? '-1') + 1))
    return `/facets?${next.toString()}`
  })
}

const STATUSES = ['301', '302', '303', '307', '308']

/** Named by the last part of their path, for `only`. */
const REDIRECT_ENTRIES = [
  ...STATUSES.map((status) => `/r/${status}`),
  '/r/relative',
  '/r/chain-3',
  '/r/chain-12',
  '/r/loop-a',
  '/r/self',
  '/r/other-host',
  '/r/no-location',
  '/r/bad-location',
]

function redirectsAnswer(
  { sites, site, outside }: { sites: Sites; site: Site; outside: string | undefined },
  path: string,
): Answer | undefined {
  const name = /^\/r\/([\w-]+)$/.exec(path)?.[1]
  if (path.startsWith('/landed/')) return pageAnswer({ title: `Landed: ${path}` })
  if (name === undefined) return undefined
  if (STATUSES.includes(name)) return redirectAnswer(Number(name), `/landed/${name}`)
  const left = /^chain-(\d{1,4})$/.exec(name)?.[1]
  if (left !== undefined) return chain(Number(left))
  return oddRedirects({ sites, site, outside })[name]?.()
}

/** How many hops to follow is the crawler's choice; the middle of a long chain cannot be demanded. */
const HOPS_DEMANDED = 5

function chain(left: number): Answer {
  const answer = redirectAnswer(302, left > 1 ? `/r/chain-${left - 1}` : '/landed/chain')
  return left > HOPS_DEMANDED ? { ...answer, links: () => [] } : answer
}

function oddRedirects(from: {
  sites: Sites
  site: Site
  outside: string | undefined
}): Record<string, (() => Answer) | undefined> {
  const { sites, site, outside } = from
  const neighbour = sites.at((site.index + 1) % sites.count)
  return {
    relative: () => redirectAnswer(302, '../landed/./relative'),
    'loop-a': () => redirectAnswer(302, '/r/loop-b'),
    'loop-b': () => redirectAnswer(302, '/r/loop-a'),
    self: () => redirectAnswer(301, '/r/self'),
    'other-host': () => redirectAnswer(301, `${neighbour.origin}/p/0`),
    'no-location': () => textAnswer(302, 'text/plain', 'nowhere\n'),
    'bad-location': () => rawLocation('http://[not-a-host/'),
    outside:
      outside === undefined
        ? undefined
        : () => ({ ...redirectAnswer(302, outside), links: () => [] }),
  }
}

function rawLocation(location: string): Answer {
  const bytes = Buffer.from(
    `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  return rawAnswer(302, { bytes: () => bytes, after: 'close', captured: 'surely' })
}
