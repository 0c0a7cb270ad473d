// Goal: seen from the sites, one lane per host, at its pace, and silent on request. Method: the
// real fetcher and the real clock against the fake web, judged by the log of what it saw.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createFetcher, DEFAULT_LIMITS } from '@minga/net/fetch'
import { systemClock, type HostBlock } from '@minga/protocol'
import { startFakeWeb, type FakeWeb, type FakeWebSpec, type Hit } from '@minga/testkit'
import { WorkBuffer } from './work-buffer.ts'
import type { MachineLimits } from './machine.ts'
import { AT_EASE, recordFinding } from '../record/record.ts'
import { startRecorder, type Finding, type Recorder } from '../record/recorder.ts'
import { blockOf, hostOf, realMs, until } from '../../test/station/station-client-fixture.ts'

/** Stores what it receives, with the real counting behind it. */
function listeningRecorder(t: TestContext): Recorder & { findings: Finding[] } {
  const real = startRecorder()
  t.after(() => real.close())
  const findings: Finding[] = []
  const put = (finding: Finding): void => {
    // The thread takes the body away.
    findings.push({ ...finding })
    real.put(finding)
  }
  return new Proxy(real, {
    get: (target, name) => {
      if (name === 'put') return put
      if (name === 'findings') return findings
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  }) as Recorder & { findings: Finding[] }
}

async function startFetching(
  t: TestContext,
  spec: FakeWebSpec,
  limits: Partial<MachineLimits> = {},
) {
  const web = await startFakeWeb(spec)
  const fetcher = createFetcher({
    clock: systemClock,
    userAgent: 'MingaBot/test',
    guard: { allowPrivateAddresses: true },
    limits: DEFAULT_LIMITS,
    connectionsPerHost: 16,
  })
  t.after(async () => {
    await fetcher.close()
    await web.close()
  })
  const recorder = listeningRecorder(t)
  const common = { concurrency: 8, requestsInHand: 100, resultBytes: 10_000_000 }
  const stop = new AbortController()
  const machine = {
    clock: systemClock,
    fetcher,
    recorder,
    limits: { ...common, ...limits },
    random: () => 0,
    isAbandoned: () => false,
    complain: () => {},
    beat: async () => {},
  }
  const buffer = new WorkBuffer({ machine, signal: stop.signal })
  return { web, buffer, recorder, stop }
}

/** The first pages of one host of the web. */
function pagesOf(
  web: FakeWeb,
  host: number,
  more: Partial<HostBlock> & { pages: number },
): HostBlock {
  const { pages, ...rest } = more
  const origin = web.origin(host)
  const urls = Array.from({ length: pages }, (_, i) => `${origin}/p/${i}`)
  return hostOf(urls, { hostId: host + 1, address: new URL(origin).hostname, ...rest })
}

const outcomesOf = (findings: Finding[]): string[] =>
  findings.map(({ outcome }) => {
    if (outcome === null) return 'returned'
    return outcome.ok ? String(outcome.status) : outcome.code
  })

const gapMs = (earlier: Hit, later: Hit): number => (later.t - earlier.end!) / 1_000

test('hosts are asked in parallel, each one page at a time with its delay after the last byte', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, {
    hosts: 4,
    behaviours: [{ kind: 'slow', on: [1, 2], firstByteMs: 40 }],
  })
  const hosts = [0, 1, 2, 3].map((host) => pagesOf(web, host, { pages: 4, delayMs: 60 }))
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  // A second lease of a host, while the first lane is still at work on it.
  buffer.take(blockOf(2, [pagesOf(web, 0, { pages: 2, delayMs: 60 })]), systemClock.monotonicMs())
  await buffer.emptied()
  assert.deepEqual(outcomesOf(recorder.findings), Array(18).fill('200'))
  assert.deepEqual(web.violations({ delayMs: 60, per: 'host' }), [])
  assert.equal(web.concurrencyMax('host'), 1)
  const byHost = [...Map.groupBy(web.hits(), ({ host }) => host).values()]
  const lastBegun = Math.max(...byHost.map((hits) => hits[0]!.t))
  const firstDone = Math.min(...byHost.map((hits) => hits.at(-1)!.end!))
  assert.ok(lastBegun < firstDone, 'no host waits for another to end')
})

test('Parallel groups: an undelayed group runs its threads, a delayed one is asked one by one, in order', async (t) => {
  const { web, buffer } = await startFetching(t, {
    hosts: 3,
    behaviours: [{ kind: 'slow', firstByteMs: 40 }],
  })
  const groups = [
    pagesOf(web, 0, { pages: 9, threads: 3 }),
    pagesOf(web, 1, { pages: 4, threads: 3, delayMs: 50 }),
    pagesOf(web, 2, { pages: 4, threads: 1 }),
  ]
  buffer.take(blockOf(1, groups), systemClock.monotonicMs())
  await buffer.emptied()
  const inFlightMax = (hits: Hit[]): number =>
    Math.max(...hits.map(({ t: at }) => hits.filter((hit) => hit.t <= at && at < hit.end!).length))
  const byHost = Map.groupBy(web.hits(), ({ host }) => host)
  const [free, delayed, single] = groups.map(({ address }) => byHost.get(address)!)
  assert.equal(inFlightMax(free!), 3)
  assert.equal(inFlightMax(delayed!), 1)
  assert.equal(inFlightMax(single!), 1)
  for (const hits of [delayed!, single!]) {
    assert.deepEqual(
      hits.map(({ path }) => path),
      ['/p/0', '/p/1', '/p/2', '/p/3'],
      'requests go out in the order they came',
    )
  }
  for (const [i, hit] of delayed!.slice(1).entries()) assert.ok(gapMs(delayed![i]!, hit) >= 48)
  assert.ok(delayed![0]!.t < free!.at(-1)!.end!, 'groups run in parallel')
})

