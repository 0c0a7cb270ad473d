/** A query while it is watched: how far it is, and its rows as they come. */
import { useQuery, useQueryClient, type UseQueryResult } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { QueryView } from '@minga/protocol'
import { station } from '../../api/station.ts'
import { ask } from '../../api/call.ts'
import { followQuery } from './news-lines.ts'

/** More rows cannot be read while they arrive; the complete result is a file afterwards. */
export const ROWS_MOST = 10_000
const EVERY_MS = 1_000

export interface QueryWatch {
  query: UseQueryResult<QueryView>
  /** By result, in the order in which they came. */
  rows: Record<string, unknown[][]>
  /** The line broke, and is being opened again. */
  isLost: boolean
}

export function useQueryNews(id: string): QueryWatch {
  const client = useQueryClient()
  const [rows, setRows] = useState<Record<string, unknown[][]>>({})
  const [line, setLine] = useState<'none' | 'open' | 'lost'>('none')
  const query = useQuery({
    queryKey: ['query', id],
    queryFn: () => station('GET /queries/{id}', { params: { id } }),
    // The stream reports by itself; without it the page has to poll.
    refetchInterval: ({ state }) =>
      state.data?.state === 'running' && line !== 'open' ? EVERY_MS : false,
  })
  const isRunning = query.data?.state === 'running'
  const isFull = Object.values(rows).some((some) => some.length >= ROWS_MOST)
  useEffect(() => {
    if (!isRunning || isFull) return
    const over = new AbortController()
    setRows({})
    void followQuery(
      {
        open: (after, signal) => openLine(id, after, signal),
        onLine: (isOpen) => setLine(isOpen ? 'open' : 'lost'),
        onNews: (news) => {
          if ('rows' in news) {
            const { query: name, rows: more } = news.rows
            setRows((known) => ({ ...known, [name]: [...(known[name] ?? []), ...more] }))
          } else client.setQueryData(['query', id], 'ended' in news ? news.ended : news.progress)
        },
        sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
      },
      over.signal,
    )
    return () => {
      over.abort()
      setLine('none')
    }
  }, [client, id, isRunning, isFull])
  return { query, rows, isLost: line === 'lost' }
}

async function openLine(
  id: string,
  after: string,
  signal: AbortSignal,
): Promise<AsyncIterable<string>> {
  const path = `/queries/${id}/stream?after=${encodeURIComponent(after)}`
  const { body } = await ask('GET', path, { signal })
  return piecesOf(body!)
}

/** By its reader: not every browser lets a stream be iterated. */
async function* piecesOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      yield decoder.decode(part.value, { stream: true })
    }
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}
