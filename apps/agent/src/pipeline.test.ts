// Goal: the loops of an agent do not wait for one another, end together, and leave nothing behind.
// Method: the whole pipeline with the real recording thread against a written station, on a virtual
// clock, with requests that stay in the air until the test lets them end.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { decodeUpload } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { StationRefused } from './errors.ts'
import { runAgent } from './pipeline.ts'
import {
  blockOf,
  hostOf,
  pauseBefore,
  realMs,
  startStationServer,
  stationAt,
  testMachine,
  until,
  type Reply,
  type StationServer,
} from '../test/station/station-client-fixture.ts'

/** A station that gives away one block of two hosts, three pages each. */
function answersWith(others: Record<string, Reply>): StationServer['answer'] {
  const hosts = ['a', 'b'].map((host, i) =>
    hostOf(
      [1, 2, 3].map((page) => `http://${host}.test/${page}`),
      { hostId: i + 1 },
    ),
  )
  let isGiven = false
  return ({ name }): Reply => {
    const other = others[name]
    if (other) return other
    if (name === 'beat') return { json: { ended: [] } }
    if (name !== 'ask') return { json: { accepted: 1, stale: 0 } }
    const block = isGiven ? null : blockOf(1, hosts)
    isGiven = true
    return { json: { block, waitMs: 2_000 } }
  }
}

async function startAgent(t: TestContext, others: Record<string, Reply> = {}) {
  const server = await startStationServer(t, answersWith(others))
  const clock = createVirtualClock()
  // With few requests in progress the agent asks again when half of the block is done.
  const machine = testMachine(t, clock, { requestsInHand: 6 })
  const stop = new AbortController()
  const running = runAgent(stationAt(server.url), machine, stop.signal)
  running.catch(() => {})
  t.after(() => stop.abort())
  await until(() => server.callsOf('ask').length > 0, 'the agent asked')
  return { server, clock, machine, fetcher: machine.fetcher, stop, running }
}

const urlsOf = (server: StationServer): string[] =>
  server
    .callsOf('results')
    .flatMap(({ body }) => decodeUpload(body).manifest.results)
    .map((result) => (result.type === 'returned' ? 'returned' : result.url))

test('Three-stage worker: a slow upload does not stop fetching', async (t) => {
  const { server, fetcher } = await startAgent(t, { results: 'hang' })
  for (let pages = 1; pages <= 6; pages++) {
    await until(() => fetcher.urls.length >= Math.min(pages + 1, 6), `page ${pages} is in the air`)
    fetcher.release()
  }
  await until(() => server.callsOf('results').length === 1, 'the upload hangs')
  assert.equal(new Set(fetcher.urls).size, 6)
})

test('Three-stage worker: a slow site does not stop uploading', async (t) => {
  const { server, fetcher } = await startAgent(t)
  await until(() => fetcher.urls.length === 2, 'both hosts are asked')
  for (let pages = 1; pages <= 3; pages++) {
    await until(() => fetcher.urls.includes(`http://b.test/${pages}`), `b ${pages} is in the air`)
    fetcher.release('b.test')
    await until(() => urlsOf(server).length === pages, `${pages} pages of the quick host are sent`)
  }
  assert.deepEqual(
    urlsOf(server),
    [1, 2, 3].map((page) => `http://b.test/${page}`),
  )
  assert.equal(fetcher.urls.filter((url) => url.startsWith('http://a.test')).length, 1)
})

for (const [what, name, reply] of [
  ['an upload is not let in', 'results', { status: 403, text: 'because' }],
  ['a beat is refused', 'beat', { status: 401, text: 'because' }],
  ['a question is refused', 'ask', { status: 403, text: 'because' }],
] as const) {
  test(`when ${what} for good the whole agent ends with the reason, and nothing of it goes on`, async (t) => {
    const { server, clock, fetcher, running } = await startAgent(t, { [name]: reply })
    const isRefused = (): boolean => server.callsOf(name).length > 0
    if (name === 'results') {
      await until(() => fetcher.urls.length === 2, 'both hosts are asked')
      fetcher.release()
    }
    if (name !== 'results') await pauseBefore(clock, isRefused)
    await assert.rejects(running, (error) => {
      assert.ok(error instanceof StationRefused)
      assert.match(error.message, /because/)
      return true
    })
    await until(() => clock.sleeping() === 0, 'no sleeper is left')
    const [calls, dials] = [server.calls.length, fetcher.urls.length]
    fetcher.release()
    fetcher.release()
    await clock.advance(30_000)
    await realMs(20)
    assert.equal(server.calls.length, calls)
    assert.equal(fetcher.urls.length, dials)
  })
}

test('an upload that is refused for its content is dropped with a line, and the agent goes on', async (t) => {
  const complaints: string[] = []
  const others: Record<string, Reply> = { results: { status: 400, text: 'because' } }
  const { server, clock, machine, fetcher, stop, running } = await startAgent(t, others)
  machine.complain = (line) => complaints.push(line)
  await until(() => fetcher.urls.length === 2, 'both hosts are asked')
  fetcher.release()
  await until(() => complaints.length === 1, 'it complains')
  assert.match(complaints[0]!, /1 results were dropped.*because/)
  delete others['results']
  for (let page = 2; page <= 6; page++) {
    await until(() => fetcher.urls.length >= Math.min(page + 1, 6), 'the next page is asked for')
    fetcher.release()
  }
  await pauseBefore(clock, () => urlsOf(server).length === 6)
  assert.equal(new Set(urlsOf(server)).size, 6, 'the dropped one is not sent again')
  stop.abort()
  await running
})

test('a stop finishes what is in the air, gives back the rest, sends all of it and then leaves', async (t) => {
  const { server, clock, fetcher, stop, running } = await startAgent(t, {
    results: { status: 503 },
  })
  await until(() => fetcher.urls.length === 2, 'both hosts are asked')
  stop.abort()
  await realMs(20)
  assert.equal(server.callsOf('goodbye').length, 0, 'two pages are still in the air')
  fetcher.release()
  fetcher.release()
  await until(() => server.callsOf('results').length === 1, 'the first try arrived')
  await pauseBefore(clock, () => server.callsOf('beat').length === 2)
  assert.equal(server.callsOf('goodbye').length, 0, 'it waits for the station, and goes on beating')
  const failed = server.callsOf('results').length
  server.answer = answersWith({})
  await pauseBefore(clock, () => server.callsOf('goodbye').length === 1)
  await running
  assert.equal(server.calls.at(-1)?.name, 'goodbye')
  assert.deepEqual(fetcher.urls.toSorted(), ['http://a.test/1', 'http://b.test/1'])
  const sent = server
    .callsOf('results')
    .slice(failed)
    .flatMap(({ body }) => decodeUpload(body).manifest.results)
  assert.deepEqual(sent.map(({ type }) => type).toSorted(), [
    'captured',
    'captured',
    'returned',
    'returned',
    'returned',
    'returned',
  ])
  assert.equal(clock.sleeping(), 0)
})
