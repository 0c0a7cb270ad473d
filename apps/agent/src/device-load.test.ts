// Goal: the machine of a volunteer does not notice what it lends. Method: real agent processes at 16
// threads against the fake web and a station that never runs out of work; what they use is read from
// the operating system, what they have in flight from the log of the web.
import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { startFakeWeb, startProcess, type Child, type FakeWeb, type Hit } from '@minga/testkit'
import type { VolunteerLimits } from './owner/control.ts'
import type { AgentSettings } from './run.ts'
import {
  blockOf,
  hostOf,
  realMs,
  startStationServer,
  until,
  WELCOME,
  type Call,
  type Reply,
} from '../test/station/station-client-fixture.ts'

const HOSTS = 60
const PAGES = 10
const WATCHED_MS = process.env['MINGA_LONG'] === '1' ? 30_000 : 3_000
/** Station: beats, questions, uploads; and a connection that is closing here and there. */
const OTHER_SOCKETS = 12
/** Far below what it would use, also on a machine that is busy with other tests. */
const SHARE = 0.12
/** The share holds over time; in some seconds a burst that was let in at once weighs more. */
const HELD_MOST = SHARE * 1.6
const FREE_LEAST = SHARE * 1.8
/** Starting alone takes seconds of such a share on a slow machine. */
const AT_WORK_MS = 60_000
const CLOCK_TICKS_PER_SECOND = 100

/** Work without end: each answer contains every host again. */
function endlessStation(web: FakeWeb): (call: Call) => Reply {
  let fence = 0
  const answers: Record<string, Reply> = {
    enrol: { json: { device: 'dev_1' } },
    challenge: { json: { nonce: 'a-nonce' } },
    hello: { json: WELCOME },
    beat: { json: { ended: [] } },
    results: { json: { accepted: 1, stale: 0 } },
  }
  return ({ name }) => {
    if (name !== 'ask') return answers[name] ?? { json: {} }
    fence++
    const hosts = Array.from({ length: HOSTS }, (_, host) => {
      const origin = web.origin(host)
      const urls = Array.from({ length: PAGES }, (_page, page) => `${origin}/p/${page}`)
      return hostOf(urls, { hostId: host + 1, address: new URL(origin).hostname })
    })
    return { json: { block: blockOf(fence, hosts), waitMs: 0 } }
  }
}

async function startAgentProcess(
  t: TestContext,
  stationUrl: string,
  limits: Partial<VolunteerLimits>,
): Promise<Child> {
  const data = mkdtempSync(join(tmpdir(), 'minga-load-'))
  const settings: AgentSettings = {
    stationUrl,
    token: 'a-token',
    data,
    concurrency: 16,
    allowPrivateAddresses: true,
    volunteer: { limits: { pauseOnBattery: false, pauseOnMetered: false, ...limits } },
  }
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const env = { MINGA_AGENT: JSON.stringify(settings) }
  const child = await startProcess(process.execPath, [main], { env })
  t.after(() => {
    child.killTree()
    rmSync(data, { recursive: true, force: true })
  })
  return child
}

function cpuSeconds(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / CLOCK_TICKS_PER_SECOND
}

function socketsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).filter((fd) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`).startsWith('socket:')
    } catch {
      // Closed while we looked.
      return false
    }
  }).length
}

function inFlightMax(hits: Hit[]): number {
  const turns = hits.flatMap(({ t: at, end }) => [
    { at, change: 1 },
    { at: end ?? Infinity, change: -1 },
  ])
  let [inFlight, most] = [0, 0]
  for (const { change } of turns.toSorted((a, b) => a.at - b.at || a.change - b.change)) {
    inFlight += change
    most = Math.max(most, inFlight)
  }
  return most
}

async function watch(t: TestContext, limits: Partial<VolunteerLimits>) {
  const web = await startFakeWeb({
    hosts: HOSTS,
    pagesPerHost: PAGES,
    behaviours: [{ kind: 'slow', firstByteMs: 5 }],
  })
  t.after(() => web.close())
  const server = await startStationServer(t, endlessStation(web))
  const child = await startAgentProcess(t, server.url, { concurrencyMax: 16, ...limits })
  await until(() => web.hits().length > 20, 'it is at work', AT_WORK_MS)
  // What starting cost is over by then.
  await realMs(1_000)
  const [fromS, fromMs, fromHits] = [cpuSeconds(child.pid), performance.now(), web.hits().length]
  let socketsMax = 0
  while (performance.now() - fromMs < WATCHED_MS) {
    await realMs(100)
    socketsMax = Math.max(socketsMax, socketsOf(child.pid))
  }
  const seconds = (performance.now() - fromMs) / 1_000
  const cpuShare = (cpuSeconds(child.pid) - fromS) / seconds
  const perSecond = (web.hits().length - fromHits) / seconds
  child.signal('SIGTERM')
  const exit = await child.waitExit(20_000)
  assert.equal(exit.code, 0, child.stderr())
  return { cpuShare, perSecond, socketsMax, inFlight: inFlightMax(web.hits()) }
}

const hasProc = process.platform === 'linux'

test(
  'Device not overloaded: at 16 threads an agent stays within its share of the processor and its sockets',
  { skip: !hasProc && 'there is no /proc here' },
  async (t) => {
    const free = await watch(t, { cpuShare: null })
    const held = await watch(t, { cpuShare: SHARE })
    t.diagnostic(JSON.stringify({ free, held }))
    assert.ok(free.cpuShare > FREE_LEAST, `it is the limit that holds it: ${free.cpuShare} without`)
    assert.ok(held.cpuShare <= HELD_MOST, `${held.cpuShare} of a processor`)
    assert.ok(held.perSecond > 1, 'it still works')
    for (const { inFlight, socketsMax } of [free, held]) {
      assert.ok(inFlight <= 16, `${inFlight} in flight`)
      assert.ok(socketsMax <= 16 + 16 + OTHER_SOCKETS, `${socketsMax} sockets`)
    }
    assert.ok(free.inFlight > 8, 'all of its threads are used')
  },
)
