/**
 * A filter as far down as it can go. Within a stage DuckDB sees to that itself; here it is taken past what DuckDB
 * cannot see through: shuffles, and row functions, which cost more than everything else. Not past `first`: several
 * queries mostly share it, and rows that are thrown away before it would make it another one for each.
 */
import type { ReadExpression } from './expressions.ts'
import type { Node, Work } from './nodes.ts'
import type { Nodes } from './resolve.ts'

export function addFilter(nodes: Nodes, from: Node, where: ReadExpression): Node {
  const { work, columns, row } = from
  const isOver = (names: readonly string[]): boolean =>
    where.reads.length > 0 && where.reads.every((name) => names.includes(name))
  if (work.step === 'rowFunction' && !where.reads.includes(work.as.name)) {
    return nodes.add({ ...work, from: addFilter(nodes, work.from, where) }, columns, row)
  }
  if (work.step === 'group' && isOver(work.by)) {
    return nodes.add({ ...work, from: addFilter(nodes, work.from, where) }, columns, row)
  }
  const side = work.step === 'join' && work.how === 'shuffle' ? sideOf(work, isOver) : null
  if (work.step === 'join' && side !== null) {
    return nodes.add({ ...work, [side]: addFilter(nodes, work[side], where) }, columns, row)
  }
  return nodes.add({ step: 'filter', from, where }, columns, row)
}

/** Which side alone decides; the right one only where rows without a partner are dropped anyway. */
function sideOf(
  work: Extract<Work, { step: 'join' }>,
  isOver: (names: readonly string[]) => boolean,
): 'from' | 'with' | null {
  const names = ({ columns }: Node) => columns.map(({ name }) => name)
  if (isOver(names(work.from))) return 'from'
  return work.kind === 'inner' && isOver(names(work.with)) ? 'with' : null
}
