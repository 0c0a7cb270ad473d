/** Answers that list pages: by title or number, a namespace, a category. */
import { problemOf, type Envelope } from './answer-envelope.ts'
import { flagAt, listAt, numberAt, textAt, type Json } from './answer-shape.ts'
import {
  newsOf,
  type MissingPage,
  type PageNews,
  type TitleAlias,
  type WikiNews,
} from './wiki-news.ts'
import {
  isSame,
  type AllPagesStep,
  type CategoryStep,
  type TitlesStep,
  type WikiStep,
} from './wiki-step.ts'
import { CATEGORY_NS } from './wiki-title.ts'

/** Null for what has no history: missing, invalid and special pages. */
export function pageOf(from: Json): PageNews | null {
  const pageId = numberAt(from, 'pageid')
  const title = textAt(from, 'title')
  if (pageId === null || pageId <= 0 || title === null || missingOf(from) !== null) return null
  return {
    pageId,
    ns: numberAt(from, 'ns') ?? 0,
    title,
    redirect: null,
    isRedirect: flagAt(from, 'redirect'),
    lastRevId: numberAt(from, 'lastrevid'),
    bytes: numberAt(from, 'length'),
  }
}

export function missingOf(from: Json): MissingPage | null {
  const title = textAt(from, 'title')
  const pageId = numberAt(from, 'pageid')
  const gone = (why: MissingPage['why'], detail: string): MissingPage => ({
    title,
    pageId,
    why,
    detail,
  })
  if (flagAt(from, 'invalid')) return gone('invalid', textAt(from, 'invalidreason') ?? '')
  if (flagAt(from, 'special')) return gone('special', 'special pages have no history')
  if (flagAt(from, 'missing')) return gone('missing', 'there is no such page')
  return null
}

function aliasesOf(query: Json | null): TitleAlias[] {
  const kinds: [string, TitleAlias['how']][] = [
    ['normalized', 'normalised'],
    ['converted', 'converted'],
    ['redirects', 'redirect'],
  ]
  return kinds.flatMap(([key, how]) =>
    listAt(query, key).flatMap((each) => {
      const [from, to] = [textAt(each, 'from'), textAt(each, 'to')]
      return from === null || to === null ? [] : [{ from, to, how }]
    }),
  )
}

export function readPageList(
  step: TitlesStep | AllPagesStep | CategoryStep,
  { query, more, warnings }: Envelope,
): WikiNews {
  const rows = listAt(query, 'pages')
  const listed = rows.flatMap((each) => pageOf(each) ?? [])
  const isBelow = (page: PageNews) => step.kind === 'category' && page.ns === CATEGORY_NS
  const pages = listed.filter((page) => !isBelow(page))
  const missing = [
    ...rows.flatMap((each) => missingOf(each) ?? []),
    ...listAt(query, 'interwiki').map(ofAnotherWiki),
  ]
  const told = newsOf({ pages, missing, aliases: aliasesOf(query), warnings })
  if (more !== null && isSame(more, step.more)) {
    const message =
      'The wiki continues its list where it has been before; what came so far is kept.'
    return { ...told, problem: problemOf('MINGA_WIKI_LOOP', 'never', 0, message) }
  }
  const onward: WikiStep[] = more === null ? [] : [{ ...step, more }]
  if (step.kind !== 'category' || step.depth === 0) return { ...told, next: onward }
  // Circles of categories end with their depth.
  const depth = step.depth - 1
  const below = listed.filter(isBelow).map(({ title }) => ({ ...step, title, depth, more: {} }))
  return { ...told, next: [...onward, ...below] }
}

function ofAnotherWiki(from: Json): MissingPage {
  const detail = `it is a page of another wiki (${textAt(from, 'iw')})`
  return { title: textAt(from, 'title'), pageId: null, why: 'elsewhere', detail }
}
