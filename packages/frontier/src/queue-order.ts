import type { RequestKind } from '@minga/protocol'

/** Breadth first: the queue is ordered by depth, seeds (depth 0) and robots.txt before all. */
export const priorityOf = ({ kind, depth }: { kind: RequestKind; depth: number }): number =>
  kind === 'page' ? depth + 1 : 0
