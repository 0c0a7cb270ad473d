import type { RequestKind } from '@minga/protocol'

/** Breadth first: the queue is ordered by depth, seeds (depth 0) and robots.txt before all. Documents
 * that follow from one another (a wiki's) say by their depth who goes first. */
export const priorityOf = ({ kind, depth }: { kind: RequestKind; depth: number }): number => {
  if (kind === 'page') return depth + 1
  return kind === 'document' ? depth : 0
}

/** Columns of a URL that is queued. */
export const QUEUED_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'kind',
  'priority',
  'depth',
  'hops',
  'via',
]
/** Columns of a URL that may be refused right away. */
export const URL_COLUMNS = [...QUEUED_COLUMNS, 'outcome', 'code']
