/**
 * Is a history complete? No single source is believed: the chain of parents, the wiki's own list
 * and count, the SHA-1 and the size of every text are compared, and what does not fit is a gap.
 * Histories that were imported, merged or partly deleted may rightly have several beginnings: there
 * the log explains the gap.
 */
import type { HiddenField, Revision } from '../model.ts'
import { gapOf, type Gap } from './gap.ts'
import { checkTexts } from './revision-sha1.ts'
import type { Claim, WikiEvent, WikiEventKind } from './wiki-news.ts'

/** What the check needs of a stored revision. */
export interface HistoryRow {
  revId: number
  parentId: number | null
  at: number
  size: number | null
  sha1: string | null
  hidden: readonly HiddenField[]
  hasText: boolean
  /** Found when its text was read; empty when it was not read or is right. */
  textGaps: readonly Gap[]
}

export interface HistoryClaims {
  pageId: number
  /** The wiki's whole list, from `ids` steps; null when it was not asked for. */
  listed?: readonly Claim[] | null
  /** How many there are by the wiki's own count. */
  count?: number | null
  /** The newest by `prop=info`. */
  lastRevId?: number | null
  /** What the log says of this page. */
  events?: readonly Pick<WikiEvent, 'kind'>[]
  /** A part of a history is not expected to have a root, nor a parent before its first revision. */
  isPart?: boolean
}

/** With its texts checked. */
export function historyRowOf(revision: Revision): HistoryRow {
  const { revId, parentId, at, size, sha1, hidden, slots } = revision
  const hasText = slots.length > 0 && slots.every(({ text }) => text !== null)
  const isHidden = hidden.includes('text')
  const absent = hasText || isHidden || slots.length > 0 ? [] : [gapOf('text-missing', revision)]
  const textGaps = [...absent, ...checkTexts(revision)]
  return { revId, parentId, at, size, sha1, hidden, hasText, textGaps }
}

export function checkHistory(rows: readonly HistoryRow[], claims: HistoryClaims): Gap[] {
  const byId = new Map(rows.map((row) => [row.revId, row]))
  const gaps = [
    ...duplicates(rows, claims.pageId),
    ...parentGaps(byId, claims),
    ...rootGaps(byId, claims),
    ...listGaps(byId, claims),
    ...countGaps(byId, claims),
    ...[...byId.values()].flatMap((row) => textGapsOf(row, claims.pageId)),
  ]
  const explanation = explanationOf(claims.events ?? [])
  return gaps.map((gap) => (isExplicable(gap) ? { ...gap, explainedBy: explanation } : gap))
}

/** Events that leave several beginnings or holes, the strongest first. */
const EXPLAINING: WikiEventKind[] = ['imported', 'merged', 'restored', 'deleted', 'moved']

function explanationOf(events: readonly Pick<WikiEvent, 'kind'>[]): WikiEventKind | null {
  return EXPLAINING.find((kind) => events.some((event) => event.kind === kind)) ?? null
}

function isExplicable({ kind }: Gap): boolean {
  const kinds: Gap['kind'][] = ['several-roots', 'no-root', 'parent-missing', 'time-order']
  return kinds.includes(kind)
}

function duplicates(rows: readonly HistoryRow[], pageId: number): Gap[] {
  const seen = new Map<number, HistoryRow>()
  return rows.flatMap((row) => {
    const before = seen.get(row.revId)
    seen.set(row.revId, row)
    // Hidden or shown since, it is the same revision.
    const isOther = before?.sha1 != null && row.sha1 !== null && before.sha1 !== row.sha1
    return isOther ? [gapOf('duplicate-revision', { pageId, revId: row.revId })] : []
  })
}