test('a host that may give few bytes per second rests longer after a large page', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, { hosts: 1, bytesPerPage: 20_000 })
  const host = pagesOf(web, 0, { pages: 3, delayMs: 1, bytesPerSecond: 100_000 })
  buffer.take(blockOf(1, [host]), systemClock.monotonicMs())
  await buffer.emptied()
  const hits = web.hits()
  assert.equal(hits.length, 3)
  for (const [i, { outcome }] of recorder.findings.slice(0, 2).entries()) {
    const bytes = outcome?.ok ? outcome.body.length : 0
    assert.ok(bytes > 4_000)
    assert.ok(gapMs(hits[i]!, hits[i + 1]!) >= bytes / 100 - 2)
  }
})

test('Politeness 3 modes: a tenfold rest is ten times each download, and no longer than it may be', async (t) => {
  const { web, buffer } = await startFetching(t, {
    hosts: 2,
    behaviours: [{ kind: 'slow', firstByteMs: 30 }],
  })
  const hosts = [2_000, 150].map((atMostMs, host) =>
    pagesOf(web, host, { pages: 3, delayMs: 100, restFactor: { times: 10, atMostMs } }),
  )
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  await buffer.emptied()
  const byHost = Map.groupBy(web.hits(), ({ host }) => host)
  const [free, capped] = hosts.map(({ address }) => byHost.get(address)!)
  // Ten times what the server surely took, which waits for its own timers.
  for (const [i, hit] of free!.slice(1).entries()) assert.ok(gapMs(free![i]!, hit) >= 288)
  const wholeMs = (hits: Hit[]): number => (hits.at(-1)!.t - hits[0]!.t) / 1_000
  for (const [i, hit] of capped!.slice(1).entries()) assert.ok(gapMs(capped![i]!, hit) >= 148)
  assert.ok(wholeMs(capped!) < wholeMs(free!))
})

test('while one host rests, the only permit is another one’s', async (t) => {
  const { web, buffer } = await startFetching(t, { hosts: 2 }, { concurrency: 1 })
  const hosts = [0, 1].map((host) => pagesOf(web, host, { pages: 3, delayMs: 80 }))
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  await buffer.emptied()
  const [first, second, ...others] = web.hits()
  assert.notEqual(first?.host, second?.host)
  assert.equal(others.length, 4)
  assert.deepEqual(web.violations({ delayMs: 80, per: 'host' }), [])
})

test('hosts without a delay are done one after the other, so that each is free early', async (t) => {
  const { web, buffer } = await startFetching(t, { hosts: 2 }, { concurrency: 1 })
  const hosts = [0, 1].map((host) => pagesOf(web, host, { pages: 3 }))
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  await buffer.emptied()
  const visited = web.hits().map(({ host }) => host)
  assert.deepEqual(visited, [
    visited[0],
    visited[0],
    visited[0],
    visited[5],
    visited[5],
    visited[5],
  ])
  assert.equal(web.hits().length, 6)
})

for (const [what, behaviour, first] of [
  ['says 429', { kind: 'throttled', status: 429, times: 9 }, '429'],
  ['says 503', { kind: 'throttled', status: 503, times: 9 }, '503'],
  ['breaks the connection', { kind: 'down', how: 'reset' }, 'MINGA_CONNECTION_LOST'],
] as const) {
  test(`a host that ${what} is left alone, and the rest of its pages given back`, async (t) => {
    const { web, buffer, recorder } = await startFetching(t, { hosts: 1, behaviours: [behaviour] })
    buffer.take(blockOf(1, [pagesOf(web, 0, { pages: 3 })]), systemClock.monotonicMs())
    await buffer.emptied()
    assert.deepEqual(outcomesOf(recorder.findings), [first, 'returned', 'returned'])
    assert.equal(web.hits().length, 1)
    assert.equal(buffer.progress, 3)
  })
}

test('a page that can never be fetched does not keep the others from being fetched', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, { hosts: 1 })
  const host = pagesOf(web, 0, { pages: 3 })
  host.requests[0]!.url = 'ftp://h.test/'
  buffer.take(blockOf(1, [host]), systemClock.monotonicMs())
  await buffer.emptied()
  const [refused, ...others] = outcomesOf(recorder.findings)
  assert.match(refused!, /^MINGA_/)
  assert.deepEqual(others, ['200', '200'])
})

