/**
 * What a wiki hides goes from the archive, too, where its answers were kept as WARC: the store of
 * revisions purges its own files, and here the answers that still tell it are taken down.
 */
import type { CaptureRow } from '@minga/protocol'
import type { Store } from '@minga/store'
import { readAnswer, stepOfUrl, type Revision, type WikiStep } from '@minga/wiki'
import { readArchived, type ArchivedAnswer } from '../archive/captures/capture-content.ts'
import { factOf, type HiddenRevisions } from './hidden-revisions-rows.ts'
import type { Takedowns } from '../archive/takedown/takedowns.ts'
import type { Operations } from '../station/station-operations.ts'
import type { Station } from '../station/station.ts'

const PAGE_ROWS = 500
const BY = 'wiki'

/** Looks only when there is something new to look for. */
export async function takeDownHidden(station: Station, takedowns: Takedowns): Promise<void> {
  const { store } = station
  for (const hidden of await store.call('hiddenRevisions', {})) {
    const ids: number[] = []
    for (const collectionId of hidden.collections) {
      for await (const capture of capturesIn(store, collectionId)) {
        if (await tells(station, capture, hidden)) ids.push(capture.id)
      }
    }
    const why = { reason: `hidden by the wiki ${hidden.key}`, by: BY, isBlocked: false }
    await takedowns.takeCaptures(ids, why)
    await store.call('writeFact', { name: factOf(hidden.wikiId), value: String(hidden.upTo) })
  }
}

async function* capturesIn(
  store: Store<Operations>,
  collectionId: number,
): AsyncGenerator<CaptureRow> {
  for (let afterId = 0; ;) {
    const asked = { collectionId, afterId, limit: PAGE_ROWS }
    const rows = await store.call('wikiCaptures', asked)
    yield* rows
    if (rows.length < PAGE_ROWS) return
    afterId = rows.at(-1)!.id
  }
}

type Fields = ReadonlyMap<number, readonly string[]>

async function tells(
  station: Station,
  capture: CaptureRow,
  hidden: HiddenRevisions,
): Promise<boolean> {
  const step = stepOfUrl(capture.url)
  if (step === null || !MAY_TELL.has(step.kind)) return false
  const fields: Fields = new Map(hidden.revisions.map(({ revId, fields: of }) => [revId, of]))
  const answer = await readArchived(station, { url: capture.url, at: capture.capturedAt })
  if (step.kind === 'raw') return fields.get(step.revId)?.includes('text') ?? false
  if (LISTS.has(step.kind)) return isListed(answer.body, fields)
  return revisionsIn(station, { step, answer, hidden }).some((revision) =>
    isTold(revision, fields.get(revision.revId) ?? []),
  )
}

/** Lists of changes tell who and why, history pages too, and no texts. */
const LISTS = new Set<WikiStep['kind']>(['ids', 'recentchanges', 'logevents', 'historyPage'])
const MAY_TELL = new Set<WikiStep['kind']>([...LISTS, 'revisions', 'byIds', 'export', 'raw'])

/** The text is gone through once, however many revisions are hidden. */
const MENTION = /(?:"revid":|data-mw-revid=")\s{0,100}(\d{1,15})\b/g

function isListed(body: Buffer, fields: Fields): boolean {
  for (const [, revId] of body.toString().matchAll(MENTION)) {
    const hidden = fields.get(Number(revId)) ?? []
    if (hidden.some((field) => field !== 'text')) return true
  }
  return false
}

function revisionsIn(
  { clock }: Station,
  { step, answer, hidden }: { step: WikiStep; answer: ArchivedAnswer; hidden: HiddenRevisions },
): Revision[] {
  const { status, headers, body } = answer
  const context = { site: hidden.site, now: clock.now() }
  return readAnswer(
    step,
    { status, headers: headers.map(([name, value]) => [name, value]), body },
    context,
  ).revisions
}

/** An answer of after the hiding says that something is hidden, and not what. */
function isTold(revision: Revision, hidden: readonly string[]): boolean {
  const isHidden: Record<string, boolean> = {
    text: revision.slots.some(({ text }) => text !== null),
    user: revision.user !== null,
    comment: revision.comment !== null,
  }
  return hidden.some((field) => isHidden[field] ?? false)
}
