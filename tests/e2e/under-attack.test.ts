// Goal: one anonymous client, one volunteer and one web page cannot stop a station, delay it or cost it a page. Method:
// real processes and one crawl, during which the three attack in turn; judged by the fake web's log, by the archive, by
// the process of the coordinator and by how long ordinary requests took. MINGA_LONG=1 attacks for a minute each.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CollectionStatus } from '@minga/protocol'
import {
  endAllProcesses,
  readProcesses,
  startFakeWebProcess,
  startProcess,
  type FakeWebProcess,
} from '@minga/testkit'
import { attackAnonymously, attackAsVolunteer } from './attackers.ts'
import { HOSTILE_PATHS, startHostilePages, type HostilePages } from './hostile-pages.ts'
import { listCaptures, MINGA } from './run-minga.ts'
import { callStation, untilFinished, type Station } from './station-process.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const ATTACK_MS = LONG ? 60_000 : 10_000
const HOSTS = 3
const DELAY_MS = 500
/** The crawl outlasts the attacks. */
const PAGES = Math.ceil((3.5 * ATTACK_MS) / DELAY_MS)
const WEB = { hosts: HOSTS, pagesPerHost: PAGES, linksPerPage: 5, firstAddress: '127.0.85.1' }
const HOSTILE_ADDRESS = '127.0.86.1'
const WAIT_MAX_MS = 1_000
/** Of all ordinary requests. */
const SERVED_SHARE = 0.99
const ASK_EVERY_MS = 50
const ROUNDS = LONG ? 10 : 1

/**
 * The tests that run next to this one must not decide how long a request waits: the station goes before them, and so
 * do those who attack it. Linux shares the processor among sessions first and among their processes then, so both
 * count. Only root may; others measure on a machine of their own.
 */
function goFirst(pid: number): void {
  try {
    os.setPriority(pid, os.constants.priority.PRIORITY_HIGHEST)
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(os.constants.priority.PRIORITY_HIGHEST))
  } catch (error) {
    if (!isRefused(error)) throw error
  }
}

/** No right to it, or a system without it. */
const isRefused = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  ['ERR_SYSTEM_ERROR', 'EACCES', 'EPERM', 'EROFS', 'ENOENT'].includes(String(error.code))

describe('a station under attack during a crawl', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-attack-'))
  let web: FakeWebProcess
  let hostile: HostilePages
  let station: Station
  let coordinator: number[]
  let id: number

  const coordinators = (): number[] =>
    readProcesses(folder).flatMap(({ role, pid }) => (role === 'coordinator' ? [pid] : []))

  before(async () => {
    goFirst(process.pid)
    web = await startFakeWebProcess(WEB)
    hostile = await startHostilePages(HOSTILE_ADDRESS, ROUNDS)
    const own = ['--data', folder, '--workers', '0', '--port', '0']
    const args = ['up', ...own, '--allow-private-addresses']
    const up = await startProcess(process.execPath, [MINGA, ...args])
    await up.waitOutput(/Minga is up/, 90_000)
    station = JSON.parse(fs.readFileSync(path.join(folder, 'station.json'), 'utf8')) as Station
    coordinator = coordinators()
    assert.equal(coordinator.length, 1)
    for (const { pid } of readProcesses(folder)) goFirst(pid)
  })

  after(async () => {
    await endAllProcesses()
    await web.close()
    hostile.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  async function startCrawl(): Promise<void> {
    const seeds = [...web.seeds, hostile.url]
    // Of the page with 60,000 links it takes no more than of others.
    const request = { seeds, scope: 'any', delayMs: DELAY_MS, maxPagesPerHost: PAGES + 1 }
    id = (await callStation<CollectionStatus>(station, ['POST', '/collections'], request)).id
  }

  async function requestMs(): Promise<number> {
    const beganMs = performance.now()
    await callStation(station, ['GET', '/collections'])
    return performance.now() - beganMs
  }

  /** How long that share of ordinary requests takes at most while something goes on; none waits for the one before. */
  async function measureWaitMs(attack: Promise<unknown>): Promise<number> {
    const requests: Promise<number>[] = []
    const timer = setInterval(() => {
      const request = requestMs()
      // Awaited below: a failure must not count as unhandled until then.
      request.catch(() => {})
      requests.push(request)
    }, ASK_EVERY_MS)
    await attack.finally(() => clearInterval(timer))
    const tookMs = await Promise.all(requests)
    assert.ok(tookMs.length > 50, `${tookMs.length} requests were made`)
    return tookMs.toSorted((a, b) => a - b)[Math.floor(tookMs.length * SERVED_SHARE)]!
  }

  async function assertServes(attack: Promise<unknown>): Promise<void> {
    const waitMs = await measureWaitMs(attack)
    assert.ok(waitMs < WAIT_MAX_MS, `${SERVED_SHARE * 100} % are served within ${waitMs} ms`)
    assert.deepEqual(coordinators(), coordinator, 'the coordinator was replaced')
  }

  test('the page: its crawl delays no ordinary request', async () => {
    await assertServes(Promise.all([startCrawl(), sleep(ATTACK_MS)]))
  })

  test('the anonymous client delays no ordinary request', async () => {
    await assertServes(attackAnonymously(station, ATTACK_MS))
  })

  test('the volunteer delays no ordinary request', async () => {
    await assertServes(attackAsVolunteer(station, ATTACK_MS))
  })

  test('the crawl captures every page of the ordinary site exactly once', async () => {
    await untilFinished(station, id, 60_000)
    assert.deepEqual(coordinators(), coordinator, 'the coordinator was replaced')
    for (const hostilePath of HOSTILE_PATHS) assert.ok(hostile.requested.has(hostilePath))
    const expected = web.expectedUrls().toSorted()
    assert.equal(expected.length, HOSTS * PAGES)
    assert.deepEqual(web.refetched(), [])
    const captures = await listCaptures(folder)
    const captured = captures.filter(({ url, status }) => url.includes('/p/') && status === 200)
    assert.deepEqual(captured.map(({ url }) => url).toSorted(), expected)
  })
})
