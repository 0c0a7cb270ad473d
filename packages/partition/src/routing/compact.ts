/**
 * The shortest list of routes this package knows for the same answers: what is contained in a block
 * of the same owner goes, two halves of one owner become the whole, a block whose addresses all
 * belong to longer blocks goes. What stays inside a block of another owner is an exception.
 *
 * Blocks are nested or disjoint, never crossing, so they form a forest; one pass works on it from
 * the leaves to the roots in O(n log n), and passes repeat until one changes nothing.
 */
import { blockText, compareBlocks, contains, joined, sizeOf, type Block } from './block.ts'
import { ContestedBlock } from './errors.ts'

export interface Route {
  block: Block
  owner: string
}

interface Knot extends Route {
  /** The widest routes inside this one, in the order of their addresses. */
  inside: Knot[]
}

export function compact(routes: readonly Route[]): Route[] {
  let before: Route[]
  let after = unique(routes)
  do {
    before = after
    after = flat(tidied(forestOf(before), null))
  } while (after.length < before.length)
  return after
}

function unique(routes: readonly Route[]): Route[] {
  const kept: Route[] = []
  for (const route of routes.toSorted((a, b) => compareBlocks(a.block, b.block))) {
    const last = kept.at(-1)
    if (last === undefined || compareBlocks(last.block, route.block) !== 0) kept.push(route)
    else if (last.owner !== route.owner) {
      throw new ContestedBlock(blockText(route.block), last.owner, route.owner)
    }
  }
  return kept
}

/** Expects the routes in order. */
function forestOf(routes: readonly Route[]): Knot[] {
  const roots: Knot[] = []
  const open: Knot[] = []
  for (const { block, owner } of routes) {
    while (open.length > 0 && !contains(open.at(-1)!.block, block)) open.pop()
    const knot = { block, owner, inside: [] }
    const siblings = open.at(-1)?.inside ?? roots
    siblings.push(knot)
    open.push(knot)
  }
  return roots
}

/** `outer` is whose the addresses are where none of the knots answers. */
function tidied(knots: readonly Knot[], outer: string | null): Knot[] {
  const kept: Knot[] = []
  for (const knot of knots) {
    const inside = tidied(knot.inside, knot.owner)
    if (knot.owner === outer || isCovered(knot.block, inside)) {
      for (const inner of inside) pushJoined(kept, inner)
    } else pushJoined(kept, { ...knot, inside })
  }
  return kept
}

function isCovered(block: Block, inside: readonly Knot[]): boolean {
  return inside.reduce((sum, inner) => sum + sizeOf(inner.block), 0n) === sizeOf(block)
}

/** Joining two halves can make the other half of something wider. */
function pushJoined(kept: Knot[], knot: Knot): void {
  let last = knot
  for (;;) {
    const low = kept.at(-1)
    const whole = low?.owner === last.owner ? joined(low.block, last.block) : null
    if (low === undefined || whole === null) break
    kept.pop()
    last = { block: whole, owner: last.owner, inside: [...low.inside, ...last.inside] }
  }
  kept.push(last)
}

function flat(knots: readonly Knot[]): Route[] {
  return knots.flatMap(({ block, owner, inside }) => [{ block, owner }, ...flat(inside)])
}
