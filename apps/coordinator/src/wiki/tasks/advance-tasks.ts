/**
 * The life of a task: it waits until no other of its host runs, runs as a collection of its own, and ends
 * when nothing of that is queued any more. At the station's pulse, in one transaction.
 */
import { openCollection, setCollectionState } from '@minga/frontier'
import { canonicalUrl, type GuardPolicy } from '@minga/net'
import type { CollectionSpec, Visibility, WikiFailure } from '@minga/protocol'
import type { Sql } from '@minga/store'
import {
  allNamespaces,
  changeTask,
  listTasks,
  stepOfUrl,
  urlOfStep,
  type TaskRow,
} from '@minga/wiki'
import { isClosed, ownerOfClosed } from './close-wikis.ts'
import { queueSteps } from './queue-steps.ts'
import { followWiki } from '../feeds/advance-feeds.ts'
import { hasLogIn } from '../wiki-log-ins.ts'
import { wikiOfId } from '../wiki-of-collection.ts'
import { beginningOf, collectionOf, extractArguments, progressOf, ticketOf } from './wiki-task.ts'

interface Tending {
  guard: GuardPolicy
  now: number
}

/** Tasks processed together; no station requests more than so many hosts at a time. */
const TASKS_MAX = 1_000
/** Kinds that run as collections; the others are done where they were asked for. */
const OF_ROAD = new Set(['extract', 'update'])

/** Answers whether there is something new to fetch. */
export async function advanceWikiTasks(sql: Sql, args: Tending): Promise<boolean> {
  const open = await listTasks(sql, { states: ['waiting', 'running'], limit: TASKS_MAX })
  const ours = open.filter(({ kind }) => OF_ROAD.has(kind))
  if (ours.length === 0) return false
  const busy = new Set<string>()
  for (const task of ours.filter(({ state }) => state === 'running')) {
    if (!(await endIfOver(sql, task, args.now))) busy.add(hostOf(task))
  }
  let hasNew = false
  for (const task of ours.filter(({ state }) => state === 'waiting').toSorted(byTurn)) {
    if (busy.has(hostOf(task))) continue
    busy.add(hostOf(task))
    await startTask(sql, task, args)
    hasNew = true
  }
  return hasNew
}

const byTurn = (a: TaskRow, b: TaskRow): number => b.priority - a.priority || a.id - b.id

const hostOf = (task: TaskRow): string => String((task.arguments as { host?: unknown }).host)

async function startTask(sql: Sql, task: TaskRow, { guard, now }: Tending): Promise<void> {
  const run = task.attempts + 1
  const step = beginningOf(task, ticketOf({ id: task.id, run }))
  const seed = canonicalUrl(urlOfStep(step))!
  const { id: collectionId } = await openCollection(sql, {
    identity: `wiki task ${task.id} run ${run}`,
    spec: ownIfLoggedIn(collectionOf(task, seed), await hasLogIn(sql, seed)),
    ...(await readersOf(sql, task, seed)),
    allowPrivateAddresses: guard.allowPrivateAddresses,
    now,
  })
  await changeTask(sql, {
    id: task.id,
    now,
    state: 'running',
    collectionId,
    run,
    progress: { ...progressOf(task), missing: [], upToDate: 0 },
    error: null,
  })
  await queueSteps(sql, { collectionId, steps: [step], guard })
}

/** Pages that require a login are not assigned to volunteers, who cannot read them. */
function ownIfLoggedIn(spec: CollectionSpec, isLoggedIn: boolean): CollectionSpec {
  if (!isLoggedIn || spec.wiki === null) return spec
  return { ...spec, wiki: { ...spec.wiki, volunteers: false } }
}

/** What the station reads with a secret of its own is not for all its readers. */
async function readersOf(
  sql: Sql,
  task: TaskRow,
  seed: string,
): Promise<{ owner: string | null; visibility: Visibility }> {
  const owner = ownerOf(task)
  if (!(await isClosed(sql, seed))) return { owner, visibility: 'shared' }
  const { wikiId } = task
  return { owner: await ownerOfClosed(sql, { wikiId, owner }), visibility: 'private' }
}

