/**
 * The demo's wiki as visitors meet it: the parts of MediaWiki's api.php that readers of histories ask for, and pages
 * that say where it is. Of every history it shows what was written until now.
 */
import { createHash } from 'node:crypto'
import type { DemoRevision, DemoWiki, DemoWikiPage } from './demo-wiki.ts'

export const WIKI_NAME = "The valley's wiki"
export const WIKI_DATABASE = 'valleywiki'
export const WIKI_GENERATOR = 'MediaWiki 1.43.0'
export const WIKI_MAIN_PAGE = '/wiki/The_valley'
export const WIKI_NAMESPACES: ReadonlyMap<number, string> = new Map([
  [0, ''],
  [1, 'Talk'],
  [14, 'Category'],
])

/** As MediaWiki allows visitors: revisions with their texts, and rows of lists. */
const REVISIONS_MOST = 50
const ROWS_MOST = 500
const RIGHTS = {
  url: 'https://creativecommons.org/licenses/by-sa/4.0/',
  text: 'Creative Commons Attribution-ShareAlike 4.0',
}

interface Visit {
  wiki: DemoWiki
  origin: string
  now: number
}

interface WikiReply {
  type: string
  body: string
}

type Json = Record<string, unknown>

/** Null where there is nothing. */
export function wikiReply(visit: Visit, { pathname, searchParams }: URL): WikiReply | null {
  if (pathname === '/w/api.php') {
    return { type: 'application/json', body: JSON.stringify(apiAnswer(visit, searchParams)) }
  }
  const title = pathname === '/' ? WIKI_MAIN_PAGE : pathname
  const page = visit.wiki.pages.find((one) => `/wiki/${underscored(one.title)}` === title)
  return page === undefined ? null : { type: 'text/html', body: pageHtml(visit, page) }
}

export function revisionsUntil({ revisions }: DemoWikiPage, until: number): DemoRevision[] {
  return revisions.filter(({ at }) => at <= until)
}

/** As MediaWiki writes times: to the second. */
export function isoSeconds(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+/, '')
}

function apiAnswer(visit: Visit, params: URLSearchParams): Json {
  const asked = { ...visit, params }
  const [query, more] = queryAnswer(asked)
  return {
    ...(more === null ? { batchcomplete: true } : { continue: { ...more, continue: '||' } }),
    requestid: params.get('requestid'),
    query,
  }
}

type Asked = Visit & { params: URLSearchParams }
/** What was found, and where the next answer begins. */
type Found = [query: Json, more: Record<string, string> | null]

function queryAnswer(asked: Asked): Found {
  const { params } = asked
  if (params.has('meta')) return [siteInfo(asked), null]
  if (params.get('list') === 'recentchanges') return recentChanges(asked)
  // Nothing is ever deleted, moved or hidden in the valley.
  if (params.get('list') === 'logevents') return [{ logevents: [] }, null]
  const isOfRevisions = (params.get('prop') ?? '').includes('revisions')
  return isOfRevisions ? histories(asked) : [pageList(asked), null]
}

function siteInfo({ origin, now }: Asked): Json {
  const namespaces = [...WIKI_NAMESPACES].map(([id, name]) => [
    id,
    { id, case: 'first-letter', name, canonical: name, content: id === 0 },
  ])
  return {
    general: {
      base: origin + WIKI_MAIN_PAGE,
      sitename: WIKI_NAME,
      wikiid: WIKI_DATABASE,
      generator: WIKI_GENERATOR,
      case: 'first-letter',
      lang: 'en',
      articlepath: '/wiki/$1',
      time: isoSeconds(now),
    },
    namespaces: Object.fromEntries(namespaces) as Json,
    namespacealiases: [],
    rightsinfo: RIGHTS,
    userinfo: { id: 0, anon: true, rights: ['read'] },
  }
}

/** Fewer than fit into one answer: all of a namespace, or those that were named. */
function pageList(asked: Asked): Json {
  const { wiki, params } = asked
  if (params.has('gapnamespace')) {
    const isMain = params.get('gapnamespace') === '0'
    return { pages: isMain ? wiki.pages.map((page) => infoOf(asked, page)) : [] }
  }
  return { pages: namedPages(asked).map((page) => (isPage(page) ? infoOf(asked, page) : page)) }
}

function namedPages({ wiki, params }: Asked): (DemoWikiPage | Json)[] {
  const byTitle = valuesOf(params, 'titles').map((title) => {
    const plain = title.replaceAll('_', ' ')
    return wiki.pages.find((page) => page.title === plain) ?? { ns: 0, title, missing: true }
  })
  const byId = valuesOf(params, 'pageids').map((id) => {
    return (
      wiki.pages.find((page) => page.id === Number(id)) ?? { pageid: Number(id), missing: true }
    )
  })
  const revIds = new Set(valuesOf(params, 'revids').map(Number))
  const byRevision = wiki.pages.filter((page) => page.revisions.some(({ id }) => revIds.has(id)))
  return [...byTitle, ...byId, ...byRevision]
}

function infoOf({ now }: Visit, page: DemoWikiPage): Json {
  const latest = revisionsUntil(page, now).at(-1)!
  return {
    pageid: page.id,
    ns: 0,
    title: page.title,
    contentmodel: 'wikitext',
    lastrevid: latest.id,
    length: Buffer.byteLength(latest.text),
  }
}

