// Goal: browsers receive changes once a second, even if another reads slowly or leaves, and streams
// end with the station. Method: a real server on loopback over counts kept in memory; time is
// advanced by calling beat().
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { systemClock, type LiveCollection, type Sample, type Snapshot } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import Fastify from 'fastify'
import { LiveEvents, liveRoutes, type LivePicture } from './live-events.ts'

function status(part: Partial<LiveCollection>): LiveCollection {
  const spec = { seeds: ['http://a.test/'], scope: 'host' }
  return { id: 1, state: 'running', found: 10, queued: 4, bytes: 600, spec, ...part } as never
}

async function station(collections: LiveCollection[]) {
  const closing = new AbortController()
  const readings = { whole: 0 }
  const live = new LiveEvents({
    clock: systemClock,
    readPicture: async () => {
      readings.whole++
      return pictureOf(collections)
    },
    listHidden: async () => [],
    readSample: async () => sampleOf(collections),
    closing: closing.signal,
  })
  const app = Fastify({ forceCloseConnections: true })
  liveRoutes(app, {
    live,
    access: { viewerOf: () => null, whileAllowed: () => closing.signal },
    closing: closing.signal,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  return { live, closing, app, readings, url: `http://127.0.0.1:${port}` }
}

function sampleOf(collections: readonly LiveCollection[]): Sample {
  const done = Object.fromEntries(collections.map(({ id, found, queued }) => [id, found - queued]))
  return { at: systemClock.now(), done, bytes: {} }
}

const pictureOf = (collections: LiveCollection[]): LivePicture => ({
  collections,
  captures: [],
  station: {} as never,
  sample: sampleOf(collections),
})

/** Reads events one by one. */
async function* eventsOf(response: IncomingMessage) {
  let text = ''
  for await (const chunk of response) {
    text += String(chunk)
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const [name, data] = text.slice(0, end).split('\n')
      text = text.slice(end + 2)
      yield { event: name!.slice(7), data: JSON.parse(data!.slice(6)) as Snapshot }
    }
  }
}

async function open(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), 'response')) as [IncomingMessage]
  return response
}

test('a listener gets the whole picture first, then only changes, then a sign of life', async () => {
  const collections = [status({})]
  const { live, closing, app, url } = await station(collections)
  await live.beat()
  const response = await open(`${url}/events`)
  assert.match(response.headers['content-type'] ?? '', /^text\/event-stream/)
  const events = eventsOf(response)
  const first = (await events.next()).value!
  assert.equal(first.event, 'snapshot')
  assert.equal(first.data.collections[0]?.found, 10)
  assert.equal(first.data.history?.length, 1)

  collections[0] = status({ found: 20, queued: 1 })
  await live.beat()
  const second = (await events.next()).value!
  assert.equal(second.event, 'snapshot')
  assert.deepEqual(second.data.sample.done, { 1: 19 })
  assert.equal('history' in second.data, false)

  await live.beat()
  assert.equal((await events.next()).value!.event, 'unchanged')

  closing.abort()
  assert.equal((await events.next()).done, true)
  await app.close()
})

test('without listeners only the sample is read, and the history is bounded', async () => {
  const { live, app, readings } = await station([status({})])
  for (let i = 0; i < 310; i++) await live.beat()
  assert.equal(readings.whole, 0)
  assert.equal(live.history.length, 300)
  assert.deepEqual(live.history[0]?.done, { 1: 6 })
  live.listen(() => {})
  await live.beat()
  assert.equal(readings.whole, 1)
  await app.close()
})

test('a reading that fails does not end the stream', async () => {
  const closing = new AbortController()
  let readings = 0
  const live = new LiveEvents({
    clock: { ...systemClock, sleep: async () => void (readings > 3 && closing.abort()) },
    listHidden: async () => [],
    readSample: async () => {
      if (readings++ < 2) throw new Error('the store is busy')
      return sampleOf([])
    },
    readPicture: async () => pictureOf([]),
    closing: closing.signal,
  })
  await live.run()
  assert.equal(live.history.length, 2)
})

test('a polled snapshot carries the history too', async () => {
  const { live, app } = await station([status({})])
  await live.beat()
  const answer = (await app.inject('/snapshot')).json<{ history: unknown[]; now: number }>()
  assert.equal(answer.history.length, 1)
  assert.ok(answer.now > 0)
  await app.close()
})

test('with nothing to plot and no listener a station reads rarely, and at once when one connects', async () => {
  const closing = new AbortController()
  const clock = createVirtualClock()
  const collections: LiveCollection[] = []
  const live = new LiveEvents({
    clock,
    listHidden: async () => [],
    readSample: async () => sampleOf(collections),
    readPicture: async () => pictureOf(collections),
    closing: closing.signal,
  })
  const running = live.run()
  const samplesIn = async (ms: number): Promise<number> => {
    const before = live.history.length
    await clock.advance(ms)
    return live.history.length - before
  }
  await clock.advance(0)
  assert.equal(await samplesIn(20_000), 4)

  const told: string[] = []
  const leave = live.listen((event) => told.push(event))
  await clock.advance(3_000)
  assert.equal(told.length, 4, 'at once and every second')
  leave()

  collections.push(status({}))
  await clock.advance(5_000)
  assert.equal(await samplesIn(20_000), 20, 'something runs')
  closing.abort()
  await running
})
