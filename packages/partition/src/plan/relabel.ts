/**
 * A partition from scratch has the right sets under the wrong names. Which set gets which name is an
 * assignment problem: every set in every part saves what need not move and costs its latency there; and it must
 * fit. Solved exactly by the Hungarian method (Kuhn 1955; shortest augmenting paths with potentials as in
 * Jonker and Volgenant 1987), O(k³): k of several hundred take a second.
 */
import type { Units } from './units.ts'

export function relabelled(units: Units, parts: Int32Array): Int32Array {
  const { k } = units.level
  const names = cheapestAssignment(pricesOf(units, parts), k)
  return parts.map((part) => names[part]!)
}

/** What it costs to call set s part p, at s · k + p. */
function pricesOf({ level, home, loyalty }: Units, parts: Int32Array): Float64Array {
  const { k, costs, graph } = level
  const prices = new Float64Array(k * k)
  const loads = new Float64Array(k * graph.constraints)
  for (let v = 0; v < parts.length; v++) {
    const set = parts[v]!
    for (let c = 0; c < graph.constraints; c++) {
      loads[set * graph.constraints + c]! += graph.vertexWeights[v * graph.constraints + c]!
    }
    if (home![v]! >= 0) prices[set * k + home![v]!]! -= loyalty![v]!
    if (costs === null) continue
    for (let p = 0; p < k; p++) prices[set * k + p]! += costs[v * k + p]!
  }
  forbidOverload(prices, { loads, limits: level.limits, k })
  return prices
}

/** A set where it does not fit: dearer than anything else together, by how much it is too large. */
function forbidOverload(
  prices: Float64Array,
  { loads, limits, k }: { loads: Float64Array; limits: Float64Array; k: number },
): void {
  const constraints = limits.length / k
  const dear = 1 + 2 * k * prices.reduce((most, price) => Math.max(most, Math.abs(price)), 0)
  for (let at = 0; at < prices.length; at++) {
    const [set, part] = [Math.floor(at / k), at % k]
    for (let c = 0; c < constraints; c++) {
      const above = loads[set * constraints + c]! - limits[part * constraints + c]!
      if (above > 0) prices[at]! += dear * (1 + above / Math.max(1, loads[set * constraints + c]!))
    }
  }
}

/** For every row its column, each column once, at the least sum of prices. */
export function cheapestAssignment(prices: Float64Array, k: number): Int32Array {
  const search: Search = {
    prices,
    k,
    rowPrices: new Float64Array(k),
    columnPrices: new Float64Array(k),
    rowOf: new Int32Array(k).fill(-1),
  }
  for (let row = 0; row < k; row++) assignRow(search, row)
  const columnOf = new Int32Array(k)
  for (let column = 0; column < k; column++) columnOf[search.rowOf[column]!] = column
  return columnOf
}

interface Search {
  prices: Float64Array
  k: number
  /** Potentials: price − row's − column's is nowhere below 0, and 0 where assigned. */
  rowPrices: Float64Array
  columnPrices: Float64Array
  /** The row that each column is assigned to, or −1. */
  rowOf: Int32Array
}

/** Finds the cheapest chain of reassignments that ends at a free column, as Dijkstra would. */
function assignRow(search: Search, row: number): void {
  const { k, rowOf, rowPrices, columnPrices } = search
  const distances = new Float64Array(k).fill(Infinity)
  const before = new Int32Array(k).fill(-1)
  const isDone = new Uint8Array(k)
  let last = -1
  let at = row
  let travelled = 0
  for (;;) {
    const next = nearestColumn(search, {
      row: at,
      travelled,
      from: last,
      distances,
      before,
      isDone,
    })
    travelled = distances[next]!
    isDone[next] = 1
    last = next
    if (rowOf[next]! < 0) break
    at = rowOf[next]!
  }
  rowPrices[row]! += travelled
  for (let column = 0; column < k; column++) {
    if (isDone[column] === 0 || column === last) continue
    rowPrices[rowOf[column]!]! += travelled - distances[column]!
    columnPrices[column]! -= travelled - distances[column]!
  }
  for (let column = last; column >= 0; column = before[column]!) {
    rowOf[column] = before[column]! < 0 ? row : rowOf[before[column]!]!
  }
}

interface Step {
  row: number
  travelled: number
  /** The column by which the row was reached, −1 for the first. */
  from: number
  distances: Float64Array
  before: Int32Array
  isDone: Uint8Array
}

function nearestColumn(
  { prices, k, rowPrices, columnPrices }: Search,
  { row, travelled, from, distances, before, isDone }: Step,
): number {
  let nearest = -1
  for (let column = 0; column < k; column++) {
    if (isDone[column] === 1) continue
    const way = travelled + prices[row * k + column]! - rowPrices[row]! - columnPrices[column]!
    if (way < distances[column]!) {
      distances[column] = way
      before[column] = from
    }
    if (nearest < 0 || distances[column]! < distances[nearest]!) nearest = column
  }
  return nearest
}