const ownerOf = (task: TaskRow): string | null =>
  (task.arguments as { owner?: string }).owner ?? null

interface CollectionEnd {
  state: string
  reason: string | null
  queued: number
  leased: number
}

async function endIfOver(sql: Sql, task: TaskRow, now: number): Promise<boolean> {
  const collection = await sql.get<CollectionEnd>(
    'SELECT state, reason, queued, leased FROM collections WHERE id = ?',
    [task.collectionId],
  )
  if (collection && collection.state !== 'finished' && collection.state !== 'cancelled') {
    return false
  }
  const end = await endOf(sql, task, collection ?? null)
  await changeTask(sql, { id: task.id, now, ...end })
  if (end.state === 'done' && task.kind === 'extract') await followAfter(sql, task, now)
  return true
}

async function endOf(
  sql: Sql,
  task: TaskRow,
  collection: CollectionEnd | null,
): Promise<Pick<TaskRow, 'state' | 'error'>> {
  if (collection === null || collection.state === 'cancelled') {
    return { state: 'cancelled', error: null }
  }
  if (collection.reason !== null) {
    return { state: 'failed', error: `It reached its limit (${collection.reason}).` }
  }
  const { failures, failed } = await failuresOf(sql, { collectionId: task.collectionId!, limit: 1 })
  if (task.wikiId === null) {
    const [why] = failures
    const code = why === undefined ? '' : ` (${why.code})`
    return { state: 'failed', error: `No MediaWiki was found at this address${code}.` }
  }
  const { missing, pages, upToDate, revisions } = progressOf(task)
  const hasNothing = pages + upToDate === 0 && revisions === 0
  if (hasNothing && (failed > 0 || missing.length > 0)) {
    return { state: 'failed', error: 'Nothing of what was asked for could be had.' }
  }
  return { state: 'done', error: null }
}

async function followAfter(sql: Sql, task: TaskRow, now: number): Promise<void> {
  const { namespaces, all } = extractArguments.parse(task.arguments)
  const wiki = await wikiOfId(sql, task.wikiId!)
  if (wiki === null) return
  const followed = all ? allNamespaces(wiki.site) : namespaces
  const since = task.startedAt ?? now
  await followWiki(sql, { wikiId: wiki.wikiId, namespaces: followed, since, now })
}

/** Requests of a task that came to nothing, and how many there are. */
export async function failuresOf(
  sql: Sql,
  args: { collectionId: number; limit: number },
): Promise<{ failed: number; failures: WikiFailure[] }> {
  const where = `FROM urls WHERE collection_id = ? AND outcome IN ('failed', 'denied')`
  const count = await sql.get<{ n: number }>(`SELECT COUNT(*) AS n ${where}`, [args.collectionId])
  const rows = await sql.all<{ url: string; code: string }>(
    `SELECT url, code ${where} ORDER BY hash LIMIT ?`,
    [args.collectionId, args.limit],
  )
  const failures = rows.map(({ url, code }) => ({ page: subjectOf(url), code }))
  return { failed: count?.n ?? 0, failures }
}

/** What a request was about, as far as its address says. */
function subjectOf(url: string): string {
  const step = stepOfUrl(url)
  if (step === null) return url
  if ('title' in step && typeof step.title === 'string') return step.title
  if ('pageId' in step) return `#${step.pageId}`
  if (step.kind === 'titles') return step.of.join(' | ')
  return url
}

/** What is queued ends as cancelled, in the transaction in which the task does. */
export async function cancelWikiTask(
  sql: Sql,
  { id, now }: { id: number; now: number },
): Promise<void> {
  const task = await changeTask(sql, { id, now, state: 'cancelled' })
  if (task === null || task.collectionId === null || task.state !== 'cancelled') return
  await setCollectionState(sql, { id: task.collectionId, state: 'cancelled', reason: 'asked', now })
}
