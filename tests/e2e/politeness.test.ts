// Goal: each policy of politeness as sites see it, with a fleet of two. Method: one coordinator and two
// agents as processes, a collection per policy on hosts of its own, judged by the web's own log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { densityDelayMs } from '@minga/frontier'
import type { CollectionStatus } from '@minga/protocol'
import {
  endAllProcesses,
  judgeHits,
  startFakeWebProcess,
  type FakeWebProcess,
  type Hit,
} from '@minga/testkit'
import {
  callStation,
  joinStation,
  startStation,
  untilFinished,
  type Station,
} from './station-process.ts'

const PAGES = 30
const DELAY_MS = 500
const FLOOR_MS = 250
/** Ten times of it is more than the floor and less than the delay. */
const SLOW_MS = 35
/** As judgeHits has it: timers and event loops are a little early or late. */
const TOLERANCE_MS = 2
/** Answers after which a host is known to cope, robots.txt included. */
const COPES_AFTER = 10
/** Pages that the touchy host gives before it complains. */
const COMPLAINS_AFTER = 18

const HOST = { constant: 0, density: 1, tenfold: 2, adaptive: 3, touchy: 4 }
const POLICY = ['constant', 'density', 'tenfold', 'adaptive', 'density'] as const

const WEB = {
  hosts: POLICY.length,
  pagesPerHost: PAGES,
  linksPerPage: 3,
  firstAddress: '127.0.83.1',
  behaviours: [
    { kind: 'slow' as const, firstByteMs: SLOW_MS, on: [HOST.tenfold] },
    {
      kind: 'throttled' as const,
      status: 429 as const,
      times: 1,
      after: COMPLAINS_AFTER,
      on: [HOST.touchy],
    },
  ],
}

describe('policies of politeness and the sites', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-politeness-'))
  let web: FakeWebProcess

  before(async () => {
    web = await startFakeWebProcess(WEB)
    const station = await startStation(path.join(folder, 'station'))
    const ids = []
    for (const host of POLICY.keys()) ids.push(await collect(station, host))
    await joinStation(station, path.join(folder, 'a1'))
    await joinStation(station, path.join(folder, 'a2'))
    for (const id of ids) await untilFinished(station, id, 120_000)
  })

  after(async () => {
    await endAllProcesses()
    await web.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const hitsOf = (host: number): Hit[] =>
    web
      .hits()
      .filter(({ url }) => url.startsWith(`${web.origin(host)}/`))
      .toSorted((a, b) => a.t - b.t)

  async function collect(station: Station, host: number): Promise<number> {
    const pages = Array.from({ length: PAGES }, (_, page) => `${web.origin(host)}/p/${page}`)
    const { id } = await callStation<CollectionStatus>(station, ['POST', '/collections'], {
      seeds: pages,
      scope: 'page',
      delayMs: DELAY_MS,
      delayMinMs: FLOOR_MS,
      politeness: POLICY[host],
      retries: 5,
    })
    return id
  }

  test('Politeness 3 modes: no server is hit early, or by two agents', () => {
    const early = (host: number, delayMs: number) =>
      judgeHits(hitsOf(host)).violations({ delayMs, per: 'host' })
    const dense = { pages: PAGES, pagesMax: 1_000, maxMs: DELAY_MS, minMs: FLOOR_MS }
    assert.deepEqual(early(HOST.constant, DELAY_MS), [])
    assert.deepEqual(early(HOST.density, densityDelayMs(dense)), [])
    assert.deepEqual(early(HOST.touchy, densityDelayMs(dense)), [])
    for (const host of [HOST.tenfold, HOST.adaptive]) assert.deepEqual(early(host, FLOOR_MS), [])
    for (const host of Object.values(HOST)) {
      assert.equal(judgeHits(hitsOf(host)).concurrencyMax('host'), 1)
      const pages = hitsOf(host).filter(({ status, path: asked }) => {
        return status === 200 && asked !== '/robots.txt'
      })
      assert.equal(pages.length, PAGES)
    }
  })

  test('Politeness 3 modes: the delay is shortened for hosts that cope, and for no others', () => {
    for (const host of [HOST.density, HOST.tenfold, HOST.adaptive, HOST.touchy]) {
      const gaps = gapsOf(hitsOf(host))
      for (const gap of gaps.slice(0, COPES_AFTER)) assert.ok(gap >= DELAY_MS - TOLERANCE_MS)
      const shortest = Math.min(...gaps.slice(COPES_AFTER))
      assert.ok(shortest < DELAY_MS - TOLERANCE_MS, `${POLICY[host]} came to ${shortest} ms`)
    }
  })

  test('Politeness 3 modes: tenfold leaves a server alone ten times as long as it took to answer', () => {
    const hits = hitsOf(HOST.tenfold)
    // By what the server surely took: when its log says that an answer ended, it had ended before.
    const rests = gapsOf(hits).filter((_, i) => hits[i]!.path !== '/robots.txt')
    assert.ok(rests.length >= PAGES - 1)
    for (const gap of rests) assert.ok(gap >= 10 * (SLOW_MS - 1) - TOLERANCE_MS, `${gap} ms`)
  })

  test('a site that answers 429 is hurried no more, from that answer on', () => {
    const hits = hitsOf(HOST.touchy)
    const at = hits.findIndex(({ status }) => status === 429)
    const gaps = gapsOf(hits)
    assert.ok(Math.min(...gaps.slice(COPES_AFTER, at)) < DELAY_MS - TOLERANCE_MS)
    assert.ok(gaps[at]! >= 2_000 - TOLERANCE_MS)
    const later = gaps.slice(at, at + COPES_AFTER)
    assert.equal(later.length, COPES_AFTER)
    for (const gap of later) assert.ok(gap >= DELAY_MS - TOLERANCE_MS)
  })
})

/** From the end of each answer to the next request. */
function gapsOf(hits: readonly Hit[]): number[] {
  return hits.slice(1).map((hit, i) => (hit.t - hits[i]!.end!) / 1_000)
}
