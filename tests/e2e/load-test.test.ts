// Goal: a site is load-tested only by those who control it, within its ceilings, and left
// alone by ordinary work meanwhile; whatever dies, the visitors stop. Method: a coordinator and two
// agents as processes, sites of our own that refuse a third request at once, judged by their logs.
// Refusals are counted, not times: a busy machine is slow, but never sends more than its visitors do.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { MINGA } from './run-minga.ts'

/** So many requests at once are answered, all others refused. */
const AT_ONCE_MAX = 2
/** Both answers and refusals take so long: visitors who never think are all in flight nearly always. */
const ANSWER_MS = 100
const CEILING_PER_SECOND = 60
/** Of ordinary work: a block of it is soon over. */
const DELAY_MS = 50
const PROOF = '/.well-known/minga-proof.txt'

interface SiteHit {
  atMs: number
  path: string
  inFlight: number
  isRefused: boolean
}

class Site {
  readonly hits: SiteHit[] = []
  proof: string | null = null
  readonly #address: string
  #inFlight = 0
  readonly #server: Server

  constructor(address: string) {
    this.#address = address
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, this.#address, resolve))
  }

  get host(): string {
    return `${this.#address}:${(this.#server.address() as { port: number }).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight++
    response.once('close', () => this.#inFlight--)
    const isRefused = url.startsWith('/load/') && this.#inFlight > AT_ONCE_MAX
    this.hits.push({ atMs: performance.now(), path: url, inFlight: this.#inFlight, isRefused })
    if (url === PROOF) return void response.end(this.proof ?? 'nothing')
    if (url === '/robots.txt') return void response.writeHead(404).end()
    if (url.startsWith('/load/')) await sleep(ANSWER_MS)
    response.writeHead(isRefused ? 503 : 200).end('<p>A page of the site.</p>')
  }

  loadHits(sinceMs = 0): SiteHit[] {
    return this.hits.filter(({ atMs, path: page }) => page.startsWith('/load/') && atMs >= sinceMs)
  }
}

interface Station {
  url: string
  joinToken: string
  apiKey: string
}

interface Step {
  visitors: number
  requests: number
  errors: Record<string, number>
  doesBear: boolean
}

interface TestView {
  id: string
  state: string
  reason: string | null
  proof: { file: { path: string; content: string } } | null
  steps: Step[]
  live: { visitors: number } | null
}

interface Report extends TestView {
  capacity: { visitors: number; low: number; high: number | null; isAtLeast: boolean }
  says: string
  notes: string[]
  machines: { asked: number; joined: number; lost: number }
}

interface Said<T> {
  status: number
  body: T
}

describe('load tests of a site', () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-load-'))
  const data = path.join(folder, 'station')
  /** One each for tests that begin: a site that was tested is left alone for a while. */
  const sites = [1, 2, 3, 4].map((no) => new Site(`127.0.83.${no}`))
  const [measured, aborted, halved, orphaned] = sites as [Site, Site, Site, Site]
  let station: Station
  let agents: Child[] = []

  before(async () => {
    for (const site of sites) await site.open()
    station = await startStation(data)
    agents = await Promise.all(['a1', 'a2'].map((name) => join(station, path.join(folder, name))))
  })

  after(async () => {
    await endAllProcesses()
    for (const site of sites) site.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  /** No time is a criterion: nothing here depends on how busy the machine is. */
  const plan = (site: Site, more: object): object => ({
    urls: [`http://${site.host}/load/a`, `http://${site.host}/load/b`],
    visitorsMax: 4,
    stepS: 3,
    thinkMs: 0,
    answerMsMax: 60_000,
    bears: { p95Ms: 60_000 },
    ceilings: { requestsPerSecond: CEILING_PER_SECOND, p95Ms: 60_000, errorRate: 1 },
    ...more,
  })
  const made = async (site: Site, more: object = {}): Promise<TestView> =>
    (await call<TestView>(station, '/load-tests', plan(site, more))).body
  const start = (id: string): Promise<Said<TestView & Refusal>> =>
    call(station, `/load-tests/${id}/start`, {})
  const started = async (site: Site, more: object = {}): Promise<string> => {
    const { id, proof } = await made(site, more)
    site.proof = `something else\n${proof!.file.content}\n`
    const { status, body } = await start(id)
    assert.equal(status, 200, JSON.stringify(body))
    return id
  }
  const view = async (id: string): Promise<TestView> =>
    (await call<TestView>(station, `/load-tests/${id}`)).body
  const until = async (id: string, isSo: (seen: TestView) => boolean): Promise<TestView> => {
    for (let looks = 0; looks < 600; looks++) {
      const seen = await view(id)
      if (isSo(seen)) return seen
      await sleep(200)
    }
    return assert.fail('it did not come to that within two minutes')
  }

  test('Verified load test: without the proof it is impossible to start, and no visitor comes', async () => {
    const unproven = await made(measured)
    assert.equal(unproven.state, 'unproven')
    assert.equal(unproven.proof!.file.path, PROOF)
    const said = await start(unproven.id)
    assert.deepEqual([said.status, said.body.error.code], [403, 'MINGA_LOAD_TEST_UNPROVEN'])
    assert.deepEqual(measured.loadHits(), [])
    assert.ok(
      measured.hits.some(({ path: page }) => page === PROOF),
      'the file was looked for',
    )
  })

  test('Verified load test: with the proof it measures how many visitors the site bears, within its ceilings', async () => {
    // More pages than a slow machine could fetch before the test begins.
    const work = await call<{ id: number }>(station, '/collections', {
      seeds: Array.from({ length: 2_000 }, (_, i) => `http://${measured.host}/page/${i}`),
      scope: 'page',
      delayMs: DELAY_MS,
    })
    const id = await started(measured)
    await until(id, ({ state }) => state === 'running')
    const ended = await until(id, ({ state }) => state !== 'running')
    const report = (await call<Report>(station, `/load-tests/${id}/report`)).body
    assert.deepEqual([ended.state, ended.reason], ['finished', null])
    assertCapacity(report, measured)
    assert.deepEqual(report.machines, { asked: 2, joined: 2, lost: 0 })
    const text = await textReport(station, id)
    assert.match(text, /estimated to bear \d+ simultaneous visitors/)

    const load = measured.loadHits()
    assert.ok(mostInASecond(load) <= CEILING_PER_SECOND, `${mostInASecond(load)} in one second`)
    assert.ok(Math.max(...load.map(({ inFlight }) => inFlight)) <= 4)
    // Ordinary work waited for its end and goes on afterwards.
    const [first, last] = [load[0]!.atMs, load.at(-1)!.atMs]
    const pages = measured.hits.filter(({ path: page }) => page.startsWith('/page/'))
    assert.deepEqual(
      pages.filter(({ atMs }) => atMs > first && atMs < last),
      [],
    )
    while (measured.hits.at(-1)!.atMs <= last) await sleep(100)
    const next = measured.hits.find(({ atMs }) => atMs > last)!
    assert.ok(next.path.startsWith('/page/') && next.atMs - last >= DELAY_MS)
    await call(station, `/collections/${work.body.id}/cancel`, {})
  })

  test('Verified load test: the abort button stops all hits within two seconds', async () => {
    const id = await started(aborted, { stepS: 300 })
    const events = asked(station, `/load-tests/${id}/events`).then((response) => response.text())
    await until(id, ({ live }) => (live?.visitors ?? 0) > 0)
    const other = await made(aborted)
    const busy = await start(other.id)
    assert.deepEqual([busy.status, busy.body.error?.code], [409, 'MINGA_LOAD_TEST_BUSY'])
    while (aborted.loadHits().length < 5) await sleep(50)
    const abortedAtMs = performance.now()
    await call(station, `/load-tests/${id}/abort`, {})
    const ended = await until(id, ({ state }) => state === 'aborted')
    assert.match(ended.reason!, /asked to stop/)
    const names = [...(await events).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
    assert.ok(names.length >= 2 && names[0] === 'progress' && names.at(-1) === 'end')
    await sleep(2_500)
    assert.deepEqual(aborted.loadHits(abortedAtMs + 2_000), [])
  })

  test('Verified load test: a killed agent is given up and the others go on with its visitors', async () => {
    // Silence is believed after six seconds: the step lasts twice as long.
    const id = await started(halved, { visitorsMax: 1, stepS: 12 })
    await until(id, ({ live }) => (live?.visitors ?? 0) > 0)
    agents[1]!.kill9()
    const ended = await until(id, ({ state }) => state === 'finished' || state === 'aborted')
    assert.equal(ended.state, 'finished')
    const { notes, machines } = (await call<Report>(station, `/load-tests/${id}/report`)).body
    assert.equal(machines.lost, 1)
    assert.match(notes.join(), /fell silent during step \d; the others took over its visitors/)
  })

  test('Verified load test: a killed coordinator leaves no visitor at the site, and the test is aborted', async () => {
    const id = await started(orphaned, { stepS: 300 })
    while (orphaned.loadHits().length === 0) await sleep(50)
    const processes = JSON.parse(fs.readFileSync(path.join(data, 'processes.json'), 'utf8')) as {
      pid: number
      role: string
    }[]
    const killedAtMs = performance.now()
    process.kill(processes.find(({ role }) => role === 'coordinator')!.pid, 'SIGKILL')
    await sleep(7_500)
    assert.deepEqual(orphaned.loadHits(killedAtMs + 6_000), [])
    // Its supervisor has started another one, or is about to.
    while (!(await isUp(readStation(data)))) await sleep(100)
    station = readStation(data)
    const ended = await until(id, ({ state }) => state === 'aborted')
    assert.equal(ended.reason, 'The coordinator restarted.')
  })
})

