/** What the station answers to a question; it is asked again when `queryKey` is touched. */
import { useQuery, type UseQueryResult } from '@tanstack/react-query'
import type { Operations } from './station-api.ts'
import { send, type Name, type Wish } from './station.ts'

interface Reading {
  refetchInterval?: number | false
  enabled?: boolean
  staleTime?: number
}

type ReadArgs<N extends Name> =
  object extends Wish<N> ? [wish?: Wish<N> & Reading] : [wish: Wish<N> & Reading]

export function useStation<N extends Name>(
  queryKey: readonly unknown[],
  name: N,
  ...[wish]: ReadArgs<N>
): UseQueryResult<Operations[N]['answer']> {
  const { refetchInterval = false, enabled = true, staleTime = 0 } = wish ?? {}
  const question: Wish<N> | undefined = wish
  const queryFn = () => send(name, question ?? {})
  return useQuery({ queryKey, queryFn, refetchInterval, enabled, staleTime })
}
