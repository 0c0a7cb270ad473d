/** Whose hosts found URLs are of, before they are queued or sent away. */
import type { Sql } from '@minga/store'
import type { Placed } from '../queue/discover.ts'
import { Owners } from './owners.ts'

/** Work that cannot move is on a host of another station. */
export const ELSEWHERE = 'MINGA_HOST_ELSEWHERE'

/**
 * Names the owner of URLs that have to be sent away. Null when none of these hosts has to do with a
 * federation, which every host of a station in one has: it has an owner, or is held until it has.
 */
export async function routeFound(
  sql: Sql,
  urls: readonly Placed[],
  isFederated: boolean,
): Promise<Owners | null> {
  if (!urls.some(({ station, isHeld }) => isHeld || station !== null)) return null
  const owners = await Owners.read(sql)
  if (owners === null) return null
  for (const url of urls) {
    if (url.refusal !== null) continue
    const { station } = url
    const mayMove = isFederated && url.kind !== 'robots'
    if (mayMove) {
      const owner = owners.ownerOf({ name: url.host, station })
      if (owner !== owners.self) url.owner = owner
      // A redirected robots.txt is for a host of ours: another station could not tell us what it
      // says, so it counts as one that cannot be reached.
    } else if (station !== null && station !== owners.self) url.refusal = ELSEWHERE
  }
  return owners
}

/** Its owner is asked for, once it is queued. */
export function isUndecided({ station, isHeld, refusal }: Placed): boolean {
  return isHeld && station === null && refusal === null
}
