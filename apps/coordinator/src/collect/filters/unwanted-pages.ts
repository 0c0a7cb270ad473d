/**
 * Step 6½: which fetched pages a filter does not want, now that type, language and words are known.
 * Read before the transaction, because reading a page costs milliseconds; a page is not read at all
 * when no filter asks about content, or when its type and its host decide already.
 */
import { isRedirect, factsOfKey, hostNameOf } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import { asksAbout, judge, type Filter, type UrlFacts } from '@minga/partition'
import { isMingaError, type CapturedResult, type Result } from '@minga/protocol'
import type { CollectionView } from '../found-links.ts'
import { LoopTurns } from '../../station/loop-turns.ts'
import { pageWorker } from '../../archive/pages/page-worker.ts'
import { pageOf, type ReadPage } from '../../archive/read-page.ts'
import { whereOf } from './where.ts'
import type { Station } from '../../station/station.ts'

interface FilteredItem {
  result: Result
  members: readonly Uint8Array[]
  isUnwanted?: boolean
}

interface Sent {
  items: readonly FilteredItem[]
  views: ReadonlyMap<number, CollectionView>
  station: Filter | null
}

/** A longer page is judged by its beginning. */
const BYTES_MAX = 2 * 1024 * 1024

/** Marks them. */
export async function unwantedPages(station: Station, sent: Sent): Promise<void> {
  const turns = new LoopTurns(station.clock)
  for (const item of sent.items) {
    const { result, members } = item
    if (result.type !== 'captured') continue
    const filters = filtersFor(result, sent)
    if (filters.length === 0) continue
    item.isUnwanted = await isUnwanted(station, { result, member: members[0]!, filters })
    await turns.offer()
  }
}

/**
 * Those that ask about content. robots.txt and sitemaps say where pages are and are none; nor is a
 * redirect. A second opinion is compared, not collected.
 */
function filtersFor({ kind, status, collectionId }: CapturedResult, sent: Sent): Filter[] {
  if (kind === 'robots' || kind === 'sitemap' || isRedirect(status) || status === 304) return []
  const view = sent.views.get(collectionId)
  if (view === undefined || view.spec.kind === 'audits') return []
  return [sent.station, view.filter].filter(
    (filter) => filter !== null && asksAbout(filter, ['type', 'language', 'text']),
  ) as Filter[]
}

interface Judged {
  result: CapturedResult
  member: Uint8Array
  filters: readonly Filter[]
}

async function isUnwanted(station: Station, judged: Judged): Promise<boolean> {
  const { result, filters } = judged
  const facts = { ...(await hostFacts(station, judged)), type: typeOf(result) }
  const verdict = verdictOf(filters, facts)
  if (verdict !== 'open') return verdict === 'unwanted'
  const content = await contentOrNull(station, judged)
  // What cannot be read is not known, and stays.
  return content !== null && verdictOf(filters, { ...facts, ...content }) === 'unwanted'
}

/** All of them have to want it. */
function verdictOf(filters: readonly Filter[], facts: UrlFacts): 'wanted' | 'unwanted' | 'open' {
  const verdicts = filters.map((filter) => judge(filter, facts).verdict)
  if (verdicts.includes('unwanted')) return 'unwanted'
  return verdicts.includes('open') ? 'open' : 'wanted'
}

async function hostFacts(station: Station, { result, filters }: Judged): Promise<UrlFacts> {
  const key = hostKeyOf(result.url)
  const facts = factsOfKey(key)
  if (!filters.some((filter) => asksAbout(filter, ['addresses', 'country', 'place']))) return facts
  const resolution = await station.resolver.resolve(hostNameOf(key))
  return resolution.ok ? { ...facts, ...whereOf(resolution.addresses, station) } : facts
}

/** The archive writes `unk` where a server said nothing. */
function typeOf({ mime }: CapturedResult): string | null {
  return mime === 'unk' ? null : mime
}

type Content = Pick<UrlFacts, 'text' | 'language'>

async function contentOrNull(station: Station, judged: Judged): Promise<Content | null> {
  try {
    const page = await pageOf(station, judged)
    return page && (await contentOf(page))
  } catch (error) {
    if (isMingaError(error)) return null
    throw error
  }
}

/**
 * What is not text has no words and no language; a page that names none has an unknown language.
 */
async function contentOf(page: ReadPage): Promise<Content> {
  const beginning = { ...page, body: page.body.subarray(0, BYTES_MAX) }
  const text = await pageWorker.run('text', { page: beginning })
  if (text === null) return { text, language: null }
  return { text, language: languageIn(page) ?? undefined }
}

/** Where a page says so, it does at its beginning. */
const HEAD_BYTES = 4_096
const TAG = '[a-z]{2,8}(?:-[a-z0-9]{1,8})*'
const PAGE_LANGUAGE = new RegExp(`<html\\b[^<>]*\\blang\\s*=\\s*["']?(${TAG})`, 'i')
const HEADER_LANGUAGE = new RegExp(`^\\s*(${TAG})`, 'i')

function languageIn({ body, contentLanguage }: ReadPage): string | null {
  const head = Buffer.from(body.subarray(0, HEAD_BYTES)).toString('latin1')
  const said = PAGE_LANGUAGE.exec(head)?.[1]
  return said ?? HEADER_LANGUAGE.exec(contentLanguage ?? '')?.[1] ?? null
}
