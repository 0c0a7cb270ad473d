/** A load test as server-sent events: how it stands once a second, and the end. */
import type { ServerResponse } from 'node:http'
import type { Clock } from '@minga/protocol'
import type { LoadTestView } from './load-test-views.ts'

const EVERY_MS = 1_000
/** A reader that takes nothing is not written to for ever. */
const UNREAD_BYTES_MAX = 1024 * 1024

export async function streamLoadTest(
  raw: ServerResponse,
  source: { view: () => Promise<LoadTestView>; clock: Clock; signal: AbortSignal },
): Promise<void> {
  const { view, clock, signal } = source
  raw.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
  while (!signal.aborted && raw.writableLength < UNREAD_BYTES_MAX) {
    const test = await view()
    const isOver = test.state === 'finished' || test.state === 'aborted'
    raw.write(`event: ${isOver ? 'end' : 'progress'}\ndata: ${JSON.stringify(test)}\n\n`)
    if (isOver) break
    await clock.sleep(EVERY_MS, signal)
  }
  raw.end()
}
