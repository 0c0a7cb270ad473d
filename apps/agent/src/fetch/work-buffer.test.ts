// Goal: an agent dials only while its lease is surely its own, and never a host before its time.
// Method: the work buffer with a virtual clock, a fake fetcher that notes every dial and a fake recorder.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchOutcome } from '@minga/net'
import type { Block, HostBlock } from '@minga/protocol'
import { createVirtualClock, type VirtualClock } from '@minga/testkit'
import { WorkBuffer } from './work-buffer.ts'
import type { Finding, Recorder } from '../record/recorder.ts'

interface Dial {
  url: string
  start: number
  end: number
}

interface Bench {
  clock: VirtualClock
  buffer: WorkBuffer
  dials: Dial[]
  findings: Finding[]
  stop: AbortController
}

function newBench(
  answer: (url: string) => { status: number; ms: number } = () => ({ status: 200, ms: 50 }),
): Bench {
  const clock = createVirtualClock(1_000_000)
  const dials: Dial[] = []
  const findings: Finding[] = []
  const stop = new AbortController()
  const fetcher = {
    fetch: async ({ url, address }: { url: string; address: string }): Promise<FetchOutcome> => {
      const start = clock.monotonicMs()
      const { status, ms } = answer(url)
      await clock.sleep(ms)
      dials.push({ url, start, end: clock.monotonicMs() })
      return {
        ok: true,
        status,
        statusText: '',
        httpVersion: '1.1',
        requestHeaders: [],
        rawHeaders: [],
        body: Buffer.alloc(0),
        truncated: null,
        contentLengthMismatch: false,
        address,
        startedAt: clock.now(),
        firstByteMs: ms,
        totalMs: ms,
      }
    },
    close: async () => {},
  }
  const recorder: Recorder = {
    waiting: 0,
    waitingBytes: 0,
    fences: new Set(),
    put: (finding) => void findings.push(finding),
    batch: async () => null,
    delivered: () => {},
    changed: async () => {},
    close: async () => {},
  }
  const limits = { concurrency: 8, requestsInHand: 100, resultBytes: 1_000_000 }
  const unused = {
    random: () => 0,
    isAbandoned: () => false,
    complain: () => {},
    beat: async () => {},
  }
  const machine = { clock, fetcher, recorder, limits, ...unused }
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  return { clock, buffer, dials, findings, stop }
}

function blockOf(
  paths: string[],
  more: Partial<HostBlock> & { fence?: number; deadlineMs?: number } = {},
): Block {
  const { fence = 1, deadlineMs = 120_000, ...host } = more
  const requests = paths.map((path, i) => ({
    hash: i + 1,
    url: `http://h.test/${path}`,
    kind: 'page' as const,
    hops: 0,
    depth: 0,
    via: null,
    previous: null,
  }))
  const common = {
    hostId: 1,
    collectionId: 1,
    address: '10.0.0.1',
    delayMs: 1_000,
    threads: 1,
    bytesPerSecond: null,
    requests,
  }
  return { fence, deadlineMs, hosts: [{ ...common, ...host }] }
}

/** Time in which the station answers every beat. */
async function passHeard({ clock, buffer }: Bench, ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 500) {
    buffer.heard(clock.monotonicMs())
    await clock.advance(Math.min(left, 500))
  }
}

const returnedOf = (findings: Finding[]): number =>
  findings.filter(({ outcome }) => outcome === null).length

test('the delay is kept from the end of each response, however long it took', async () => {
  const bench = newBench(() => ({ status: 200, ms: 700 }))
  bench.buffer.take(blockOf(['a', 'b', 'c']), bench.clock.monotonicMs())
  await passHeard(bench, 10_000)
  assert.equal(bench.dials.length, 3)
  for (const [i, dial] of bench.dials.entries()) {
    if (i > 0) assert.ok(dial.start >= bench.dials[i - 1]!.end + 1_000)
  }
})

test('after too long a silence of the station nothing is dialled and the rest is given back', async () => {
  const bench = newBench()
  bench.buffer.take(
    blockOf(Array.from({ length: 30 }, (_, i) => String(i))),
    bench.clock.monotonicMs(),
  )
  await bench.clock.advance(40_000)
  assert.ok(bench.dials.length > 5)
  for (const { start } of bench.dials) assert.ok(start < 9_500)
  assert.equal(bench.dials.length + returnedOf(bench.findings), 30)
  assert.equal(bench.buffer.requests, 0)
})

test('a lost lease, an old answer and a passed deadline are not dialled', async () => {
  const bench = newBench()
  const { buffer, clock } = bench
  buffer.take(blockOf(['a', 'b', 'c']), clock.monotonicMs())
  await passHeard(bench, 500)
  buffer.lost([1])
  await passHeard(bench, 5_000)
  assert.equal(bench.dials.length, 1)
  await passHeard(bench, 20_000)
  buffer.take(blockOf(['late'], { fence: 2 }), clock.monotonicMs() - 12_000)
  await passHeard(bench, 3_000)
  assert.equal(bench.dials.length, 1, 'a block that was on its way for longer than a lease lives')
  buffer.take(blockOf(['d', 'e', 'f'], { fence: 3, deadlineMs: 1_500 }), clock.monotonicMs())
  await passHeard(bench, 5_000)
  assert.deepEqual(
    bench.dials.map(({ url }) => url.at(-1)),
    ['a', 'd', 'e'],
  )
})

test('a wall clock that leaps past the deadline ends the block, as after a sleep of the machine', async () => {
  const bench = newBench()
  bench.buffer.take(blockOf(['a', 'b'], { deadlineMs: 60_000 }), bench.clock.monotonicMs())
  await passHeard(bench, 500)
  bench.clock.jumpWall(3_600_000)
  await passHeard(bench, 5_000)
  assert.equal(bench.dials.length, 1)
})

test('a wall clock that was set back does not lengthen a lease', async () => {
  const bench = newBench()
  bench.buffer.take(blockOf(['a', 'b', 'c'], { deadlineMs: 1_500 }), bench.clock.monotonicMs())
  bench.clock.jumpWall(-3_600_000)
  await passHeard(bench, 10_000)
  assert.equal(bench.dials.length, 2)
})

for (const status of [429, 503]) {
  test(`${status} gives the rest of the host back`, async () => {
    const bench = newBench(() => ({ status, ms: 10 }))
    bench.buffer.take(blockOf(['a', 'b', 'c']), bench.clock.monotonicMs())
    await passHeard(bench, 5_000)
    assert.equal(bench.dials.length, 1)
    assert.equal(returnedOf(bench.findings), 2)
  })
}

test('a new lane to a host waits for the late response of an older one, and for its rest', async () => {
  const bench = newBench((url) => ({ status: 200, ms: url.endsWith('slow') ? 20_000 : 10 }))
  const { buffer, clock } = bench
  buffer.take(blockOf(['slow']), clock.monotonicMs())
  await passHeard(bench, 1_000)
  buffer.lost([1])
  buffer.take(blockOf(['next'], { fence: 2 }), clock.monotonicMs())
  await passHeard(bench, 30_000)
  const [slow, next] = bench.dials
  assert.ok(next!.start >= slow!.end + 1_000)
})

test('a stop gives everything back that is not in flight', async () => {
  const bench = newBench()
  bench.buffer.take(blockOf(['a', 'b', 'c']), bench.clock.monotonicMs())
  await passHeard(bench, 200)
  bench.stop.abort()
  await bench.clock.advance(10)
  await bench.buffer.emptied()
  assert.equal(bench.dials.length, 1)
  assert.equal(returnedOf(bench.findings), 2)
})
