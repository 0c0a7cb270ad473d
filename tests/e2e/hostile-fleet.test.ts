// Goal: where three in ten devices lie in pairs of different owners and networks, and come back with new keys when they
// are stopped, less than one in a thousand results of volunteers is a forgery that a client was given as verified.
// Method: a real station in real time, called over HTTP from an address for each device, and clients' results as they
// are delivered. `packages/fleet/src/trust/simulate.test.ts` measures the same on the rules alone. MINGA_LONG=1 sends
// enough results for volunteers to be proven, and for a pair that lies only after that.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BatchView, ResultLine } from '@minga/protocol'
import { endAllProcesses, seededRandom } from '@minga/testkit'
import { closeConnections, Fleet, HONEST, Pair, type Character } from './lying-fleet.ts'
import { callStation, startStation, type Station } from './station-process.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const SEED = Number(process.env['MINGA_SEED'] ?? 18)
/** The pair that wakes late passes some forgeries before it is caught, however many results there are in all. */
const PAGES = LONG ? 250_000 : 600
const HOSTS = LONG ? 1_000 : 40
/** The share of the work after which the last pair begins to lie. */
const WAKES_AT = 0.6
const BATCH = LONG ? 2_000 : 200
const BATCHES_AT_ONCE = 3
/** A result of a device that was stopped waits a minute for an audit that no device does: a short run leaves it. */
const LEFT_OPEN_SHARE = LONG ? 0 : 0.2
const FORGED_SHARE_MAX = 0.001
const LOOK_EVERY_MS = 500
const PATIENCE_MS = LONG ? 3_600_000 : 90_000
/** Between two blocks of the station's own devices: most of what is to be done is left to volunteers. */
const AUDITOR_RESTS_MS = 20

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-hostile-fleet-'))
after(async () => {
  closeConnections()
  await endAllProcesses()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** Fourteen honest devices and three pairs, as in the simulation; the last pair lies only when it is long proven. */
function characters(): Character[] {
  const liars = [0.05, 0.3, 0.3].flatMap((lieRate, n): Character[] => {
    const pair = new Pair('abc'[n]!)
    const liar = { lieRate, pair, wakesAt: n === 2 ? WAKES_AT : 0 }
    return [liar, liar]
  })
  return [...Array.from({ length: 14 }, () => HONEST), ...liars]
}

/** Wilson's interval of a share at 95 %; it holds where the share is near zero, too. */
function interval(hits: number, of: number): { low: number; high: number } {
  const z2 = 1.96 ** 2
  const centre = (hits + z2 / 2) / (of + z2)
  const half = (1.96 / (of + z2)) * Math.sqrt((hits * (of - hits)) / of + z2 / 4)
  return { low: Math.max(0, centre - half), high: centre + half }
}

const percent = (share: number): string => `${(100 * share).toFixed(4)} %`

test('Distrust probes: of what pairs of liars send over HTTP, less than one in a thousand is delivered as verified', async (t) => {
  t.diagnostic(`MINGA_SEED=${SEED}`)
  const station = await startStation(folder)
  await callStation(station, ['PATCH', '/settings'], { delayMs: 0 })
  const fleet = new Fleet(station, seededRandom(SEED))
  const volunteers = await Promise.all(characters().map((character) => fleet.enlist(character)))
  const working = volunteers.map((work) => work())
  working.push(fleet.auditor(AUDITOR_RESTS_MS), fleet.auditor(AUDITOR_RESTS_MS))
  const began = performance.now()
  const delivered = await Promise.race([
    collect(station, fleet),
    Promise.all(working).then(() => assert.fail('all devices were stopped')),
  ])
  const tookS = (performance.now() - began) / 1_000
  fleet.over.abort()
  await Promise.all(working)
  const before = delivered.slice(0, Math.floor(WAKES_AT * PAGES))
  const early = report(t, { fleet, delivered: before, what: 'before the last pair lies' })
  const all = report(t, { fleet, delivered, what: `in ${tookS.toFixed(0)} s` })
  t.diagnostic(`${fleet.lies.size} different lies sent, ${fleet.stopped} devices stopped`)
  assert.ok(fleet.lies.size > 0, 'no device forged a result')
  assert.ok(early < FORGED_SHARE_MAX)
  assert.ok(all < FORGED_SHARE_MAX)
})

/** The share of volunteers' results that are forgeries and were delivered as verified. */
function report(
  t: TestContext,
  { fleet, delivered, what }: { fleet: Fleet; delivered: readonly ResultLine[]; what: string },
): number {
  const results = delivered.filter(({ url }) => fleet.answered.has(url))
  const verified = results.filter((line) => line.verified)
  const forged = verified.filter(({ digest }) => digest !== null && fleet.lies.has(digest)).length
  const { low, high } = interval(forged, results.length)
  t.diagnostic(`${results.length} results ${what}, ${verified.length} of them verified`)
  t.diagnostic(
    `accepted forgeries: ${forged}, ${percent(forged / results.length)} of results (95 %: ${percent(low)} to ${percent(high)})`,
  )
  return forged / results.length
}

/** All results, as the client got them. Batches overlap: the last results of each wait for second opinions. */
async function collect(station: Station, fleet: Fleet): Promise<ResultLine[]> {
  const delivered: ResultLine[] = []
  const firsts = Array.from({ length: Math.ceil(PAGES / BATCH) }, (_, n) => n * BATCH).values()
  const submit = async (): Promise<void> => {
    for (const first of firsts) {
      const length = Math.min(BATCH, PAGES - first)
      const urls = Array.from({ length }, (_, n) => urlOf(first + n))
      delivered.push(...(await resultsOf(station, urls)))
      fleet.progress = delivered.length / PAGES
    }
  }
  await Promise.all(Array.from({ length: BATCHES_AT_ONCE }, submit))
  return delivered
}

async function resultsOf(station: Station, urls: string[]): Promise<ResultLine[]> {
  const batch = { urls, maxAgeS: 0 }
  const { id } = await callStation<BatchView>(station, ['POST', '/batches'], batch)
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += LOOK_EVERY_MS) {
    const { open } = await callStation<BatchView>(station, ['GET', `/batches/${id}`])
    if (open <= LEFT_OPEN_SHARE * urls.length) return linesOf(station, id)
    await sleep(LOOK_EVERY_MS)
  }
  assert.fail(`a batch is not done within ${PATIENCE_MS / 1_000} s`)
}

/** Letters, because patterns of a site differ by the parts of their path that are no numbers. */
function urlOf(n: number): string {
  const host = n % HOSTS
  const page = Math.floor(n / HOSTS).toString(26)
  const letters = page.replaceAll(/./g, (digit) =>
    String.fromCodePoint(97 + Number.parseInt(digit, 26)),
  )
  return `http://127.200.${host >> 8}.${host & 255}/${letters}`
}

async function linesOf({ url, apiKey }: Station, id: string): Promise<ResultLine[]> {
  const headers = { authorization: `Bearer ${apiKey}` }
  const lines: ResultLine[] = []
  for (let last = 0; ; last = lines.at(-1)!.no) {
    const response = await fetch(`${url}/api/batches/${id}/results?after=${last}&limit=1000`, {
      headers,
    })
    assert.equal(response.status, 200)
    const texts = (await response.text()).split('\n').filter(Boolean)
    if (texts.length === 0) return lines
    lines.push(...texts.map((text) => JSON.parse(text) as ResultLine))
  }
}
