/**
 * A worked example, as data: 27 stations in three levels, the 105 allotted blocks of 193.136.0.0/16
 * as they were given to J, K and L, and what merging leaves of them on each level. Blocks are
 * written without the `193.136.` that all share.
 */
import { blockOf } from '../../src/routing/block.ts'
import { StationTree, type Entity, type Representatives } from '../../src/routing/station-tree.ts'

const ALLOTTED = {
  J: `0.0/24 1.0/24 2.0/24 3.0/24 4.0/24 5.0/24 6.0/24 7.0/24 8.0/24 9.0/24 10.0/24 11.0/24 12.0/24
    13.0/24 14.0/24 15.0/24 16.0/22 20.0/24 21.0/24 22.0/24 24.0/21 32.0/21 40.0/22 44.0/24 46.0/23
    48.0/21 56.0/21 64.0/22 68.0/22 72.0/23 74.0/24 76.0/22 80.0/22`,
  K: `84.0/22 90.0/23 92.0/23 94.0/23 96.0/21 104.0/22 108.0/23 110.0/24 111.0/24 112.0/24 113.0/24
    114.0/24 115.0/24 116.0/24 117.0/24 118.0/24 119.0/24 120.0/21 128.0/21 136.0/24 137.0/24 138.0/23
    140.0/23 142.0/24 143.0/24 144.0/23 146.0/24 147.0/24 148.0/24 149.0/24 150.0/24 151.0/24 152.0/22
    156.0/22 160.0/21 168.0/21`,
  L: `176.0/21 184.0/24 185.0/24 186.0/23 188.0/22 192.0/24 193.0/24 194.0/23 196.0/22 200.0/24 201.0/24
    202.0/24 203.0/24 204.0/24 205.0/24 206.0/24 207.0/24 208.0/22 212.0/24 213.0/24 214.0/24 215.0/24
    216.0/22 220.0/22 224.0/22 228.0/24 230.0/24 231.0/24 232.0/23 235.0/24 236.0/24 237.0/24 238.0/24
    239.0/24 240.0/21 250.0/24`,
}

const MERGED = {
  J: `0.0/20 16.0/22 20.0/23 22.0/24 24.0/21 32.0/21 40.0/22 44.0/24 46.0/23 48.0/20 64.0/21 72.0/23
    74.0/24 76.0/22 80.0/22`,
  K: '84.0/22 90.0/23 92.0/22 96.0/19 128.0/19 160.0/20',
  L: `176.0/20 192.0/19 224.0/22 228.0/24 230.0/23 232.0/23 235.0/24 236.0/22 240.0/21 250.0/24`,
  G: '176.0/20 192.0/21 200.0/23 202.0/24',
  H: '203.0/24 204.0/22 208.0/20 224.0/22 228.0/24',
  I: '230.0/23 232.0/23 235.0/24 236.0/22 240.0/21 250.0/24',
  'SIR 19': '176.0/21 184.0/22',
  'SIR 20': '188.0/22 192.0/22',
  'SIR 21': '196.0/22 200.0/23 202.0/24',
}

/** The routing table of station 20 before merging. */
export const SIR_20_PRINTED = blocksIn('188.0/22 192.0/24 193.0/24 194.0/23')

export const allotted = {
  J: blocksIn(ALLOTTED.J),
  K: blocksIn(ALLOTTED.K),
  L: blocksIn(ALLOTTED.L),
}

export type Merged = keyof typeof MERGED

export function merged(entity: Merged): string[] {
  return blocksIn(MERGED[entity])
}

function blocksIn(list: string): string[] {
  return list.split(/\s+/).map((rest) => `193.136.${rest}`)
}

/** Three stations each in A to I, three of these in J, K and L, these in M. */
export function sirTree(): StationTree {
  const middle = 'ABCDEFGHI'.split('').map((id, i): Entity => {
    const stations = [1, 2, 3].map((n) => ({ id: `SIR ${3 * i + n}` }))
    return { id, members: stations }
  })
  const upper = 'JKL'.split('').map((id, i) => ({ id, members: middle.slice(3 * i, 3 * i + 3) }))
  return new StationTree({ id: 'M', members: upper })
}

/** Representatives of J to L and most of A to I; those of A, D, F and M are not given. */
export const sirRepresentatives: Representatives = new Map(
  Object.entries({
    A: [1],
    B: [4],
    C: [7],
    D: [10],
    E: [14],
    F: [17],
    G: [20],
    H: [22],
    I: [26],
    J: [2],
    K: [14],
    L: [26],
    M: [26],
  }).map(([id, stations]) => [id, stations.map((n) => `SIR ${n}`)]),
)

/** The routes of one owner. */
export function routesTo(owner: string, blocks: readonly string[]) {
  return blocks.map((block) => ({ block: blockOf(block), owner }))
}
