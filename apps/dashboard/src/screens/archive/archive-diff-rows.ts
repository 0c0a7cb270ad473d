/** The blocks of a comparison as rows to read: which are shown, what stands on either side, what is folded. */
import type { DiffBlockView } from '@minga/protocol'

export type DiffUnit = 'word' | 'line'

export interface DiffRun {
  kind: 'same' | 'added' | 'removed'
  text: string
}

export interface DiffRow {
  kind: DiffBlockView['kind']
  before: DiffRun[]
  after: DiffRun[]
  /** Both in one line of reading: what went before what came. */
  inline: DiffRun[]
  /** Counts changes from 0; null for what stayed or is ignored. */
  change: number | null
  /** It differs where the watch ignores noise. */
  isIgnored: boolean
}

/** So many unchanged blocks that lie together. */
export interface FoldedRows {
  kind: 'folded'
  count: number
}

/** Unchanged blocks that are shown around a change, so that its reader sees where it is. */
const CONTEXT = 2

export function diffRows(
  blocks: readonly DiffBlockView[],
  { unit, isOnlyChanges }: { unit: DiffUnit; isOnlyChanges: boolean },
): (DiffRow | FoldedRows)[] {
  let changes = 0
  const rows = blocks.map((block): DiffRow => {
    const isIgnored = block.isIgnored === true
    const change = block.kind === 'same' || isIgnored ? null : changes++
    return { kind: block.kind, ...sidesOf(block, unit), change, isIgnored }
  })
  return isOnlyChanges ? folded(rows) : rows
}

function sidesOf(
  block: DiffBlockView,
  unit: DiffUnit,
): Omit<DiffRow, 'kind' | 'change' | 'isIgnored'> {
  const { kind, before = '', after = '', words = [] } = block
  if (kind === 'edited' && unit === 'word' && words.length > 0) {
    return {
      before: words.filter((run) => run.kind !== 'added'),
      after: words.filter((run) => run.kind !== 'removed'),
      inline: words,
    }
  }
  const [old, fresh] = kind === 'edited' ? wholeSides(block) : [before, after]
  const whole = (text: string, as: DiffRun['kind']): DiffRun[] =>
    text === '' ? [] : [{ kind: as, text }]
  if (kind === 'same' || kind === 'moved') {
    const stayed = whole(fresh || old, 'same')
    return { before: whole(old || fresh, 'same'), after: stayed, inline: stayed }
  }
  const [went, came] = [whole(old, 'removed'), whole(fresh, 'added')]
  return { before: went, after: came, inline: [...went, ...came] }
}

/** Of an edited block the station may give its words only. */
function wholeSides({ before, after, words = [] }: DiffBlockView): [string, string] {
  const joined = (not: 'added' | 'removed'): string =>
    words
      .filter((run) => run.kind !== not)
      .map(({ text }) => text)
      .join(' ')
  return [before ?? joined('added'), after ?? joined('removed')]
}

function folded(rows: readonly DiffRow[]): (DiffRow | FoldedRows)[] {
  const isNear = rows.map((_, i) =>
    rows.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(differs),
  )
  const shown: (DiffRow | FoldedRows)[] = []
  for (const [i, row] of rows.entries()) {
    const last = shown.at(-1)
    if (isNear[i]) shown.push(row)
    else if (last?.kind === 'folded') last.count++
    else shown.push({ kind: 'folded', count: 1 })
  }
  return shown
}

const differs = ({ change, isIgnored }: DiffRow): boolean => change !== null || isIgnored

/** The change that a step leads to, going round at the ends. */
export function changeAfter(current: number | null, step: 1 | -1, count: number): number | null {
  if (count === 0) return null
  if (current === null) return step === 1 ? 0 : count - 1
  return (current + step + count) % count
}
