/**
 * A federation is a tree. Stations are its leaves; each says in which federations inside the federation it
 * stands, its branch: `pt/lisbon`, from the outermost in. Branches have no machine of their own; the registrar
 * thinks for all of them, and each division and each choice looks only at the direct members of one.
 */
import { StationTree, type Entity } from '@minga/partition'
import { isBranch, type FederatedStation } from '@minga/protocol'
import { BadBranch } from '../errors.ts'

type Placed = Pick<FederatedStation, 'id' | 'branch'>

/** What an operator wrote. Two ways to write a name must not make two branches. */
export function branchIn(text: string): string {
  const branch = text.trim().normalize('NFC').toLowerCase()
  if (!isBranch(branch)) throw new BadBranch(text)
  return branch
}

const levelsOf = (branch: string): string[] => (branch === '' ? [] : branch.split('/'))

/** There is at least one station. */
export function treeOf(stations: readonly Placed[]): StationTree {
  return new StationTree(federationOf(stations, { id: '/', depth: 0 }))
}

/** A branch's id is its path between slashes, which no station's id begins with. */
function federationOf(
  stations: readonly Placed[],
  { id, depth }: { id: string; depth: number },
): Entity {
  const nameOf = ({ branch }: Placed): string => levelsOf(branch)[depth] ?? ''
  const direct = stations.filter((station) => nameOf(station) === '')
  const deeper = Map.groupBy(
    stations.filter((station) => nameOf(station) !== ''),
    nameOf,
  )
  const branches = [...deeper].map(([name, some]) =>
    federationOf(some, { id: `${id}${name}/`, depth: depth + 1 }),
  )
  return { id, members: [...direct.map((station) => ({ id: station.id })), ...branches] }
}

/**
 * How much each direct member of a federation carries, a branch as much as its stations together. While none
 * has an agent all stations count alike: hosts need an owner even so.
 */
export function capacitiesOf(
  tree: StationTree,
  federation: string,
  capacityOf: (station: string) => number,
): number[] {
  const members = tree.members(federation).map((member) => tree.stations(member))
  const sums = members.map((stations) => stations.reduce((sum, id) => sum + capacityOf(id), 0))
  return sums.every((sum) => sum === 0) ? members.map((stations) => stations.length) : sums
}

/** The direct member of a federation that each station below it is in, or is. */
export function memberBy(tree: StationTree, federation: string): Map<string, string> {
  return new Map(
    tree
      .members(federation)
      .flatMap((member) => tree.stations(member).map((station) => [station, member] as const)),
  )
}

/** Stations of its own branch if one of them can work, else of the branch around that, and so on. */
export function nearestOf<T extends { branch: string; capacity: number }>(
  stations: readonly T[],
  branch: string,
): readonly T[] {
  for (let level = levelsOf(branch).length; level > 0; level--) {
    const inside = stations.filter((station) => sharedLevels(station.branch, branch) >= level)
    if (inside.some(({ capacity }) => capacity > 0)) return inside
  }
  return stations
}

/** Those that share the fewest branches with it: an institution may lose its line or its power as a whole. */
export function farthestOf<T extends { branch: string }>(
  stations: readonly T[],
  branch: string,
): T[] {
  const shared = stations.map((station) => sharedLevels(station.branch, branch))
  const fewest = Math.min(...shared)
  return stations.filter((_, i) => shared[i] === fewest)
}

function sharedLevels(one: string, other: string): number {
  const [ours, theirs] = [levelsOf(one), levelsOf(other)]
  const apart = ours.findIndex((name, i) => name !== theirs[i])
  return apart < 0 ? ours.length : apart
}