test('a page that was captured before is asked for only if it has changed', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, {
    hosts: 1,
    behaviours: [{ kind: 'validators', etag: true, lastModified: true }],
  })
  buffer.take(blockOf(1, [pagesOf(web, 0, { pages: 1 })]), systemClock.monotonicMs())
  await buffer.emptied()
  const { outcome } = recorder.findings[0]!
  assert.ok(outcome?.ok)
  const header = (name: string): string | null =>
    outcome.rawHeaders.find(([key]) => key.toLowerCase() === name)?.[1] ?? null
  const former = { digest: 'sha256:00', url: web.seeds[0]!, capturedAt: 1, recordId: null }
  for (const [fence, previous] of [
    { ...former, etag: header('etag'), lastModified: null },
    { ...former, etag: null, lastModified: header('last-modified') },
  ].entries()) {
    const host = pagesOf(web, 0, { pages: 1 })
    host.requests[0]!.previous = previous
    buffer.take(blockOf(fence + 2, [host]), systemClock.monotonicMs())
    await buffer.emptied()
  }
  assert.deepEqual(outcomesOf(recorder.findings), ['200', '304', '304'])
})

test('what lets the station in at a wiki is sent to that host, and stands in no record', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, { hosts: 2 })
  const authorization = 'Bearer a-token-of-the-station'
  const hosts = [pagesOf(web, 0, { pages: 1, authorization }), pagesOf(web, 1, { pages: 1 })]
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  await buffer.emptied()
  const sent = recorder.findings.map((finding) => {
    const { outcome, leased } = finding
    assert.ok(outcome?.ok)
    const tools = { clock: systemClock, newId: () => crypto.randomUUID(), effort: AT_EASE }
    const { result, members } = recordFinding(tools, {
      ...finding,
      outcome: { ...outcome, body: Buffer.from('x') },
    })
    const kept = JSON.stringify(result) + members.map((member) => gunzipSync(member)).join('')
    assert.ok(!kept.includes('a-token'), 'it is recorded')
    return [leased.hostId, outcome.requestHeaders.some(([, value]) => value === authorization)]
  })
  assert.deepEqual(Object.fromEntries(sent), { 1: true, 2: false })
})

test('results that fill the memory they may take hold back the next request until they are sent', async (t) => {
  const { web, buffer, recorder } = await startFetching(
    t,
    { hosts: 1, bytesPerPage: 10_000 },
    { resultBytes: 2_000 },
  )
  buffer.take(blockOf(1, [pagesOf(web, 0, { pages: 3 })]), systemClock.monotonicMs())
  for (let pages = 1; pages <= 3; pages++) {
    await until(() => recorder.findings.length === pages, `page ${pages} is fetched`)
    assert.ok(recorder.waitingBytes >= 2_000)
    await realMs(40)
    assert.equal(web.hits().length, pages, 'nothing more is asked for')
    const batch = await recorder.batch({ boot: 'boot-0001', bytesMax: 1_000_000 })
    recorder.delivered(batch!)
  }
  await buffer.emptied()
})

test('a lease that was lost while results waited is not dialled when there is room again', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, { hosts: 1 }, { resultBytes: 1 })
  buffer.take(blockOf(1, [pagesOf(web, 0, { pages: 3 })]), systemClock.monotonicMs())
  await until(() => recorder.findings.length === 1, 'the first page is fetched')
  buffer.lost([1])
  const batch = await recorder.batch({ boot: 'boot-0001', bytesMax: 1_000_000 })
  recorder.delivered(batch!)
  await buffer.emptied()
  assert.deepEqual(outcomesOf(recorder.findings), ['200', 'returned', 'returned'])
  assert.equal(web.hits().length, 1)
})

test('a stop lets the page in the air arrive, gives back the rest and waits for no delay', async (t) => {
  const { web, buffer, recorder, stop } = await startFetching(t, {
    hosts: 2,
    behaviours: [{ kind: 'slow', on: [0], firstByteMs: 100 }],
  })
  const hosts = [0, 1].map((host) => pagesOf(web, host, { pages: 2, delayMs: 60_000 }))
  buffer.take(blockOf(1, hosts), systemClock.monotonicMs())
  await until(() => web.hits().length === 2 && recorder.findings.length >= 1, 'one is in the air')
  stop.abort()
  await buffer.emptied()
  assert.deepEqual(outcomesOf(recorder.findings).toSorted(), ['200', '200', 'returned', 'returned'])
  assert.equal(buffer.requests, 0)
})

test('a page in the air for a lease that was lost is given up, for another may ask its host by then', async (t) => {
  const { web, buffer, recorder } = await startFetching(t, {
    hosts: 1,
    behaviours: [{ kind: 'slow', firstByteMs: 5_000 }],
  })
  buffer.take(blockOf(1, [pagesOf(web, 0, { pages: 2 })]), systemClock.monotonicMs())
  await until(() => web.hits().length === 1, 'the first page is in the air')
  const lostAtMs = systemClock.monotonicMs()
  buffer.lost([1])
  await buffer.emptied()
  assert.ok(systemClock.monotonicMs() - lostAtMs < 2_000, 'its answer is not waited for')
  assert.deepEqual(outcomesOf(recorder.findings), ['returned', 'returned'])
})