/** What the report concludes is what the site has seen: two visitors never met a refusal, four did. */
function assertCapacity({ capacity, steps, says }: Report, site: Site): void {
  const shown = `${says} ${JSON.stringify(steps)}`
  assert.deepEqual(
    steps.map(({ visitors }) => visitors),
    [1, 2, 4, 3],
    shown,
  )
  for (const { visitors, errors, doesBear } of steps) {
    if (visitors <= AT_ONCE_MAX) assert.deepEqual([errors, doesBear], [{}, true], shown)
  }
  const four = steps.find(({ visitors }) => visitors === 4)!
  assert.ok(four.errors['5xx']! > 0 && !four.doesBear, shown)
  assert.ok(
    steps.every(({ errors }) => Object.keys(errors).every((kind) => kind === '5xx')),
    shown,
  )
  const refused = site.loadHits().filter(({ isRefused }) => isRefused).length
  assert.ok(steps.reduce((sum, { errors }) => sum + (errors['5xx'] ?? 0), 0) <= refused, shown)
  const { visitors, low, high, isAtLeast } = capacity
  assert.ok(visitors >= AT_ONCE_MAX && visitors < 4 && !isAtLeast, shown)
  assert.ok(low <= visitors && (high === null || high > visitors), shown)
}

/** Whether a server answers there. */
async function isUp(station: Station): Promise<boolean> {
  return asked(station, '/load-tests').then(
    ({ ok }) => ok,
    () => false,
  )
}

