// Goal: events are read whole, however the network cuts them. Method: a text cut at every place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventsIn, type StreamEvent } from './event-stream.ts'

const TEXT =
  'id: 3\nevent: progress\ndata: {"open":2}\n\n: still here\n\nevent: end\ndata: a\ndata: b\n\n'
const EVENTS: StreamEvent[] = [
  { event: 'progress', data: '{"open":2}' },
  { event: 'end', data: 'a\nb' },
]

async function read(pieces: string[]): Promise<StreamEvent[]> {
  async function* stream(): AsyncGenerator<string> {
    yield* pieces
  }
  return Array.fromAsync(eventsIn(stream()))
}

test('events are the same wherever the text is cut', async () => {
  for (let at = 0; at <= TEXT.length; at++) {
    assert.deepEqual(await read([TEXT.slice(0, at), TEXT.slice(at)]), EVENTS)
  }
  assert.deepEqual(await read(TEXT.split('')), EVENTS)
})

test('an event that broke off is no event', async () => {
  assert.deepEqual(await read(['event: end\ndata: {"ope']), [])
})
