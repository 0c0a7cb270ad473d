/**
 * Step 7 for wikis, first half: what the answers of an upload say, read before the transaction, because
 * reading and packing revisions costs milliseconds and the store has one thread.
 */
import { parseHttpBlock, unpackMember } from '@minga/archive'
import { isRedirect, type Verdict } from '@minga/frontier'
import { unpackWhole, type HeaderList } from '@minga/net'
import { isMingaError, type CapturedResult, type FailedResult, type Result } from '@minga/protocol'
import {
  encodeBatch,
  readAnswer,
  readFailure,
  readLogInFailure,
  stepOfUrl,
  type Batch,
  type Revision,
  type SiteInfo,
  type WikiAnswer,
  type WikiNews,
  type WikiStep,
  type WikiErrorCode,
} from '@minga/wiki'
import type { LogInProblem } from '@minga/wiki/log-in'
import type { CollectionView } from '../../collect/found-links.ts'
import { WikiTextTooLong } from '../errors.ts'
import { readLongAnswer } from './text-worker.ts'
import { checkPage, repairsOfTexts, type CheckedPage } from './check-page.ts'
import type { WikiOfCollection } from '../wiki-of-collection.ts'
import type { Station } from '../../station/station.ts'

/** What one answer of a wiki says. Its revisions are packed already. */
export interface WikiReading {
  step: WikiStep
  news: Omit<WikiNews, 'revisions'>
  batches: Batch[]
  revisions: number
  /** The page whose history was checked with this answer, and what it lacks; null: none was. */
  checked: Omit<CheckedPage, 'repairs'> | null
  /** The newest revision that the answer holds or lists. */
  newest: { revId: number; at: number } | null
}

interface WikiItem {
  result: Result
  members: readonly Uint8Array[]
  wiki?: WikiReading
  verdict?: Verdict
}

interface Sent {
  items: readonly WikiItem[]
  views: ReadonlyMap<number, CollectionView>
}

/** Each answer of a wiki gets its reading, and what its request comes to by it. */
export async function readWikiAnswers(station: Station, sent: Sent): Promise<void> {
  const answers = answersIn(sent)
  if (answers.length === 0) return
  const ids = [...new Set(answers.map(({ result }) => result.collectionId))]
  const wikis = await station.store.call('wikisOfCollections', { ids })
  const wikiOf = new Map(wikis)
  for (const { item, result, member } of answers) {
    const step = stepOfUrl(result.url)
    if (step === null) continue
    const isKept = sent.views.get(result.collectionId)?.spec.wiki?.keepWarc ?? false
    const wiki = wikiOf.get(result.collectionId) ?? null
    const title = wiki === null ? null : await titleOf(station, { step, wiki })
    const news = await readOne(station, { step, result, member, wiki, title })
    item.wiki = await readingOf(station, { step, news, wiki, title })
    item.verdict = verdictOf(news, isKept)
  }
}

/** Of the page that a step is about: texts alone and exports are asked for by title. */
async function titleOf(
  { store }: Station,
  { step, wiki }: { step: WikiStep; wiki: WikiOfCollection },
): Promise<string | null> {
  if (!('pageId' in step)) return null
  const { wikiId } = wiki
  const [page] = await store.call('wikiPageRows', { wikiId, pageIds: [step.pageId] })
  return page?.title ?? null
}

type Answered = Exclude<Result, { type: 'returned' }>

interface Sighted {
  item: WikiItem
  result: Answered
  member: Uint8Array | null
}

function answersIn({ items, views }: Sent): Sighted[] {
  const answers: Sighted[] = []
  for (const item of items) {
    const { result, members } = item
    if (result.type === 'returned') continue
    if (result.type === 'captured' && result.kind === 'robots') continue
    const isOfWiki = views.get(result.collectionId)?.spec.kind === 'wiki'
    if (isOfWiki) answers.push({ item, result, member: members[0] ?? null })
  }
  return answers
}

interface Reading {
  step: WikiStep
  result: Answered
  member: Uint8Array | null
  wiki: WikiOfCollection | null
  title: string | null
}

async function readOne(station: Station, reading: Reading): Promise<WikiNews> {
  const { step, result, member, wiki, title } = reading
  const context = { site: wiki?.site ?? null, now: station.clock.now(), title }
  const logInTrouble = result.type === 'failed' ? logInTroubleIn(result) : null
  if (logInTrouble !== null) return readLogInFailure(step, logInTrouble)
  if (result.type === 'failed' || member === null) {
    return readFailure(step, result.type === 'failed' ? result.code : UNREADABLE, context)
  }
  if (isRedirect(result.status)) return redirected(step, result, context)
  const answer = await answerIn(result, member)
  if (answer === null) return readFailure(step, UNREADABLE, context)
  const isText = step.kind === 'raw' || step.kind === 'source'
  const isKnown = isText && wiki !== null
  const known = isKnown ? await station.revisions.revision(wiki.key, step.revId) : null
  try {
    return await readLongAnswer({ step, answer, context, known })
  } catch (error) {
    if (error instanceof WikiTextTooLong) return readFailure(step, UNREADABLE, context)
    throw error
  }
}

