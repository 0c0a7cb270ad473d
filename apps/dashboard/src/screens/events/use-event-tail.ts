/** Keeps a list of events at its end unless the user pauses it, and counts what arrives during the pause. */
import { useQueryClient, type InfiniteData } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { newEvents } from '../../api/events.ts'
import type { EventQuestion } from './event-question.ts'

/** Soon enough for a station that was started again, seldom enough for one that is gone. */
const REOPEN_MS = 3_000
/** New events do not move the list of a user who has scrolled back. */
const PAGES_RENEWED = 2

export interface EventTail {
  isPaused: boolean
  /** Whether the stream is open. */
  isOpen: boolean
  /** Came since the list stands still. */
  waiting: number
  pause: () => void
  /** Shows what came, and follows again. */
  follow: () => void
}

export function useEventTail(key: readonly unknown[], question: EventQuestion): EventTail {
  const queries = useQueryClient()
  const [isPaused, setPaused] = useState(false)
  const [isOpen, setOpen] = useState(false)
  const [waiting, setWaiting] = useState(0)
  const paused = useRef(isPaused)
  paused.current = isPaused
  const asked = JSON.stringify(question)
  useEffect(() => {
    const gone = new AbortController()
    setWaiting(0)
    const take = (count: number): void => {
      const isFar = queries
        .getQueryCache()
        .findAll({ queryKey: key, type: 'active' })
        .some(({ state }) => pagesIn(state.data) > PAGES_RENEWED)
      if (paused.current || isFar) setWaiting((former) => former + count)
      else void queries.invalidateQueries({ queryKey: key })
    }
    void stream(JSON.parse(asked) as EventQuestion, { take, setOpen, signal: gone.signal })
    return () => gone.abort()
    // By what is asked, written out: the same question in a new object opens no new stream.
  }, [queries, asked, key.join(' ')])
  return {
    isPaused,
    isOpen,
    waiting,
    pause: () => setPaused(true),
    follow: () => {
      setPaused(false)
      setWaiting(0)
      void queries.resetQueries({ queryKey: key })
    },
  }
}

function pagesIn(data: unknown): number {
  return (data as InfiniteData<unknown> | undefined)?.pages.length ?? 0
}

interface Hearing {
  take: (count: number) => void
  setOpen: (isOpen: boolean) => void
  signal: AbortSignal
}

async function stream(question: EventQuestion, { take, setOpen, signal }: Hearing): Promise<void> {
  while (!signal.aborted) {
    try {
      setOpen(true)
      for await (const events of newEvents(question, signal)) take(events.length)
    } catch {
      // The bar says that there is no news; the list next to it says why.
    }
    if (signal.aborted) return
    setOpen(false)
    await new Promise((resolve) => setTimeout(resolve, REOPEN_MS))
  }
}
