/** How full agents are against their share, for bars; and who is too full. */
import type { PlacementEpoch, PlacementPart } from '@minga/protocol'

export interface PartBar extends PlacementPart {
  /** What would be even, by capacity. */
  share: number
  /** How far above its share, less than 0 when below; 0 when it has none. */
  above: number
  isTooFull: boolean
  /** Of the width of the plot: its pages, its share, and the most that it may have. */
  width: number
  shareAt: number
  limitAt: number
}

/** In the order of names, so that a bar stays where it is. */
export function barsOf({ parts }: Pick<PlacementEpoch, 'parts'>, imbalanceMax: number): PartBar[] {
  const capacity = parts.reduce((sum, part) => sum + part.capacity, 0)
  const pages = parts.reduce((sum, part) => sum + part.pages, 0)
  const shareOf = (part: PlacementPart): number =>
    capacity === 0 ? 0 : (part.capacity / capacity) * pages
  const widest = Math.max(
    1,
    ...parts.map((part) => Math.max(part.pages, shareOf(part) * (1 + imbalanceMax))),
  )
  return parts.map((part) => {
    const share = shareOf(part)
    const above = share === 0 ? 0 : part.pages / share - 1
    return {
      ...part,
      share,
      above,
      // A page more than allowed is a whole host that had to go somewhere.
      isTooFull: part.pages > Math.ceil(share) * (1 + imbalanceMax),
      width: part.pages / widest,
      shareAt: share / widest,
      limitAt: (share * (1 + imbalanceMax)) / widest,
    }
  })
}
