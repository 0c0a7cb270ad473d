/** A *gap*: something that a history should have and has not, or says of itself and does not keep. */
import type { WikiEventKind } from './wiki-news.ts'

const SENTENCES = {
  'revision-missing': 'The wiki lists this revision, and it is not here.',
  'revision-vanished': 'This revision is here, and the wiki does not list it any more.',
  'parent-missing': 'The revision before this one is not here.',
  'parent-loop': 'Following the revisions back from this one comes back to it.',
  'no-root': 'No revision says that it created the page.',
  'several-roots': 'More than one revision says that it created the page.',
  'count-differs': 'The number of revisions is not the one that the wiki states.',
  'duplicate-revision': 'This revision is here more than once, with different content.',
  'sha1-wrong': 'The text does not have the SHA-1 that the wiki states.',
  'size-wrong': 'The text does not have the size that the wiki states.',
  'text-missing': 'The text is not here, and nothing says that it was hidden.',
  'text-unreadable': 'The wiki cannot deliver the text of this revision.',
  'time-order': 'This revision is older than the one it followed.',
  'history-cut': 'The wiki ended its answers before the end of the history.',
} as const

export type GapKind = keyof typeof SENTENCES

export interface Gap {
  kind: GapKind
  pageId: number
  /** Null when it is the page's. */
  revId: number | null
  detail: string
  /** What the wiki's log tells that makes it legitimate. */
  explainedBy: WikiEventKind | null
}

export function sentenceOf(gap: Pick<Gap, 'kind' | 'detail' | 'explainedBy'>): string {
  const parts: string[] = [SENTENCES[gap.kind]]
  if (gap.detail !== '') parts.push(gap.detail)
  if (gap.explainedBy !== null) {
    parts.push(`The log of the wiki explains it: the page was ${gap.explainedBy}.`)
  }
  return parts.join(' ')
}

export function gapOf(
  kind: GapKind,
  where: { pageId: number; revId?: number | null },
  detail = '',
): Gap {
  return { kind, pageId: where.pageId, revId: where.revId ?? null, detail, explainedBy: null }
}
