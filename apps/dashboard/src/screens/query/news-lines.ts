/** What a station tells of a query, line by line, over a connection that may break anywhere. */
import type { QueryNews } from '@minga/protocol'

/** Whole lines of a text that comes in pieces. */
export async function* linesIn(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let text = ''
  for await (const piece of pieces) {
    const lines = (text + piece).split('\n')
    text = lines.pop()!
    for (const line of lines) if (line !== '') yield line
  }
}

export interface Following {
  /** Opens the stream after the last event received; throws when the station is away. */
  open: (after: string, signal: AbortSignal) => Promise<AsyncIterable<string>>
  onNews: (news: QueryNews) => void
  /** Whether the line stands. */
  onLine: (isOpen: boolean) => void
  sleep: (ms: number) => Promise<void>
}

/** A station that restarts is back within seconds. */
const REST_MS = 1_500

/** Until the query has ended or the signal aborts; a line that is lost is opened again where it broke. */
export async function followQuery(
  { open, onNews, onLine, sleep }: Following,
  signal: AbortSignal,
): Promise<void> {
  let after = '0'
  while (!signal.aborted) {
    try {
      const pieces = await open(after, signal)
      onLine(true)
      for await (const line of linesIn(pieces)) {
        const news = JSON.parse(line) as QueryNews
        onNews(news)
        if ('after' in news) after = news.after
        if ('ended' in news) return
      }
    } catch {
      // Whatever broke it: the next line says whether the query is still there.
    }
    if (signal.aborted) return
    onLine(false)
    await sleep(REST_MS)
  }
}
