/**
 * Keeps the page's picture of the station current: by a stream of events while it holds, by
 * asking every few seconds while it does not. Both end in one entry of the query cache.
 */
import type { Snapshot } from '@minga/protocol'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { createContext, useContext, useEffect, useMemo, useState, type ReactNode } from 'react'
import { station } from '../api/station.ts'
import { isRefusal } from '../api/call.ts'
import { events, type StreamEvent } from '../api/event-stream.ts'
import { withSnapshot, withUnchanged, type LiveState } from './live-state.ts'

const LIVE = ['live']
const POLL_MS = 3_000
/** Soon enough for a station that was started again, seldom enough for one that is gone. */
const REOPEN_MS = 3_000

interface Live {
  state: LiveState | undefined
  isStreaming: boolean
  /** The visitor may not read collections: there is nothing to wait for. */
  isRefused: boolean
  /** Why there is no picture, or why it is not renewed. */
  error: Error | null
  readAgain: () => void
}

const LiveContext = createContext<Live>({
  state: undefined,
  isStreaming: false,
  isRefused: false,
  error: null,
  readAgain: () => undefined,
})

export function useLive(): Live {
  return useContext(LiveContext)
}

export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const isRefused = isRefusal(queries.getQueryState(LIVE)?.error ?? null)
  const isStreaming = useStream(!isRefused)
  const { data, error, refetch } = useQuery({
    queryKey: LIVE,
    queryFn: async () => {
      const snapshot = await station('GET /snapshot')
      return withSnapshot(queries.getQueryData<LiveState>(LIVE), snapshot, Date.now())
    },
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: isStreaming || isRefused ? false : POLL_MS,
    refetchOnWindowFocus: !isStreaming,
  })
  const live = useMemo(
    () => ({
      state: data,
      isStreaming,
      isRefused: isRefusal(error),
      error,
      readAgain: () => void refetch(),
    }),
    [data, isStreaming, error, refetch],
  )
  return <LiveContext value={live}>{children}</LiveContext>
}

/** Whether the stream is open; it is opened again as long as the visitor may read it. */
function useStream(isAllowed: boolean): boolean {
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  useEffect(() => {
    if (!isAllowed) return
    const gone = new AbortController()
    const take = ({ event, data }: StreamEvent): void => {
      setOpen(true)
      if (event === 'snapshot') {
        const snapshot = JSON.parse(data) as Snapshot
        queries.setQueryData<LiveState>(LIVE, (state) => withSnapshot(state, snapshot, Date.now()))
      }
      if (event === 'unchanged') {
        const { now } = JSON.parse(data) as { now: number }
        queries.setQueryData<LiveState>(LIVE, (state) => withUnchanged(state, now, Date.now()))
      }
    }
    void follow(take, () => setOpen(false), gone.signal)
    return () => gone.abort()
  }, [queries, isAllowed])
  return isOpen
}

async function follow(
  take: (event: StreamEvent) => void,
  onBroken: () => void,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const event of events('/events', signal)) take(event)
    } catch {
      // The banner says that there is no news; the parallel request handles a refusal.
    }
    onBroken()
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
  }
}

/** The browser's clock, read again at intervals. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}
