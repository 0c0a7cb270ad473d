/** Computes which columns are used, from the results down, so that a scan reads nothing else. */
import { ROW, type Node } from './nodes.ts'

/** Nodes in the order of their ids; what is wished of the roots is in `needed` already. */
export function spreadNeeds(nodes: readonly Node[], roots: readonly Node[]): void {
  // A node that a filter was moved past has no users any more.
  const used = new Set(roots)
  for (const node of nodes.toReversed()) {
    if (!used.has(node)) continue
    // Rows without any column cannot be counted.
    const [first] = node.columns
    const isNothing = !node.columns.some(({ name }) => node.needed.has(name))
    if (isNothing && first !== undefined) node.needed.add(first.name)
    for (const [child, columns] of neededColumns(node)) {
      used.add(child)
      for (const column of columns) child.needed.add(column)
    }
  }
}

export function neededOf({ columns, needed }: Node): string[] {
  const names = columns.map(({ name }) => name).filter((name) => needed.has(name))
  return needed.has(ROW) ? [...names, ROW] : names
}

function neededColumns(node: Node): [Node, Iterable<string>][] {
  const { work, needed } = node
  switch (work.step) {
    case 'scan':
      return []
    case 'filter':
      return [[work.from, [...needed, ...work.where.reads]]]
    case 'project': {
      const used = work.columns.filter(({ name, of }) => of.isUnnest || needed.has(name))
      // What is unnested makes rows, whether or not they are read.
      for (const { name } of used) needed.add(name)
      return [[work.from, [...used.flatMap(({ of }) => of.reads), ...rowIf(needed)]]]
    }
    case 'first': {
      const all = work.from.row === 'repeated' ? namesOf(work.from) : []
      return [[work.from, [...needed, ...work.by, ...all, ROW]]]
    }
    case 'join': {
      const rights = new Set(namesOf(work.with))
      const lefts = [...needed].filter((name) => name === ROW || namesOf(work.from).includes(name))
      const added = [...needed].filter((name) => !lefts.includes(name) && rights.has(name))
      return [
        [work.from, [...lefts, ...work.on.map(([left]) => left)]],
        [work.with, [...added, ...work.on.map(([, right]) => right)]],
      ]
    }
    case 'group': {
      for (const key of work.by) needed.add(key)
      const used = work.aggregates.filter(({ name }) => needed.has(name))
      return [[work.from, [...work.by, ...used.flatMap(({ of }) => of?.reads ?? [])]]]
    }
    case 'threshold':
      return [[work.from, work.of.reads]]
    case 'quantile':
      return [
        [work.from, [...needed, ...work.of.reads]],
        [work.at, namesOf(work.at)],
      ]
    case 'top':
      // Rows that are equal in their sort columns are ordered by all their columns.
      for (const name of namesOf(node)) needed.add(name)
      return [[work.from, namesOf(work.from)]]
    case 'rowFunction':
      return [
        [
          work.from,
          [
            ...[...needed].filter((name) => name !== work.as.name),
            ...work.of.flatMap((of) => of.reads),
          ],
        ],
      ]
  }
}

const namesOf = ({ columns }: Node): string[] => columns.map(({ name }) => name)

const rowIf = (needed: ReadonlySet<string>): string[] => (needed.has(ROW) ? [ROW] : [])
