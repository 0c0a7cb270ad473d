/** Parts of a difference as lines side by side, without long unchanged parts. */

export type DiffKind = 'same' | 'removed' | 'added' | 'moved-from' | 'moved-to'

export interface DiffPart {
  kind: DiffKind
  text: string
}

export interface DiffLine {
  number: number
  runs: DiffPart[]
}

export type DiffRow =
  | { kind: 'same' | 'changed'; before: DiffLine; after: DiffLine }
  | { kind: 'removed'; before: DiffLine; after: null }
  | { kind: 'added'; before: null; after: DiffLine }

/** So many lines that stayed, `from` the first of them. */
export interface Skipped {
  kind: 'skipped'
  from: number
  count: number
}

/** Lines around a change by which a reader finds the place. */
const CONTEXT = 3

export function diffRows(parts: readonly DiffPart[]): DiffRow[] {
  const rows = new RowBuilder()
  for (const part of parts) rows.take(part)
  return rows.end()
}

/**
 * Lines of both sides are gathered until both end at the same line break: what was gathered between two such
 * places belongs together. Of a gathered block the last lines are the two that end together.
 */
class RowBuilder {
  readonly #rows: DiffRow[] = []
  readonly #numbers = { before: 0, after: 0 }
  #before = new Side()
  #after = new Side()
  /** Whether both sides had the last word that was taken. */
  #isShared = false

  take({ kind, text }: DiffPart): void {
    const isBefore = kind !== 'added' && kind !== 'moved-to'
    const isAfter = kind !== 'removed' && kind !== 'moved-from'
    this.#isShared = kind === 'same'
    if (kind === 'same' && this.#before.isAtStart && this.#after.isAtStart) this.#flush(false)
    for (const piece of text.split(/(?<=\n)/)) {
      if (piece === '') continue
      const isEnd = piece.endsWith('\n')
      const run = { kind, text: isEnd ? piece.slice(0, -1) : piece }
      if (isBefore) this.#before.add(run, isEnd)
      if (isAfter) this.#after.add(run, isEnd)
      if (kind === 'same' && isEnd) this.#flush(true)
    }
  }

  end(): DiffRow[] {
    const isTogether = this.#isShared && !this.#before.isAtStart && !this.#after.isAtStart
    this.#before.close()
    this.#after.close()
    this.#flush(isTogether)
    return this.#rows
  }

  #flush(isTogether: boolean): void {
    const [before, after] = [this.#before.take(), this.#after.take()]
    const last =
      isTogether && before.length > 0 && after.length > 0
        ? ([before.pop()!, after.pop()!] as const)
        : null
    for (let i = 0; i < Math.max(before.length, after.length); i += 1) {
      this.#push(before[i] ?? null, after[i] ?? null)
    }
    if (last !== null) this.#push(...last)
  }

  #push(before: DiffPart[] | null, after: DiffPart[] | null): void {
    const left = before && { number: (this.#numbers.before += 1), runs: before }
    const right = after && { number: (this.#numbers.after += 1), runs: after }
    if (left !== null && right !== null) {
      const isSame = [...left.runs, ...right.runs].every(({ kind }) => kind === 'same')
      this.#rows.push({ kind: isSame ? 'same' : 'changed', before: left, after: right })
    } else if (left !== null) this.#rows.push({ kind: 'removed', before: left, after: null })
    else if (right !== null) this.#rows.push({ kind: 'added', before: null, after: right })
  }
}

class Side {
  #lines: DiffPart[][] = []
  #open: DiffPart[] | null = null

  get isAtStart(): boolean {
    return this.#open === null
  }

  add(run: DiffPart, isEnd: boolean): void {
    this.#open ??= []
    if (run.text !== '') this.#open.push(run)
    if (isEnd) this.close()
  }

  close(): void {
    if (this.#open !== null) this.#lines.push(this.#open)
    this.#open = null
  }

  take(): DiffPart[][] {
    const lines = this.#lines
    this.#lines = []
    return lines
  }
}

/** Stretches that stayed shrink to what a reader needs around a change. */
export function withoutStretches(rows: readonly DiffRow[]): (DiffRow | Skipped)[] {
  const isNear = rows.map(() => false)
  for (const [i, { kind }] of rows.entries()) {
    if (kind === 'same') continue
    isNear.fill(true, Math.max(0, i - CONTEXT), i + CONTEXT + 1)
  }
  const shown: (DiffRow | Skipped)[] = []
  for (const [i, row] of rows.entries()) {
    const last = shown.at(-1)
    if (isNear[i]) shown.push(row)
    else if (last?.kind === 'skipped') last.count += 1
    else shown.push({ kind: 'skipped', from: row.after?.number ?? 0, count: 1 })
  }
  return shown
}

export const textOfLine = ({ runs }: DiffLine): string => runs.map(({ text }) => text).join('')
