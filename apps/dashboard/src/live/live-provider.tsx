/**
 * Keeps the page's picture of the station current: by a stream of events while it holds, by
 * asking every few seconds while it does not. Both end in one entry of the query cache.
 */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import type { Snapshot } from '../api/api-types.ts'
import { readSnapshot } from '../api/client.ts'
import { withSnapshot, withUnchanged, type LiveState } from './live-state.ts'

const LIVE = ['live']
const POLL_MS = 3_000
/** A browser tries a broken stream again by itself, but gives up on a refused one. */
const REOPEN_MS = 3_000

interface Live {
  state: LiveState | undefined
  isStreaming: boolean
}

const LiveContext = createContext<Live>({ state: undefined, isStreaming: false })

export function useLive(): Live {
  return useContext(LiveContext)
}

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const isStreaming = useStream()
  const { data } = useQuery({
    queryKey: LIVE,
    queryFn: async () => {
      const snapshot = await readSnapshot()
      return withSnapshot(queries.getQueryData<LiveState>(LIVE), snapshot, Date.now())
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isStreaming ? false : POLL_MS,
    refetchOnWindowFocus: !isStreaming,
  })
  const live = useMemo(() => ({ state: data, isStreaming }), [data, isStreaming])
  return <LiveContext value={live}>{children}</LiveContext>
}

function useStream(): boolean {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const open = (): void => {
      source = new EventSource('/api/events')
      source.addEventListener('open', () => setOpen(true))
      source.addEventListener('snapshot', (event) => {
        const snapshot = JSON.parse(event.data as string) as Snapshot
        queries.setQueryData<LiveState>(LIVE, (state) => withSnapshot(state, snapshot, Date.now()))
      })
      source.addEventListener('unchanged', (event) => {
        const { now } = JSON.parse(event.data as string) as { now: number }
        queries.setQueryData<LiveState>(LIVE, (state) => withUnchanged(state, now, Date.now()))
      })
      source.addEventListener('error', () => {
        setOpen(false)
        if (source.readyState === EventSource.CLOSED) timer = setTimeout(open, REOPEN_MS)
      })
    }
    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [queries])
  return isOpen
}

/** The browser's clock, read anew every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
