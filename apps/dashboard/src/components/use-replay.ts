/** Where the archived pages of a collection are shown: names of this machine, or what the operator says. */
import type { ReplayAccess } from '@minga/protocol'
import { useStation } from '../api/use-station.ts'

/** A station that was started again may have another port, and a pass ends after an hour. */
const EVERY_MS = 600_000

export interface Replay {
  /** What the path of a page follows; null where collections have no names of their own. */
  page: string | null
  /** What the path of a raw view follows. */
  raw: string
}

/** Null while it is not known, and when the station shows no archived pages. */
export function useReplay(collectionId: number): Replay | null {
  const { data } = useStation(['replay', collectionId], 'GET /archive/replay', {
    query: { collectionId },
    refetchInterval: EVERY_MS,
    staleTime: EVERY_MS,
  })
  return data === undefined ? null : replayOf(data)
}

function replayOf({ origin, port, pass }: ReplayAccess): Replay | null {
  if (origin === null && port === null) return null
  const entry = pass === null ? '' : `/pass/${pass}`
  const page = origin === null ? null : `${origin}${entry}`
  return { page, raw: page ?? `${location.protocol}//${location.hostname}:${port}${entry}` }
}
