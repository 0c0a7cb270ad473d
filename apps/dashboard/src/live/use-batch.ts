/** A batch as it is now: by its stream of events while that holds, by asking when it does not. */
import type { BatchView } from '@minga/protocol'
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import { station } from '../api/station.ts'
import { events } from '../api/event-stream.ts'

/** When the stream broke, or before it opened. */
const POLL_MS = 5_000

export function useBatch(id: string): UseQueryResult<BatchView> {
  const queries = useQueryClient()
  const isOver = (batch: BatchView | undefined): boolean =>
    batch !== undefined && batch.open === 0 && batch.state !== 'filling'
  const query = useQuery({
    queryKey: ['batch', id],
    queryFn: () => station('GET /batches/{id}', { params: { id } }),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : POLL_MS),
  })
  const ended = isOver(query.data)
  useEffect(() => {
    if (ended) return
    const gone = new AbortController()
    const follow = async (): Promise<void> => {
      for await (const { event, data } of events(`/batches/${id}/events`, gone.signal)) {
        if (event === 'result') continue
        queries.setQueryData(['batch', id], JSON.parse(data) as BatchView)
      }
    }
    // Without the stream the batch is asked for every few seconds.
    follow().catch(() => undefined)
    return () => gone.abort()
  }, [queries, id, ended])
  return query
}
