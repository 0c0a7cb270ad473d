/**
 * Step 7 for wikis, second half: what accepted answers say goes into the histories, and the steps that
 * follow into the queue, in the transaction that ends their requests. So whatever dies, an answer is
 * noted and led on from exactly once.
 */
import { isAllowedBy, nextRedirect, readRobots, type Accepted } from '@minga/frontier'
import { hostKeyOf, type GuardPolicy } from '@minga/net'
import type { WikiProgress } from '@minga/protocol'
import type { Sql } from '@minga/store'
import {
  addBatches,
  changeTask,
  noteEvents,
  notePages,
  pageRows,
  readTask,
  registerWiki,
  type PageRow,
  type TaskRow,
  type WikiStep,
} from '@minga/wiki'
import { eventNoteOf } from '../feeds/hear-stream.ts'
import { closeTask, closeWiki, isClosed } from '../tasks/close-wikis.ts'
import { noteFeed } from '../feeds/note-feed.ts'
import { queueSteps } from '../tasks/queue-steps.ts'
import { updateSteps } from '../tasks/update-steps.ts'
import { isOfLogIn, noteLogInRefused } from '../wiki-log-ins.ts'
import { wikiOfId, type WikiOfCollection } from '../wiki-of-collection.ts'
import { chosenSteps, progressOf, stepsAround } from '../tasks/wiki-task.ts'
import { hasOpenGaps, noteFinished, noteGapsOf, notePagesTold } from './note-pages.ts'
import type { WikiReading } from './read-wiki-answers.ts'
import { EXPLICABLE } from './check-page.ts'

interface Noting {
  accepted: readonly (Accepted & { wiki?: WikiReading })[]
  guard: GuardPolicy
  now: number
}

/** Titles and sentences that a task's row keeps of each kind. */
const KEPT_MAX = 200

export async function noteWiki(sql: Sql, args: Noting): Promise<void> {
  for (const item of args.accepted) {
    const { wiki: reading } = item
    const isOver = item.decision.type === 'captured' || item.decision.type === 'failed'
    if (reading !== undefined && isOver && item.url !== null) {
      await noteAnswer(sql, { item, reading, guard: args.guard, now: args.now })
    }
  }
}

/** One answer, and whose it is. */
export interface WikiAnswerNoted {
  item: Accepted
  reading: WikiReading
  guard: GuardPolicy
  now: number
}

async function noteAnswer(sql: Sql, answer: WikiAnswerNoted): Promise<void> {
  const { item, reading, now } = answer
  await noteLogIn(sql, answer)
  const about = item.spec.wiki!
  const task = about.task === null ? null : await readTask(sql, { id: about.task })
  const wiki = await wikiOf(sql, answer, task)
  const noted = wiki === null ? NOTHING_NOTED : await noteNews(sql, { answer, wiki, task })
  const around = task === null ? [] : stepsAround(task, reading)
  await lead(sql, answer, [...reading.news.next, ...noted.steps, ...around])
  if (task === null) return
  await changeTask(sql, {
    id: task.id,
    now,
    progress: { ...progressAfter(task, answer, noted) },
    ...(wiki === null ? {} : { wikiId: wiki.wikiId }),
  })
}

/** A log-in that failed for good rests before anyone tries it again. */
async function noteLogIn(sql: Sql, { item, reading, now }: WikiAnswerNoted): Promise<void> {
  const { problem } = reading.news
  // Volunteers know of no log-in, whatever one of them says.
  const isOwn = item.result.type === 'failed' && !item.spec.wiki!.volunteers
  if (!isOwn || problem?.retry !== 'never' || !isOfLogIn(problem.code)) return
  const { code, message } = problem
  await noteLogInRefused(sql, { url: item.url!.url, code, message, now })
}

interface Noted {
  steps: WikiStep[]
  /** Pages that have something new. */
  begun: number
  /** Stored pages that have not. */
  upToDate: number
  /** Whether a page is done with this answer. */
  isDone: boolean
  warnings: string[]
}

const NOTHING_NOTED: Noted = { steps: [], begun: 0, upToDate: 0, isDone: false, warnings: [] }

interface NewsOf {
  answer: WikiAnswerNoted
  wiki: WikiOfCollection
  /** Null: it keeps the wiki fresh. */
  task: TaskRow | null
}

