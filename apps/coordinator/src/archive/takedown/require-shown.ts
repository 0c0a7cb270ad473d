/**
 * A capture that was taken down is not simply missing: requests for it are answered with the
 * reason.
 */
import type { Calls } from '@minga/store'
import { TakenDown } from './errors.ts'
import type { TombstoneQuery } from './takedown-rows.ts'
import type { Operations } from '../../station/station-operations.ts'

type Caller = Calls<Pick<Operations, 'tombstoneOf'>>

interface Asked {
  url: string
  at: number | null
  /** Of what there is instead; null when there is nothing. */
  found: number | null
}

/**
 * Throws when the very capture that is asked for was taken down, or when nothing is left. An earlier
 * version is an answer to "the newest not after", but not to the exact time of the one that is gone.
 */
export async function requireShown(store: Caller, { url, at, found }: Asked): Promise<void> {
  if (found !== null && (at === null || found === at)) return
  const from = found === null ? 0 : at!
  await refuse(store, { url, from, until: at ?? Number.MAX_SAFE_INTEGER })
}

const SECOND_MS = 1_000

/** A memento is of a second. */
export function requireMoment(
  store: Caller,
  { url, at }: { url: string; at: number },
): Promise<void> {
  return refuse(store, { url, from: at, until: at + SECOND_MS - 1 })
}

async function refuse(store: Caller, query: TombstoneQuery): Promise<void> {
  const stone = await store.call('tombstoneOf', query)
  if (stone !== null) throw new TakenDown(query.url, stone)
}