function parentGaps(byId: Map<number, HistoryRow>, { pageId, isPart }: HistoryClaims): Gap[] {
  const gaps: Gap[] = []
  const oldest = [...byId.values()].reduce<HistoryRow | null>(
    (a, b) => (a === null || b.at < a.at || (b.at === a.at && b.revId < a.revId) ? b : a),
    null,
  )
  for (const row of byId.values()) {
    const { revId, parentId, at } = row
    // Old dumps tell no parents: nothing can be concluded from that.
    if (parentId === null || parentId === 0) continue
    const parent = byId.get(parentId)
    if (parent === undefined) {
      if (isPart === true && row === oldest) continue
      gaps.push(gapOf('parent-missing', { pageId, revId }, `It followed revision ${parentId}.`))
    } else if (parent.at > at) {
      gaps.push(gapOf('time-order', { pageId, revId }, `It followed revision ${parentId}.`))
    }
  }
  return [...gaps, ...loops(byId, pageId)]
}

/** Each revision is walked over once: a chain that meets its own walk is a circle. */
function loops(byId: Map<number, HistoryRow>, pageId: number): Gap[] {
  const walkOf = new Map<number, number>()
  const gaps: Gap[] = []
  for (const start of byId.keys()) {
    let at = start
    while (byId.has(at) && !walkOf.has(at)) {
      walkOf.set(at, start)
      at = byId.get(at)?.parentId ?? 0
    }
    if (walkOf.get(at) === start) gaps.push(gapOf('parent-loop', { pageId, revId: at }))
  }
  return gaps
}

function rootGaps(byId: Map<number, HistoryRow>, { pageId, isPart }: HistoryClaims): Gap[] {
  const rows = [...byId.values()]
  const roots = rows.filter(({ parentId }) => parentId === 0)
  const isTold = rows.some(({ parentId }) => parentId !== null)
  if (roots.length > 1) {
    const list = roots.slice(0, 5).map(({ revId }) => revId)
    return [
      gapOf(
        'several-roots',
        { pageId },
        `They are ${list.join(', ')}${roots.length > 5 ? ' …' : ''}.`,
      ),
    ]
  }
  const isExpected = rows.length > 0 && isTold && isPart !== true
  return roots.length === 0 && isExpected ? [gapOf('no-root', { pageId })] : []
}

function listGaps(byId: Map<number, HistoryRow>, claims: HistoryClaims): Gap[] {
  const { pageId, listed, lastRevId } = claims
  const gaps: Gap[] = []
  const isListed = new Set((listed ?? []).map(({ revId }) => revId))
  for (const claim of listed ?? []) {
    const row = byId.get(claim.revId)
    if (row === undefined) gaps.push(gapOf('revision-missing', { pageId, revId: claim.revId }))
    else if (claim.sha1 !== null && row.sha1 !== null && claim.sha1 !== row.sha1) {
      const detail = `The wiki lists it with ${claim.sha1}.`
      gaps.push(gapOf('sha1-wrong', { pageId, revId: claim.revId }, detail))
    }
  }
  if (listed != null) {
    const gone = [...byId.keys()].filter((revId) => !isListed.has(revId))
    gaps.push(...gone.map((revId) => gapOf('revision-vanished', { pageId, revId })))
  }
  const isLastMissing =
    lastRevId != null && lastRevId > 0 && !byId.has(lastRevId) && !isListed.has(lastRevId)
  if (isLastMissing)
    gaps.push(gapOf('revision-missing', { pageId, revId: lastRevId }, 'It is the newest.'))
  return gaps
}

function countGaps(byId: Map<number, HistoryRow>, { pageId, count }: HistoryClaims): Gap[] {
  if (count == null || count === byId.size) return []
  return [gapOf('count-differs', { pageId }, `The wiki counts ${count}, here are ${byId.size}.`)]
}

function textGapsOf(row: HistoryRow, pageId: number): Gap[] {
  if (row.textGaps.length > 0) return row.textGaps.map((gap) => ({ ...gap, pageId }))
  if (row.hasText || row.hidden.includes('text')) return []
  return [gapOf('text-missing', { pageId, revId: row.revId })]
}