async function noteNews(sql: Sql, { answer, wiki, task }: NewsOf): Promise<Noted> {
  const { reading, now } = answer
  const { news, step, batches } = reading
  const { wikiId } = wiki
  const isFound = step.kind === 'siteinfo' && news.site !== null
  const warnings = isFound ? await noteEtiquette(sql, { wiki, item: answer.item, now }) : []
  const first = isFound && task !== null ? await firstSteps(sql, { answer, wiki, task }) : []
  if (batches.length > 0) await addBatches(sql, { wikiId, batches, now })
  const { steps, begun, upToDate } = await notePagesTold(sql, { wiki, step, news, now })
  await noteEventsOf(sql, wikiId, answer)
  await noteGapsOf(sql, { wiki, reading, now })
  await explainGaps(sql, { wiki, reading, now })
  const isDone = await noteFinished(sql, { wiki, answer })
  const changed = await noteFeed(sql, { wiki, answer, isFeed: task === null })
  return { steps: [...first, ...steps, ...changed], begun, upToDate, isDone, warnings }
}

/** The wiki that an answer is of; a siteinfo says which it is. */
async function wikiOf(
  sql: Sql,
  { item, reading, now }: WikiAnswerNoted,
  task: TaskRow | null,
): Promise<WikiOfCollection | null> {
  const { site, source } = reading.news
  if (site !== null) {
    const { wikiId, key, isNew } = await registerWiki(sql, { site, source, now })
    if (isNew && site.apiUrl !== null && (await isClosed(sql, site.apiUrl))) {
      await closeWiki(sql, wikiId, ownerOf(task))
    }
    if (task?.collectionId != null) {
      await closeTask(sql, { wikiId, collectionId: task.collectionId, owner: ownerOf(task) })
    }
    return { wikiId, key, site }
  }
  const wikiId = item.spec.wiki!.id ?? task?.wikiId ?? null
  return wikiId === null ? null : wikiOfId(sql, wikiId)
}

const ownerOf = (task: TaskRow | null): string | null =>
  (task?.arguments as { owner?: string } | undefined)?.owner ?? null

async function firstSteps(
  sql: Sql,
  { answer, wiki, task }: NewsOf & { task: TaskRow },
): Promise<WikiStep[]> {
  const { ticket } = answer.reading.step
  if (task.kind !== 'update') return chosenSteps(task, wiki.site, ticket)
  return updateSteps(sql, { task, wiki, ticket, now: answer.now })
}

async function noteEventsOf(
  sql: Sql,
  wikiId: number,
  { reading, now }: WikiAnswerNoted,
): Promise<void> {
  const events = reading.news.events.map(eventNoteOf)
  if (events.length > 0) await noteEvents(sql, { wikiId, events, now })
}

async function lead(
  sql: Sql,
  { item, guard }: WikiAnswerNoted,
  steps: readonly WikiStep[],
): Promise<void> {
  const { result, url, lease } = item
  const step = nextRedirect(result, url!.hops, {})
  if (step.type === 'refused') return
  const hops = step.type === 'follow' ? step.hops : 0
  await queueSteps(sql, { collectionId: lease.collection_id, steps, guard, via: url!.url, hops })
}

function progressAfter(task: TaskRow, { reading }: WikiAnswerNoted, noted: Noted): WikiProgress {
  const progress = progressOf(task)
  const { news, revisions } = reading
  // A stored page that is gone there was deleted, and is noted as such: an update has found it so.
  const isUpdate = task.kind === 'update'
  const wanted = news.missing.filter(({ pageId }) => pageId === null || !isUpdate)
  const missing = wanted.map(
    ({ title, pageId, detail }) => title ?? (pageId === null ? detail : `#${pageId}`),
  )
  const kept = (former: string[], more: string[]): string[] =>
    [...new Set([...former, ...more])].slice(0, KEPT_MAX)
  return {
    requests: progress.requests + 1,
    revisions: progress.revisions + revisions,
    pages: progress.pages + noted.begun,
    pagesDone: progress.pagesDone + (noted.isDone ? 1 : 0),
    upToDate: progress.upToDate + noted.upToDate,
    missing: kept(progress.missing, missing),
    warnings: kept(progress.warnings, [...news.warnings, ...noted.warnings]),
  }
}

