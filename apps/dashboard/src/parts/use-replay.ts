/** Where archived pages are shown: another port of this machine, or what the operator says. */
import { useQuery } from '@tanstack/react-query'
import { readReplay } from '../api/archive.ts'

/** A station that was started again may have another port, and a pass ends after an hour. */
const EVERY_MS = 600_000

/** What the path of a view follows; null while it is not known, and when the station shows none. */
export function useReplay(): string | null {
  const { data } = useQuery({
    queryKey: ['replay'],
    queryFn: readReplay,
    staleTime: EVERY_MS,
    refetchInterval: EVERY_MS,
  })
  if (data === undefined || (data.url === null && data.port === null)) return null
  const origin = data.url ?? `${location.protocol}//${location.hostname}:${data.port}`
  return data.pass === null ? origin : `${origin}/pass/${data.pass}`
}
