/** A batch as server-sent events: its results as they come, its state, and the end. */
import type { ServerResponse } from 'node:http'
import type { BatchView, ResultLine } from '@minga/protocol'

export interface BatchSource {
  status(): Promise<BatchView>
  results(after: number): Promise<ResultLine[]>
  /** Resolves when there may be news. */
  news(): Promise<void>
}

/** A reader that takes nothing is not written to for ever. */
const UNREAD_BYTES_MAX = 1024 * 1024

/**
 * The event id is the number of the last result, which a browser sends back (`Last-Event-ID`) when
 * its connection broke: it misses nothing and sees nothing twice.
 */
export async function streamBatch(
  raw: ServerResponse,
  source: BatchSource,
  options: { after: number; signal: AbortSignal },
): Promise<void> {
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  let after = options.after
  const send = (event: string, data: unknown): void =>
    void raw.write(`id: ${after}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
  while (!options.signal.aborted && raw.writableLength < UNREAD_BYTES_MAX) {
    // The state is read first, so that a result that comes in between is sent before the end is.
    const batch = await source.status()
    for (let lines = await source.results(after); lines.length > 0;) {
      for (const line of lines) {
        after = line.no
        send('result', line)
      }
      lines = await source.results(after)
    }
    const isOver = batch.open === 0 && batch.state !== 'filling'
    send(isOver ? 'end' : 'progress', batch)
    if (isOver) break
    await source.news()
  }
  raw.end()
}
