/**
 * Server-sent events read by fetch: a browser's own EventSource sends no key, and the operator's
 * page may have nothing else to show.
 */
import { ask } from './call.ts'

export interface StreamEvent {
  event: string
  data: string
}

/** Ends when the station ends the stream. */
export async function* events(path: string, signal: AbortSignal): AsyncGenerator<StreamEvent> {
  const response = await ask('GET', path, { signal })
  if (response.body === null) return
  yield* eventsIn(piecesOf(response.body))
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
    await reader.cancel()
  }
}

/** Events of a text that comes in pieces, cut anywhere. */
export async function* eventsIn(pieces: AsyncIterable<string>): AsyncGenerator<StreamEvent> {
  let text = ''
  for await (const piece of pieces) {
    text += piece
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const event = eventOf(text.slice(0, end))
      text = text.slice(end + 2)
      if (event !== null) yield event
    }
  }
}

/** Null for a comment, which only keeps the connection open. */
function eventOf(block: string): StreamEvent | null {
  const fields = { event: 'message', data: [] as string[] }
  for (const line of block.split('\n')) {
    const [, name, value] = /^(event|data): ?(.*)$/.exec(line) ?? []
    if (name === 'event') fields.event = value!
    if (name === 'data') fields.data.push(value!)
  }
  return fields.data.length === 0 ? null : { event: fields.event, data: fields.data.join('\n') }
}
