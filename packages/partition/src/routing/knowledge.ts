/**
 * What a station knows of the tree: the federations around it with their direct members, and who
 * represents those. In a tree of l levels with c members each that is l·(c−1)+1 entities in
 * addition to the federations around it, of the c^l stations there are; each hop towards a goal
 * knows the next part of the way.
 */
import type { Representatives, StationTree } from './station-tree.ts'

export interface Ascendant {
  id: string
  members: readonly string[]
}

export interface Knowledge {
  id: string
  /** Nearest first. */
  ascendants: readonly Ascendant[]
  /** Of every known federation. */
  representatives: Representatives
}

export function knowledgeOf(
  tree: StationTree,
  station: string,
  representatives: Representatives,
): Knowledge {
  const ascendants = tree.ascendants(station).map((id) => ({ id, members: tree.members(id) }))
  const known = ascendants
    .flatMap(({ id, members }) => [id, ...members])
    .filter((id) => !tree.isStation(id))
  return {
    id: station,
    ascendants,
    representatives: new Map(known.map((id) => [id, representatives.get(id) ?? []])),
  }
}

/** Itself, and every member of a federation around it that is not around it too. */
export function knownEntities({ id, ascendants }: Knowledge): string[] {
  const around = new Set(ascendants.map((ascendant) => ascendant.id))
  const known = ascendants.flatMap(({ members }) => members).filter((it) => !around.has(it))
  return known.includes(id) ? known : [id, ...known]
}

/** A station answers for itself. */
export function representativesOf(
  { representatives }: Knowledge,
  entity: string,
): readonly string[] {
  return representatives.get(entity) ?? [entity]
}

/** The member of `ascendants[level]` that this station is in, or is. */
export function branchAt({ id, ascendants }: Knowledge, level: number): string {
  return level === 0 ? id : ascendants[level - 1]!.id
}
