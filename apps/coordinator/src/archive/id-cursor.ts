/**
 * How far a table with growing ids was read, so that every row is read exactly once.
 *
 * SQLite has one writer: what has a higher id was committed later. On PostgreSQL ids are given
 * before the commit: a number that is missing may belong to a transaction that is under way, and
 * its row appears later below rows that were read already. So missing numbers are remembered as
 * holes and read again, until every transaction that may have been given them has ended: those of
 * before a mark that is set when a hole is old enough for its transaction to be known to the
 * database.
 */

export interface IdCursor {
  last: number
  /** Both ends included, in order. */
  holes: readonly Hole[]
}

export interface Hole {
  from: number
  to: number
  since: number
  /** Transactions of before this number may fill it; null: it is too young to say. */
  mark: number | null
}

/** What the database says of its transactions. */
export interface Horizon {
  now: number
  /** The oldest that is under way. */
  oldest: number
  /** The one that will begin next. */
  next: number
}

export const START: IdCursor = { last: 0, holes: [] }

/** A number is given a moment before its transaction is numbered; this is a long moment. */
const YOUNG_MS = 60_000

/** After these ids, in order, were read: the cursor with the holes that are left. */
export function advanced(
  cursor: IdCursor,
  ids: readonly number[],
  horizon: Horizon | null,
): IdCursor {
  const last = Math.max(cursor.last, ids.at(-1) ?? 0)
  if (horizon === null) return { last, holes: [] }
  const fresh = { from: cursor.last + 1, to: last, since: horizon.now, mark: null }
  const holes = [...cursor.holes, fresh].flatMap((hole) => without(hole, ids))
  return { last, holes: holes.flatMap((hole) => aged(hole, horizon)) }
}

/** What is left of a hole. */
function without(hole: Hole, ids: readonly number[]): Hole[] {
  const left: Hole[] = []
  let { from } = hole
  for (const id of ids) {
    if (id < from || id > hole.to) continue
    if (id > from) left.push({ ...hole, from, to: id - 1 })
    from = id + 1
  }
  return from > hole.to ? left : [...left, { ...hole, from }]
}

function aged(hole: Hole, { now, oldest, next }: Horizon): Hole[] {
  if (hole.mark !== null) return oldest >= hole.mark ? [] : [hole]
  return [now - hole.since < YOUNG_MS ? hole : { ...hole, mark: next }]
}
