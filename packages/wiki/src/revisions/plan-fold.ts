/**
 * What a fold writes of what arrived. Pure: rows that arrived and rows that are in segments already go in,
 * rows to write come out, with which texts, and which old rows count no more.
 */
import type { PurgeRow } from './batch-operations.ts'
import type { KnownRow } from './known-rows.ts'
import { isLater, mergeRevisions, saysTheSame } from './merge-revisions.ts'
import type { Row } from './rows.ts'
import type { PageDelta } from './commit-operations.ts'
import type { Superseded } from './segment-operations.ts'

export interface FoldedRow {
  row: Row
  /** Which texts are to be written, and the number of the batch each comes from. */
  texts: { role: string; seq: number }[]
}

export interface FoldPlan {
  /** By page, then in the order of its history. */
  rows: FoldedRow[]
  superseded: Superseded[]
  pages: PageDelta[]
}

interface Told {
  row: Row
  texts: Map<string, number>
}

export function planFold(
  arrived: readonly Row[],
  known: readonly KnownRow[],
  purges: ReadonlyMap<number, PurgeRow>,
): FoldPlan {
  const before = Map.groupBy(known, ({ revId }) => revId)
  const deltas = new Map<number, PageDelta>()
  const rows: FoldedRow[] = []
  const superseded: Superseded[] = []
  for (const tellings of Map.groupBy(arrived, ({ revId }) => revId).values()) {
    const old = before.get(tellings[0]!.revId) ?? []
    const told = withKnown(toldTogether(tellings), old)
    const row = stripped(told.row, purges.get(told.row.revId))
    if (old.some((one) => one.pageId === row.pageId && saysTheSame(one, row))) continue
    const texts = [...told.texts].filter(([role]) => row.heldRoles.includes(role))
    rows.push({ row, texts: texts.map(([role, seq]) => ({ role, seq })) })
    count(deltas, row, 1)
    for (const one of old) {
      superseded.push({ segmentId: one.segmentId, revId: one.revId })
      count(deltas, one, -1)
    }
  }
  return { rows: rows.toSorted(inHistory), superseded, pages: [...deltas.values()] }
}

/** Of several tellings that wait together, one. */
function toldTogether(tellings: readonly Row[]): Told {
  const [first, ...rest] = tellings.toSorted((a, b) => (isLater(a, b) ? 1 : -1))
  let row = first!
  const texts = new Map(row.heldRoles.map((role) => [role, row.seq]))
  for (const later of rest) {
    row = { ...mergeRevisions(row, later), seq: later.seq }
    for (const role of later.heldRoles) texts.set(role, later.seq)
  }
  return { row, texts }
}

function withKnown({ row, texts }: Told, known: readonly KnownRow[]): Told {
  let merged = row
  let written = texts
  for (const { segmentId: _, ...old } of known) {
    const isOld = isLater(merged, old)
    // A text that a pack holds already, unchanged, stays where it is.
    written = new Map([...written].filter(([role]) => isOld || !old.heldRoles.includes(role)))
    written = new Map([...written].filter(([role]) => !holdsTheSame(old, merged, role)))
    const [earlier, later] = isOld ? [old, merged] : [merged, old]
    merged = { ...mergeRevisions(earlier, later), seq: later.seq }
  }
  return { row: merged, texts: written }
}

function holdsTheSame(old: Row, row: Row, role: string): boolean {
  const sha1Of = ({ slots }: Row): string | null | undefined =>
    slots.find((slot) => slot.role === role)?.sha1
  const sha1 = sha1Of(old)
  return old.heldRoles.includes(role) && sha1 !== null && sha1 !== undefined && sha1 === sha1Of(row)
}

/** A revision without what its tombstone names. */
export function stripped<T extends Row>(row: T, purge: PurgeRow | undefined): T {
  if (purge === undefined) return row
  const fields = new Set(purge.fields.split(','))
  const hidden = [...new Set([...row.hidden, ...fields])].toSorted() as Row['hidden']
  const bare = { ...row, hidden }
  if (fields.has('user')) Object.assign(bare, { user: null, userId: null, editor: 'unknown' })
  if (fields.has('comment')) Object.assign(bare, { comment: null, parsedComment: null })
  if (fields.has('sha1')) Object.assign(bare, { sha1: null, slots: withoutSha1(bare.slots) })
  if (fields.has('text')) {
    Object.assign(bare, { heldRoles: [], textBytes: 0, slots: withoutText(bare.slots) })
  }
  return bare
}

const withoutSha1 = (slots: Row['slots']): Row['slots'] =>
  slots.map((slot) => ({ ...slot, sha1: null }))

const withoutText = (slots: Row['slots']): Row['slots'] =>
  slots.map((slot) => ({ ...slot, text: null }))

export function count(deltas: Map<number, PageDelta>, row: Row, sign: 1 | -1): void {
  const { pageId, textBytes } = row
  const was = deltas.get(pageId) ?? { pageId, revisions: 0, bytes: 0 }
  deltas.set(pageId, {
    pageId,
    revisions: was.revisions + sign,
    bytes: was.bytes + sign * textBytes,
  })
}

function inHistory({ row: a }: FoldedRow, { row: b }: FoldedRow): number {
  return a.pageId - b.pageId || a.at - b.at || a.revId - b.revId
}