const PASSED_OVER = 'robots-passed-over'

/**
 * Notes once of each wiki that its robots.txt would have forbidden what the etiquette of wikis allows. Returns what the
 * collector has to be notified of.
 */
async function noteEtiquette(
  sql: Sql,
  { wiki, item, now }: { wiki: WikiOfCollection; item: Accepted; now: number },
): Promise<string[]> {
  if (item.spec.wiki?.robots !== 'etiquette' || item.result.type === 'returned') return []
  const { url } = item.result
  const scheme = url.startsWith('https:') ? 'https' : 'http'
  const robots = await readRobots(sql, item.lease.host_id, scheme)
  if (robots === null || isAllowedBy(robots, url)) return []
  const { wikiId } = wiki
  const title = hostKeyOf(url)
  const known = await sql.get(
    'SELECT 1 AS one FROM wiki_events WHERE wiki_id = ? AND kind = ? AND title = ?',
    [wikiId, PASSED_OVER, title],
  )
  if (known === undefined) {
    const event = { kind: PASSED_OVER, at: now, logId: 0, pageId: null, title, details: { url } }
    await noteEvents(sql, { wikiId, events: [event], now })
  }
  return [`robots.txt of ${title} forbids api.php; the etiquette of wikis is followed instead.`]
}

/** The strongest first. */
const EXPLAINING = ['imported', 'merged', 'restored', 'deleted', 'moved']

interface Explaining {
  wiki: WikiOfCollection
  reading: WikiReading
  now: number
}

/**
 * Histories that were imported, merged or partly deleted rightly have several beginnings or holes:
 * where the wiki's log records it, the gap is explained and no fault.
 * Of the page that was checked, and of those that the answer's log entries name.
 */
async function explainGaps(sql: Sql, { wiki, reading, now }: Explaining): Promise<void> {
  const { wikiId } = wiki
  const { events } = reading.news
  const pageIds = events.flatMap(({ pageId }) => pageId ?? [])
  if (reading.checked !== null) pageIds.push(reading.checked.pageId)
  const titles = events.flatMap(({ title, newTitle }) => [title, newTitle ?? title])
  if (pageIds.length + titles.length === 0) return
  const pages = await pageRows(sql, {
    wikiId,
    pageIds: [...new Set(pageIds)],
    titles: [...new Set(titles)],
  })
  for (const page of pages) await explainPage(sql, { wikiId, page, now })
}

async function explainPage(
  sql: Sql,
  { wikiId, page, now }: { wikiId: number; page: PageRow; now: number },
): Promise<void> {
  if (!(await hasOpenGaps(sql, wikiId, page.pageId))) return
  const why = await explanationOf(sql, wikiId, page)
  if (why === null) return
  await sql.run(
    `UPDATE wiki_gaps SET explained_by = ? WHERE wiki_id = ? AND page_id = ?
       AND kind IN (${EXPLICABLE.map(() => '?').join(', ')})`,
    [why, wikiId, page.pageId, ...EXPLICABLE],
  )
  if (page.state !== 'gapped' || (await hasOpenGaps(sql, wikiId, page.pageId))) return
  const { pageId, ns, title, redirect } = page
  await notePages(sql, { wikiId, pages: [{ pageId, ns, title, redirect, state: 'complete' }], now })
}

async function explanationOf(sql: Sql, wikiId: number, page: PageRow): Promise<string | null> {
  const { pageId, title } = page
  const rows = await sql.all<{
    kind: string
    page_id: number | null
    title: string
    details: string
  }>(
    `SELECT kind, page_id, title, details FROM wiki_events WHERE wiki_id = ?
       AND kind IN (${EXPLAINING.map(() => '?').join(', ')})
       AND (page_id = ? OR title = ? OR details LIKE ?)`,
    [wikiId, ...EXPLAINING, pageId, title, `%${JSON.stringify(title).replaceAll(/[%_]/g, '_')}%`],
  )
  const own = rows.filter((row) => {
    const { newTitle } = JSON.parse(row.details) as { newTitle?: string | null }
    return row.page_id === pageId || row.title === title || newTitle === title
  })
  return EXPLAINING.find((kind) => own.some((row) => row.kind === kind)) ?? null
}