/** Of one page from a place on, or revisions by their numbers. */
function histories(asked: Asked): Found {
  const { params } = asked
  const withText = (params.get('rvprop') ?? '').endsWith('content')
  const limit = limitOf(params, 'rvlimit', withText ? REVISIONS_MOST : ROWS_MOST)
  let more: Record<string, string> | null = null
  const pages = namedPages(asked).map((page): Json => {
    if (!isPage(page)) return page
    const wanted = revisionsAsked(asked, page)
    const next = wanted[limit]
    if (next !== undefined) more = { rvcontinue: placeOf(next) }
    const revisions = wanted.slice(0, limit).map((one) => revisionJson(one, withText))
    return { ...infoOf(asked, page), revisions }
  })
  return [{ pages }, more]
}

function revisionsAsked({ params, now }: Asked, page: DemoWikiPage): DemoRevision[] {
  const known = revisionsUntil(page, now)
  const revIds = valuesOf(params, 'revids').map(Number)
  if (revIds.length > 0) return known.filter(({ id }) => revIds.includes(id))
  const isBack = params.get('rvdir') === 'older'
  const span = { start: params.get('rvstart'), from: params.get('rvcontinue'), isBack }
  const wanted = known.filter((revision) => isWithin(revision, span))
  return isBack ? wanted.toReversed() : wanted
}

const valuesOf = (params: URLSearchParams, name: string): string[] =>
  (params.get(name) ?? '').split('|').filter(Boolean)

const limitOf = (params: URLSearchParams, name: string, most: number): number =>
  Math.min(Number(params.get(name) ?? most), most)

const isPage = (page: DemoWikiPage | Json): page is DemoWikiPage => 'revisions' in page

interface Span {
  start: string | null
  end?: string | null
  /** Where an earlier answer said that the next begins. */
  from: string | null
  isBack?: boolean
}

function isWithin({ at, id }: DemoRevision, { start, end, from, isBack = false }: Span): boolean {
  const sign = isBack ? -1 : 1
  const isBefore = start != null && sign * (at - Date.parse(start)) < 0
  const isBehind = end != null && sign * (Date.parse(end) - at) < 0
  const [stamp, fromId] = (from ?? '0|0').split('|').map(Number)
  const onward = Number(stampOf(at)) - stamp! || id - fromId!
  return !isBefore && !isBehind && (from === null || sign * onward >= 0)
}

function revisionJson(revision: DemoRevision, withText: boolean): Json {
  const { id, parentId, at, editor, comment, isMinor, text } = revision
  const sha1 = createHash('sha1').update(text).digest('hex')
  const size = Buffer.byteLength(text)
  const content = withText
    ? { contentmodel: 'wikitext', contentformat: 'text/x-wiki', content: text }
    : {}
  return {
    revid: id,
    parentid: parentId,
    minor: isMinor,
    user: editor.name,
    userid: editor.id,
    ...(editor.id === 0 && { anon: true }),
    timestamp: isoSeconds(at),
    size,
    sha1,
    comment,
    parsedcomment: comment,
    tags: [],
    slots: { main: { size, sha1, ...content } },
  }
}

function recentChanges({ wiki, params, now }: Asked): Found {
  const [start, end] = [params.get('rcstart'), params.get('rcend')]
  const span = { start, end, from: params.get('rccontinue') }
  const limit = limitOf(params, 'rclimit', ROWS_MOST)
  const changes = wiki.pages
    .flatMap((page) => revisionsUntil(page, now).map((revision) => ({ page, revision })))
    .filter(({ revision }) => isWithin(revision, span))
    .toSorted((a, b) => a.revision.at - b.revision.at || a.revision.id - b.revision.id)
  const rows = changes.slice(0, limit).map(({ page, revision: { id, parentId, at } }) => ({
    type: parentId === 0 ? 'new' : 'edit',
    ns: 0,
    title: page.title,
    pageid: page.id,
    revid: id,
    old_revid: parentId,
    rcid: id,
    timestamp: isoSeconds(at),
  }))
  const next = changes[limit]?.revision
  return [{ recentchanges: rows }, next === undefined ? null : { rccontinue: placeOf(next) }]
}

const placeOf = ({ at, id }: DemoRevision): string => `${stampOf(at)}|${id}`
const stampOf = (at: number): string => isoSeconds(at).replaceAll(/\D/g, '')
const underscored = (title: string): string => title.replaceAll(' ', '_')

/** The texts are made of our own words: nothing in them needs to be escaped. */
function pageHtml({ origin, now }: Visit, page: DemoWikiPage): string {
  const latest = revisionsUntil(page, now).at(-1)!
  const paragraphs = latest.text.split('\n').map((line) => `<p>${line}</p>`)
  return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${page.title} – ${WIKI_NAME}</title>
<link rel="EditURI" type="application/rsd+xml" href="${origin}/w/api.php?action=rsd">
<meta name="generator" content="${WIKI_GENERATOR}"></head>
<body><h1>${page.title}</h1>
${paragraphs.join('\n')}
</body>
</html>
`
}
