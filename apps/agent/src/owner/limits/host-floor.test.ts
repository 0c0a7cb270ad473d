// Goal: a lent machine floods no site, whatever its station asks for. Method: blocks of a hostile
// station in a real work buffer on a virtual clock; what is dialled is noted with its time.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { HostBlock } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { WorkBuffer } from '../../fetch/work-buffer.ts'
import {
  answerOf,
  blockOf,
  hostOf,
  testMachine,
} from '../../../test/station/station-client-fixture.ts'
import { HostFloor } from './host-floor.ts'

interface Dial {
  host: string
  address: string
  atMs: number
}

/** What goes out in so many seconds when a block of these hosts was given. */
async function dialsOf(t: TestContext, hosts: HostBlock[], { seconds = 5, answerMs = 100 }) {
  const clock = createVirtualClock()
  const machine = testMachine(t, clock, { concurrency: 64 })
  machine.hostFloor = new HostFloor(clock)
  const dials: Dial[] = []
  let [inFlight, inFlightMax] = [0, 0]
  machine.fetcher.fetch = async ({ url, address }) => {
    dials.push({ host: new URL(url).hostname, address, atMs: clock.monotonicMs() })
    inFlightMax = Math.max(inFlightMax, ++inFlight)
    await clock.sleep(answerMs)
    inFlight--
    return answerOf('page')
  }
  machine.recorder.put = () => {}
  const stop = new AbortController()
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  buffer.take(blockOf(1, hosts), clock.monotonicMs())
  for (let passed = 0; passed < seconds; passed++) {
    buffer.heard(clock.monotonicMs())
    await clock.advance(1_000)
  }
  stop.abort()
  return { dials, inFlightMax }
}

function smallestGapMs(dials: readonly Dial[], key: (dial: Dial) => string): number {
  const gaps = [...Map.groupBy(dials, key).values()].flatMap((own) =>
    own.slice(1).map(({ atMs }, i) => atMs - own[i]!.atMs),
  )
  return Math.min(...gaps)
}

const urlsOf = (host: string): string[] =>
  Array.from({ length: 20 }, (_, page) => `http://${host}/${page}`)

test('a host is asked at most once a second, under whatever numbers and spellings it comes', async (t) => {
  const spellings = ['site.test', 'SITE.test:8080', 'site.test.', 'site.test:8443']
  const hosts = spellings.map((host, i) =>
    hostOf(urlsOf(host), { hostId: i + 1, address: `62.0.0.${i}`, threads: 16 }),
  )
  const { dials } = await dialsOf(t, hosts, { seconds: 20 })
  const same = dials.map((dial) => ({ ...dial, host: dial.host.replace(/\.$/, '') }))
  assert.ok(smallestGapMs(same, ({ host }) => host) >= 1_000)
  assert.ok(dials.length >= 18, `${dials.length} dials: the pace that is allowed is reached`)
})

test('a host is asked one request at a time, however slowly it answers', async (t) => {
  const hosts = [1, 2].map((hostId) => hostOf(urlsOf('site.test'), { hostId, threads: 16 }))
  const { dials, inFlightMax } = await dialsOf(t, hosts, { seconds: 10, answerMs: 3_000 })
  assert.equal(inFlightMax, 1)
  assert.ok(dials.length >= 3, `${dials.length} dials`)
})

test('many names at one address are asked at most sixteen times a second together', async (t) => {
  const hosts = Array.from({ length: 60 }, (_, i) =>
    hostOf(urlsOf(`h${i}.test`), { hostId: i + 1, address: '62.0.0.1' }),
  )
  const { dials } = await dialsOf(t, hosts, {})
  assert.ok(smallestGapMs(dials, ({ address }) => address) >= 62.5)
  assert.ok(dials.length > 50, `${dials.length} dials`)
})

test('different hosts at different addresses do not wait for each other', async (t) => {
  const hosts = Array.from({ length: 60 }, (_, i) =>
    hostOf(urlsOf(`h${i}.test`), { hostId: i + 1, address: `62.0.1.${i}` }),
  )
  const { dials } = await dialsOf(t, hosts, { seconds: 1 })
  assert.equal(dials.filter(({ atMs }) => atMs === dials[0]!.atMs).length, 60)
})