/** Failed requests have codes of the fetcher; those of wikis come from a login that was refused. */
function logInTroubleIn({ code, message, retry, retryAfterMs }: FailedResult): LogInProblem | null {
  if (!isWikiErrorCode(code)) return null
  const trouble = { code, message, retryAfterMs: retryAfterMs ?? null }
  return { ...trouble, retry: retry === 'never' ? 'never' : 'later' }
}

const isWikiErrorCode = (code: string): code is WikiErrorCode => code.startsWith('MINGA_WIKI_')

/** The bytes of a record could not be read: as if nothing had come. */
const UNREADABLE = 'MINGA_BAD_RECORD'
/** A page of api.php with fifty long revisions, and no bomb. */
const BODY = { bytesMax: 64 * 1024 * 1024, ratioMax: 5_000 }
const RECORD_BYTES_MAX = 80 * 1024 * 1024

async function answerIn(result: CapturedResult, member: Uint8Array): Promise<WikiAnswer | null> {
  try {
    const record = await unpackMember(Buffer.from(member), RECORD_BYTES_MAX)
    const http = parseHttpBlock(record.block)
    if (!http) return null
    const encoding = http.headers.all('content-encoding').join(',') || undefined
    const { bytes, problem } = await unpackWhole(http.body, encoding, BODY)
    const isCut = record.headers.get('WARC-Truncated') !== undefined || problem !== null
    const headers = http.headers.pairs.map(([name, value]): HeaderList[number] => [name, value])
    const truncated = isCut ? { truncated: 'length' as const } : {}
    return { status: result.status, headers, body: bytes, ...truncated }
  } catch (error) {
    if (isMingaError(error)) return null
    throw error
  }
}

/** The same question, where the wiki says that it answers now. */
function redirected(
  step: WikiStep,
  { location }: CapturedResult,
  context: { site: SiteInfo | null; now: number },
): WikiNews {
  const target = location === null ? null : movedTo(step, location)
  if (target === null) return readFailure(step, 'MINGA_WIKI_MOVED', context)
  const nothing = readAnswer(step, { status: 302, headers: [], body: new Uint8Array() }, context)
  return { ...nothing, next: [target] }
}

function movedTo(step: WikiStep, location: string): WikiStep | null {
  const same = stepOfUrl(location)
  if (same !== null) return same
  if (step.kind === 'discover') return { ...step, url: location }
  const place = location.replace(/[?#].*$/s, '')
  if ('api' in step) return place.endsWith('api.php') ? { ...step, api: place } : null
  return null
}

interface ReadAnswer {
  step: WikiStep
  news: WikiNews
  wiki: WikiOfCollection | null
  title: string | null
}

async function readingOf(
  station: Station,
  { step, news, wiki, title }: ReadAnswer,
): Promise<WikiReading> {
  const { revisions, ...rest } = news
  const checking = wiki === null ? null : { step, news, wiki, title }
  const checked = checking && (await checkPage(station.revisions, checking))
  const repairs = checking === null ? [] : (checked?.repairs ?? repairsOfTexts(checking))
  return {
    step,
    news: { ...rest, next: [...rest.next, ...repairs] },
    batches: batchesOf(revisions, news.source, station.clock.now()),
    revisions: revisions.length,
    checked: checked && { pageId: checked.pageId, isPart: checked.isPart, gaps: checked.gaps },
    newest: newestOf([...revisions, ...news.claims]),
  }
}

function newestOf(rows: readonly { revId: number; at: number }[]): WikiReading['newest'] {
  let newest: WikiReading['newest'] = null
  for (const { revId, at } of rows) {
    const isNewer = newest === null || at > newest.at || (at === newest.at && revId > newest.revId)
    if (isNewer) newest = { revId, at }
  }
  return newest
}

function batchesOf(
  revisions: readonly Revision[],
  source: WikiNews['source'],
  seenAt: number,
): Batch[] {
  const byPage = Map.groupBy(revisions, ({ pageId }) => pageId)
  return [...byPage.values()].map((page) => encodeBatch(page, { source, seenAt }))
}

/** What becomes of the request. One that is replaced by others has done its part. */
function verdictOf({ problem, next }: WikiNews, isKept: boolean): Verdict {
  if (problem === null) return { type: 'read', isKept }
  const { code, retry, pauseMs } = problem
  if (retry === 'later') return { type: 'again', pauseMs, code }
  if (retry !== 'never' && next.length > 0) return { type: 'read', isKept }
  return { type: 'failed', code, isKept }
}
