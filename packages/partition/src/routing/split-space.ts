/**
 * The hierarchical split: every federation divides the space that was delegated to it among its
 * direct members and knows nothing of the rest, so no computation is ever larger than one
 * federation's part, and a new map inside one federation concerns no one outside. The price is that
 * no level sees the whole.
 */
import { BadStationTree } from './errors.ts'
import type { StationTree } from './station-tree.ts'

export interface SplitTask {
  federation: string
  members: readonly string[]
  /** The hosts to divide, by their numbers in the whole space. */
  space: Int32Array
}

/** For each host of the task, the place of its new owner among the members. */
export type SpaceSplit = (task: SplitTask) => ArrayLike<number> | Promise<ArrayLike<number>>

/** The space of every entity; those of the stations are disjoint and together the whole. */
export async function splitSpace(
  tree: StationTree,
  space: Int32Array,
  split: SpaceSplit,
): Promise<Map<string, Int32Array>> {
  const spaces = new Map<string, Int32Array>()
  const delegate = async (entity: string, delegated: Int32Array): Promise<void> => {
    spaces.set(entity, delegated)
    const members = tree.members(entity)
    if (members.length === 0) return
    const task = { federation: entity, members, space: delegated }
    const shares = sharesOf(task, await split(task))
    for (const [place, member] of members.entries()) await delegate(member, shares[place]!)
  }
  await delegate(tree.root, space)
  return spaces
}

/** A split that loses a host would lose its pages without a trace, hence the checks. */
function sharesOf({ federation, members, space }: SplitTask, places: ArrayLike<number>) {
  if (places.length !== space.length) {
    throw new BadStationTree(
      `The split of ${federation} places ${places.length} of ${space.length} hosts`,
    )
  }
  const shares = members.map((): number[] => [])
  space.forEach((host, i) => {
    const share = shares[places[i]!]
    if (share === undefined) {
      throw new BadStationTree(`The split of ${federation} gives host ${host} to no member`)
    }
    share.push(host)
  })
  return shares.map((share) => Int32Array.from(share))
}
