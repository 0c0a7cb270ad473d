/** Which steps may fill the gaps of a history. */
import type { SiteInfo } from '../model.ts'
import type { Gap, GapKind } from './gap.ts'
import { apiOf, listOfIds, revisionsByIds } from './plan-steps.ts'
import { indexUrlFor, type Ticket, type WikiStep } from './wiki-step.ts'

/** Asked for again by number. */
const BY_ID: GapKind[] = ['revision-missing', 'text-missing', 'sha1-wrong', 'size-wrong']
/** Only the whole list can tell. */
const BY_LIST: GapKind[] = [
  'parent-missing',
  'count-differs',
  'history-cut',
  'no-root',
  'several-roots',
]
/** The API puts texts into Unicode's normal form; the text alone comes byte for byte. */
const BY_TEXT: GapKind[] = ['sha1-wrong', 'size-wrong', 'text-unreadable', 'text-missing']

interface RepairPlan {
  site: SiteInfo
  /** The attempt that is about to begin, from 1; from the second on texts are asked for alone. */
  ticket: Ticket
  /** Of the page; null where it is not known. */
  title: string | null
}

/** For the gaps of one page. Those that the log explains are left alone. */
export function planRepair(gaps: readonly Gap[], { site, ticket, title }: RepairPlan): WikiStep[] {
  const open = gaps.filter(({ explainedBy }) => explainedBy === null)
  const [first] = open
  if (first === undefined) return []
  const { pageId } = first
  const steps: WikiStep[] = []
  if (open.some(({ kind }) => BY_LIST.includes(kind))) steps.push(listOfIds(site, pageId, ticket))
  const isAlone = ticket.attempt >= 2 && title !== null
  const alone = isAlone
    ? idsOf(open, BY_TEXT)
    : title === null
      ? []
      : idsOf(open, ['text-unreadable'])
  const together = idsOf(open, BY_ID).filter((revId) => !alone.includes(revId))
  const index = indexUrlFor(apiOf(site))
  return [
    ...steps,
    ...revisionsByIds(site, { pageId, revIds: together }, ticket),
    ...alone.map((revId): WikiStep => ({
      kind: 'raw',
      index,
      title: title ?? '',
      pageId,
      revId,
      ticket,
    })),
  ]
}

function idsOf(gaps: readonly Gap[], kinds: GapKind[]): number[] {
  const ids = gaps.flatMap(({ kind, revId }) =>
    kinds.includes(kind) && revId !== null ? [revId] : [],
  )
  return [...new Set(ids)]
}