/** In any second that begins with a hit. */
function mostInASecond(hits: readonly SiteHit[]): number {
  let most = 0
  for (let from = 0, to = 0; to < hits.length; to++) {
    while (hits[to]!.atMs - hits[from]!.atMs > 1_000) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

async function startStation(data: string): Promise<Station> {
  const args = ['up', '--data', data, '--port', '0', '--no-agent', '--allow-private-addresses']
  const up = await startProcess(process.execPath, [MINGA, ...args, '--workers', '0'])
  await up.waitOutput(/Minga is up/, 30_000)
  return readStation(data)
}

function readStation(data: string): Station {
  return JSON.parse(fs.readFileSync(path.join(data, 'station.json'), 'utf8')) as Station
}

function join({ url, joinToken }: Station, data: string): Promise<Child> {
  const args = ['agent', 'join', url, '--token', joinToken, '--data', data, '--load-tests']
  return startProcess(process.execPath, [MINGA, ...args, '--allow-private-addresses'])
}

interface Refusal {
  error: { code: string; message: string }
}

function asked({ url, apiKey }: Station, route: string, body?: object): Promise<Response> {
  return fetch(`${url}/api${route}`, {
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
  })
}

async function call<T>(station: Station, route: string, body?: object): Promise<Said<T>> {
  const response = await asked(station, route, body)
  return { status: response.status, body: (await response.json()) as T }
}

async function textReport(station: Station, id: string): Promise<string> {
  return (await asked(station, `/load-tests/${id}/report?as=text`)).text()
}
