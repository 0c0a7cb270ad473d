// Goal: what a fleet of two agents does to sites, as the sites see it. Method: one coordinator and
// two agents as processes, one collection over hosts of every temper, judged by the web's own log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  endAllProcesses,
  judgeHits,
  startFakeWebProcess,
  type FakeWebProcess,
  type Hit,
} from '@minga/testkit'
import type { CollectionStatus } from '@minga/protocol'
import {
  callStation,
  joinStation,
  startStation,
  untilFinished,
  type Station,
} from './station-process.ts'

const HOST = { healthy: 0, delayed: 1, closedToAll: 2, closedToUs: 3, overloaded: 4 }
const PAGES = 24
const CRAWL_DELAY_MS = 300
const IN_FLIGHT_MAX = 4
const FORBIDDEN = /^\/p\/[34]$/
const MS = 1_000

describe('a fleet and the sites it asks', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-manners-'))
  let web: FakeWebProcess
  let hitsBeforeAgents = 0

  before(async () => {
    web = await startFakeWebProcess(WEB)
    const station = await startStation(path.join(folder, 'station'))
    const id = await collect(station, web)
    // Long enough for a coordinator to ask a site, if it did such things.
    await sleep(1_500)
    hitsBeforeAgents = web.hits().length
    await joinStation(station, path.join(folder, 'a1'))
    await joinStation(station, path.join(folder, 'a2'))
    await untilFinished(station, id, 60_000)
  })

  after(async () => {
    await endAllProcesses()
    await web.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const hitsOf = (host: number): Hit[] => web.hits().filter(({ url }) => isOn(web, host, url))
  const pagesOf = (host: number): Hit[] =>
    hitsOf(host).filter(({ path: asked }) => asked !== '/robots.txt')

  test('Robots via worker: the coordinator asks no site, and each robots.txt is fetched once', () => {
    assert.equal(hitsBeforeAgents, 0)
    for (const host of Object.values(HOST)) {
      const robots = hitsOf(host).filter(({ path: asked }) => asked === '/robots.txt')
      assert.equal(robots.length, 1, `robots.txt of host ${host}`)
    }
  })

  test('Disallow for bot and `*`: what either forbids is never asked for, the rest is', () => {
    for (const host of [HOST.closedToAll, HOST.closedToUs]) {
      const asked = pagesOf(host).map((hit) => hit.path)
      assert.deepEqual(
        asked.filter((page) => FORBIDDEN.test(page)),
        [],
      )
      assert.equal(new Set(asked).size, PAGES - 2)
    }
  })

  test('Crawl delay: two agents together come no sooner than robots.txt asks', () => {
    const early = judgeHits(pagesOf(HOST.delayed)).violations({
      delayMs: CRAWL_DELAY_MS,
      per: 'host',
    })
    assert.deepEqual(early, [])
    assert.equal(pagesOf(HOST.delayed).length, PAGES)
  })

  test('Robots grouping: a delayed host gets one thread while other hosts get several', () => {
    assert.equal(judgeHits(hitsOf(HOST.delayed)).concurrencyMax('host'), 1)
    assert.ok(judgeHits(hitsOf(HOST.healthy)).concurrencyMax('host') > 1)
  })

  test('Local threshold: no site has more in flight than the collection allows', () => {
    for (const host of Object.values(HOST)) {
      assert.ok(judgeHits(hitsOf(host)).concurrencyMax('host') <= IN_FLIGHT_MAX)
    }
  })

  test('Adaptive site maximum: a site that answers 503 is asked one by one, and ever more rarely', () => {
    const pages = pagesOf(HOST.overloaded).toSorted((a, b) => a.t - b.t)
    const complained = pages.find(({ status }) => status === 503)!
    // What was in the air when the first complaint came is no fault, and a slow machine shows it late.
    const since = pages.filter(({ t }) => t > complained.end!)
    const inTheAir = since.filter(({ t }) => t < complained.end! + 1_990 * MS)
    assert.ok(inTheAir.length < IN_FLIGHT_MAX, 'the first pause is two seconds')
    const later = since.slice(inTheAir.length)
    assert.ok(later.length >= PAGES - IN_FLIGHT_MAX)
    assert.equal(judgeHits(later).concurrencyMax('host'), 1)
    const captured = pages.filter(({ status }) => status === 200)
    assert.equal(new Set(captured.map(({ url }) => url)).size, PAGES)
  })
})

const WEB = {
  hosts: Object.keys(HOST).length,
  pagesPerHost: PAGES,
  linksPerPage: 6,
  firstAddress: '127.0.81.1',
  behaviours: [
    // Slow enough that requests in flight meet.
    { kind: 'slow' as const, firstByteMs: 40, on: [HOST.healthy, HOST.overloaded] },
    {
      kind: 'robots' as const,
      robots: { is: 'rules' as const, crawlDelaySeconds: CRAWL_DELAY_MS / MS },
      on: [HOST.delayed],
    },
    {
      kind: 'robots' as const,
      robots: { is: 'rules' as const, disallow: ['/p/3$', '/p/4$'] },
      on: [HOST.closedToAll],
    },
    {
      kind: 'robots' as const,
      robots: { is: 'rules' as const, agent: 'MingaBot', disallow: ['/p/3$', '/p/4$'] },
      on: [HOST.closedToUs],
    },
    { kind: 'throttled' as const, status: 503 as const, times: 2, on: [HOST.overloaded] },
  ],
}

function isOn(web: FakeWebProcess, host: number, url: string): boolean {
  return url.startsWith(`${web.origin(host)}/`)
}

async function collect(station: Station, web: FakeWebProcess): Promise<number> {
  const seeds = Object.values(HOST).flatMap((host) =>
    Array.from({ length: PAGES }, (_, page) => `${web.origin(host)}/p/${page}`),
  )
  const request = { seeds, scope: 'page', delayMs: 0, inFlightPerHost: IN_FLIGHT_MAX, retries: 5 }
  return (await callStation<CollectionStatus>(station, ['POST', '/collections'], request)).id
}
