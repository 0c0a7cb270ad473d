/** A load test as it is now: by its stream of events while it runs, by asking before and when that broke. */
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { station } from '../api/station.ts'
import { events } from '../api/event-stream.ts'
import type { LoadTestView } from '@minga/protocol'

/** The user who watches may have to stop it: a broken stream must not show old figures for long. */
const POLL_MS = 2_000

export const isOver = ({ state }: Pick<LoadTestView, 'state'>): boolean =>
  state === 'finished' || state === 'aborted'
export const isActive = ({ state }: Pick<LoadTestView, 'state'>): boolean =>
  state === 'preparing' || state === 'running'

export function useLoadTest(id: string): UseQueryResult<LoadTestView> {
  const queries = useQueryClient()
  const query = useQuery({
    queryKey: ['load-test', id],
    queryFn: () => station('GET /load-tests/{id}', { params: { id } }),
    refetchInterval: ({ state }) =>
      state.data !== undefined && isOver(state.data) ? false : POLL_MS,
  })
  const isFollowed = query.data !== undefined && isActive(query.data)
  useEffect(() => {
    if (!isFollowed) return
    const gone = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { data } of events(`/load-tests/${id}/events`, gone.signal)) {
        queries.setQueryData(['load-test', id], JSON.parse(data) as LoadTestView)
      }
    }
    // Without the stream the test is asked for every few seconds.
    follow().catch(() => undefined)
    return () => gone.abort()
  }, [queries, id, isFollowed])
  return query
}
