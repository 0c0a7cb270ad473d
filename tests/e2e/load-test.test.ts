// Goal: a site is load-tested by who controls it and by nobody else, within its ceilings, and left
// alone by ordinary work meanwhile; whatever dies, the visitors stop. Method: a coordinator and two
// agents as processes, a site of our own that slows down beyond twelve at once, judged by its log.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { endAllProcesses, startProcess, type Child } from '@minga/testkit'
import { MINGA } from './run-minga.ts'

const KNEE = 12
const BASE_MS = 100
const STRAIN_MS = 100
const ADDRESS = '127.0.83.1'
const PROOF = '/.well-known/minga-proof.txt'

interface SiteHit {
  atMs: number
  path: string
  inFlight: number
}

/** Answers in a tenth of a second up to twelve at once, and slower with everybody more. */
class Site {
  readonly hits: SiteHit[] = []
  proof: string | null = null
  #inFlight = 0
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response))
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, ADDRESS, resolve))
  }

  get host(): string {
    return `${ADDRESS}:${(this.#server.address() as { port: number }).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer({ url = '' }: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#inFlight++
    this.hits.push({ atMs: performance.now(), path: url, inFlight: this.#inFlight })
    response.once('close', () => this.#inFlight--)
    if (url === PROOF) return void response.end(this.proof ?? 'nothing')
    if (url === '/robots.txt') return void response.writeHead(404).end()
    await sleep(BASE_MS + Math.max(0, this.#inFlight - KNEE) * STRAIN_MS)
    response.end('<p>A page of the site.</p>')
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

interface TestView {
  id: string
  state: string
  reason: string | null
  proof: { file: { path: string; content: string } } | null
  steps: { visitors: number; perSecond: number; p95Ms: number }[]
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
  const site = new Site()
  let station: Station
  let agents: Child[] = []

  before(async () => {
    await site.open()
    station = await startStation(data)
    agents = [
      await join(station, path.join(folder, 'a1')),
      await join(station, path.join(folder, 'a2')),
    ]
  })

  after(async () => {
    await endAllProcesses()
    site.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })

  const plan = (more: object = {}): object => ({
    urls: [`http://${site.host}/load/a`, `http://${site.host}/load/b`],
    visitorsMax: 40,
    stepS: 3,
    thinkMs: 100,
    bears: { p95Ms: 350 },
    ceilings: { requestsPerSecond: 150, p95Ms: 10_000 },
    ...more,
  })
  const made = async (more?: object): Promise<TestView> =>
    (await call<TestView>(station, '/load-tests', plan(more))).body
  const start = (id: string): Promise<Said<TestView & Refusal>> =>
    call(station, `/load-tests/${id}/start`, {})
  const started = async (id: string): Promise<void> => {
    const { status, body } = await start(id)
    assert.equal(status, 200, JSON.stringify(body))
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
    const unproven = await made()
    assert.equal(unproven.state, 'unproven')
    assert.equal(unproven.proof!.file.path, PROOF)
    const said = await start(unproven.id)
    assert.deepEqual([said.status, said.body.error.code], [403, 'MINGA_LOAD_TEST_UNPROVEN'])
    assert.deepEqual(site.loadHits(), [])
    assert.ok(
      site.hits.some(({ path: page }) => page === PROOF),
      'the file was looked for',
    )
  })

  test('Verified load test: with the proof it measures how many visitors the site bears, within its ceilings', async () => {
    // More pages than a slow machine could fetch before the test begins.
    const work = await call<{ id: number }>(station, '/collections', {
      seeds: Array.from({ length: 2_000 }, (_, i) => `http://${site.host}/page/${i}`),
      scope: 'page',
      delayMs: 200,
    })
    const { id, proof } = await made()
    site.proof = `something else\n${proof!.file.content}\n`
    await started(id)
    await until(id, ({ state }) => state === 'running')
    const ended = await until(id, ({ state }) => state !== 'running')
    const report = (await call<Report>(station, `/load-tests/${id}/report`)).body
    assert.deepEqual([ended.state, ended.reason], ['finished', null])
    assertCapacity(report)
    assert.deepEqual(report.machines, { asked: 2, joined: 2, lost: 0 })
    const text = await textReport(station, id)
    assert.match(text, /estimated to bear \d+ simultaneous visitors/)

    const load = site.loadHits()
    assert.ok(mostInASecond(load) <= 150, `${mostInASecond(load)} in one second`)
    assert.ok(Math.max(...load.map(({ inFlight }) => inFlight)) <= 40)
    // Ordinary work waited for its end and goes on afterwards.
    const [first, last] = [load[0]!.atMs, load.at(-1)!.atMs]
    const pages = site.hits.filter(({ path: page }) => page.startsWith('/page/'))
    assert.deepEqual(
      pages.filter(({ atMs }) => atMs > first && atMs < last),
      [],
    )
    for (let looks = 0; looks < 200 && site.hits.at(-1)!.atMs <= last; looks++) await sleep(100)
    const next = site.hits.find(({ atMs }) => atMs > last)!
    assert.ok(next.path.startsWith('/page/') && next.atMs - last >= 200)
    await call(station, `/collections/${work.body.id}/cancel`, {})
  })

  test('Verified load test: the abort button stops all hits within two seconds', async () => {
    const sinceMs = performance.now()
    const { id } = await made({ visitorsMax: 8, stepS: 5 })
    await started(id)
    await until(id, ({ live }) => (live?.visitors ?? 0) >= 2)
    const other = await made()
    const busy = await start(other.id)
    assert.deepEqual([busy.status, busy.body.error?.code], [409, 'MINGA_LOAD_TEST_BUSY'])
    const events = asked(station, `/load-tests/${id}/events`).then((response) => response.text())
    await sleep(1_500)
    const abortedAtMs = performance.now()
    await call(station, `/load-tests/${id}/abort`, {})
    const ended = await until(id, ({ state }) => state === 'aborted')
    assert.match(ended.reason!, /asked to stop/)
    const names = [...(await events).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name)
    assert.ok(names.length >= 2 && names[0] === 'progress' && names.at(-1) === 'end')
    await sleep(2_500)
    const late = site.loadHits(sinceMs).filter(({ atMs }) => atMs > abortedAtMs + 2_000)
    assert.deepEqual(late, [])
  })

  test('Verified load test: when the proof file has vanished, a proven site cannot be tested any more', async () => {
    const { id, state } = await made()
    assert.equal(state, 'ready')
    const kept = site.proof
    site.proof = null
    const sinceMs = performance.now()
    const said = await start(id)
    site.proof = kept
    assert.deepEqual([said.status, said.body.error?.code], [403, 'MINGA_LOAD_TEST_UNPROVEN'])
    await sleep(1_500)
    assert.deepEqual(site.loadHits(sinceMs), [])
  })

  test('Verified load test: a killed agent is given up and the others go on with its visitors', async () => {
    const { id } = await made({ visitorsMax: 2, stepS: 8 })
    await started(id)
    await until(id, ({ live }) => (live?.visitors ?? 0) >= 2)
    agents[1]!.kill9()
    const ended = await until(id, ({ state }) => state !== 'running')
    assert.equal(ended.state, 'finished')
    const { notes, machines } = (await call<Report>(station, `/load-tests/${id}/report`)).body
    assert.equal(machines.lost, 1)
    assert.match(notes.join(), /fell silent during step \d; the others took over its visitors/)
  })

  test('Verified load test: a killed coordinator leaves no visitor at the site, and the test is aborted', async () => {
    const { id } = await made({ visitorsMax: 8, stepS: 5 })
    await started(id)
    await until(id, ({ live }) => (live?.visitors ?? 0) >= 2)
    const processes = JSON.parse(fs.readFileSync(path.join(data, 'processes.json'), 'utf8')) as {
      pid: number
      role: string
    }[]
    const killedAtMs = performance.now()
    process.kill(processes.find(({ role }) => role === 'coordinator')!.pid, 'SIGKILL')
    await sleep(9_000)
    const late = site.hits.filter(({ atMs }) => atMs > killedAtMs + 6_000)
    assert.deepEqual(
      late.filter(({ path: page }) => page.startsWith('/load/')),
      [],
    )
    // Its supervisor has started another one.
    station = readStation(data)
    const ended = await until(id, ({ state }) => state === 'aborted')
    assert.equal(ended.reason, 'The coordinator restarted.')
  })
})

function assertCapacity({ capacity, steps, says }: Report): void {
  // Twelve at once in 100 ms each, 350 ms at about fifteen: with pauses that is 18 visitors or so.
  const { visitors, low, high } = capacity
  assert.ok(visitors >= 12 && visitors <= 26, `${says} ${JSON.stringify(steps)}`)
  assert.ok(low <= visitors && (high === null || high > visitors))
  assert.ok(steps[0]!.visitors === 1 && steps[0]!.p95Ms < 350)
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
  const up = await startProcess(process.execPath, [MINGA, ...args])
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
