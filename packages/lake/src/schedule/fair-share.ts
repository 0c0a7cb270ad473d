/**
 * Decides whose task is next. The owner with the fewest running tasks comes first, and among equals
 * the one who was served least; then the same again among that owner's queries. So a query of ten
 * thousand tasks never holds up one of ten, and cutting a query into many gains nothing.
 *
 * "Served" is a virtual time (start-time fair queueing: Goyal, Vin, Cheng, SIGCOMM 1996): each
 * lease moves it by 1/weight. An idle owner builds up no credit, and a new one joins behind those
 * that wait already: a flood of new owners starves no one. One sort: O(n log n) in open queries,
 * not in tasks.
 */

export interface OpenQuery {
  number: number
  owner: string
  /** A query of weight 2 gets twice as many tasks under way as one of weight 1. */
  weight: number
  /** Tasks that could begin now. */
  ready: number
  running: number
  turn: number
}

export interface Turns {
  owner: number
  query: number
}

/** A query that may be served, and where it and its owner stand afterwards. */
export interface Choice {
  query: OpenQuery
  turns: Turns
}

/** All queries with something to do, in the order in which they are to be served. */
export function inFairOrder(
  queries: readonly OpenQuery[],
  ownerTurns: ReadonlyMap<string, number>,
): Choice[] {
  const owners = [...Map.groupBy(queries, ({ owner }) => owner)].map(([owner, own]) => ({
    own,
    number: Math.min(...own.map(({ number }) => number)),
    ready: sum(own, ({ ready }) => ready),
    running: sum(own, ({ running }) => running),
    weight: Math.max(...own.map(({ weight }) => weight)),
    turn: ownerTurns.get(owner) ?? 0,
  }))
  return inTurn(owners).flatMap((owner) =>
    inTurn(owner.own).map((query) => ({
      query: query.of,
      turns: { owner: owner.after, query: query.after },
    })),
  )
}

/** Position of a new owner: behind those who are waiting. */
export function turnOfNewcomer(turns: readonly number[]): number {
  return Math.max(0, ...turns)
}

type Waiting = Pick<OpenQuery, 'number' | 'weight' | 'ready' | 'running' | 'turn'>

function inTurn<T extends Waiting>(all: readonly T[]): (T & { of: T; after: number })[] {
  // The virtual time is the turn at which the last one was served.
  const virtualTime = Math.max(0, ...all.map(({ turn, weight }) => turn - 1 / weight))
  const waiting = all.filter(({ ready }) => ready > 0)
  const standing = waiting.map((one) => ({ one, turn: Math.max(one.turn, virtualTime) }))
  standing.sort(
    (a, b) =>
      a.one.running / a.one.weight - b.one.running / b.one.weight ||
      a.turn - b.turn ||
      a.one.number - b.one.number,
  )
  return standing.map(({ one, turn }) => ({ ...one, of: one, after: turn + 1 / one.weight }))
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0)
}
