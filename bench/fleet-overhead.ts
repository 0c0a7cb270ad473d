/**
 * What does the detour over a coordinator cost? Real agents against one
 * program that fetches the same list directly, on its three kinds of lists, made small.
 */
import { join } from 'node:path'
import { systemClock } from '@minga/protocol'
import type { Behaviour, Child, FakeWebSpec } from '@minga/testkit'
import { startBenchWeb, type BenchWeb } from './bench-web.ts'
import { TABLE_5_1 } from './fleet-internals.ts'
import { fetchDirectly } from './fleet-process.ts'
import { requireCaptured, startMinga, startStation, type BenchStation } from './fleet-station.ts'

export interface DataSet {
  name: string
  what: string
  spec: FakeWebSpec
  delayMs: number
  /** Requests in flight of the direct loop. */
  inFlight: number
}

export const AGENT_COUNTS = [1, 2, 4]

/** Requests per second of the direct loop and by number of agents. */
export interface OverheadRun {
  direct: number
  minga: number[]
}

const DELAY_MS = 100
const D1_URLS = 100
const COUNTRIES = TABLE_5_1.length
/** The table's seconds would take an afternoon. */
const TIMES_FASTER = 20
const LANES = 64
const BYTES_PER_PAGE = 10_000

export function dataSets(hosts: number): DataSet[] {
  const perCountry = Math.max(1, Math.round(hosts / COUNTRIES))
  const web = { pagesPerHost: 1, bytesPerPage: BYTES_PER_PAGE }
  return [
    {
      name: 'D1',
      what: `one host, ${D1_URLS} URLs, ${DELAY_MS} ms apart`,
      spec: { ...web, hosts: 1, pagesPerHost: D1_URLS },
      delayMs: DELAY_MS,
      inFlight: 1,
    },
    { name: 'D2', what: `${hosts} hosts`, spec: { ...web, hosts }, delayMs: 0, inFlight: LANES },
    {
      name: 'D3',
      what: `${COUNTRIES} countries × ${perCountry} hosts`,
      spec: { ...web, hosts: COUNTRIES * perCountry, behaviours: slownessOf(perCountry) },
      delayMs: 0,
      inFlight: LANES,
    },
  ]
}

/** As in table 5.1 of docs/experiments-fleet.md. */
function slownessOf(perCountry: number): Behaviour[] {
  return TABLE_5_1.map(({ meanS }, country) => ({
    kind: 'slow',
    firstByteMs: Math.round((1000 * meanS[0]!) / TIMES_FASTER),
    on: Array.from({ length: perCountry }, (_, i) => i * COUNTRIES + country),
  }))
}

export async function overheadRun(dataSet: DataSet): Promise<OverheadRun> {
  const web = await startBenchWeb(dataSet.spec)
  try {
    const urls = urlsOf(web)
    const { inFlight, delayMs } = dataSet
    const order = { urls, inFlight, delayMs }
    // Uncounted: pages are made when first asked for, and kept.
    if (delayMs === 0) await fetchDirectly(order)
    const { seconds } = await fetchDirectly(order)
    const minga: number[] = []
    for (const agents of AGENT_COUNTS) {
      minga.push(urls.length / (await secondsWith(agents, { urls, delayMs })))
    }
    return { direct: urls.length / seconds, minga }
  } finally {
    await web.stop()
  }
}

function urlsOf({ seed, spec }: BenchWeb): string[] {
  const { port } = new URL(seed)
  const { hosts, pagesPerHost = 1 } = spec
  return Array.from({ length: hosts * pagesPerHost }, (_, i) => {
    const host = i % hosts
    const address = `127.0.${8 + Math.floor(host / 254)}.${(host % 254) + 1}`
    return `http://${address}:${port}/p/${Math.floor(i / hosts)}`
  })
}

const AGENT_STOP_MS = 30_000

/** A new station each time: one that knows the hosts' robots.txt already would win. */
async function secondsWith(
  count: number,
  { urls, delayMs }: { urls: readonly string[]; delayMs: number },
): Promise<number> {
  const station = await startStation(delayMs)
  const agents = await Promise.all(Array.from({ length: count }, (_, i) => joinStation(station, i)))
  try {
    await allConnected(station, count)
    const { id } = await station.submit(urls)
    const { createdAt, endedAt } = await station.ended(id)
    requireCaptured(await station.results(id), urls.length)
    return (endedAt! - createdAt) / 1000
  } finally {
    for (const agent of agents) agent.signal('SIGTERM')
    for (const agent of agents) await agent.waitExit(AGENT_STOP_MS)
    for (const agent of agents) agent.killTree()
    await station.stop()
  }
}

function joinStation({ url, joinToken, folder }: BenchStation, i: number): Promise<Child> {
  const place = ['--token', joinToken, '--data', join(folder, `agent-${i}`)]
  return startMinga(['agent', 'join', url, ...place, '--allow-private-addresses'])
}

const CONNECT_TRIES = 600
const CONNECT_EVERY_MS = 50
/** A connected agent's first question is on its way. */
const SETTLE_MS = 300

async function allConnected(station: BenchStation, count: number): Promise<void> {
  for (let tries = 0; tries < CONNECT_TRIES; tries++) {
    const devices = await station.get<{ isConnected: boolean }[]>('/devices')
    if (devices.filter(({ isConnected }) => isConnected).length === count) {
      return systemClock.sleep(SETTLE_MS)
    }
    await systemClock.sleep(CONNECT_EVERY_MS)
  }
  throw new Error(`${count} agents did not all connect.`)
}
