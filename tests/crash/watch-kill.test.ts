// Goal: whatever dies or stands still, every visit of a round is noted exactly once, every change is
// found once, a harvest ends once, and no site is asked before its time. Method: `minga up` as real
// processes with kills and pauses at named points, on a web that changes between rounds; judged by
// that web's own log and by the tables. Pauses take the time of a lease: with MINGA_LONG=1.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { VersionView, WatchRequest } from '@minga/protocol'
import { faultsEnv, killAt, pauseAt, type Child, type FaultPointName } from '@minga/testkit'
import { startChangingWeb, type ChangingWeb } from '../changing-web.ts'
import { LONG, newFolder, startMinga } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES, openTables, type Tables } from './databases.ts'

const HOSTS = 8
const PER_HOST = 5
const PAGES = HOSTS * PER_HOST
const SITE_PAGES = 6
const ROUNDS = LONG ? 3 : 2
const SITE_HOST = '127.0.73.200'
const DELAY_MS = 40
const MONTH_MS = 30 * 86_400_000
const PATIENCE_MS = 120_000
/** Longer than the silence after which a lease ends. */
const PAUSE_MS = 12_000

const hostOf = (index: number): string => `127.0.73.${index + 1}`
const PLACES = ['harbour', 'school', 'market', 'theatre', 'bridge', 'library', 'station', 'museum']

/** What every page shows is a matter of how often it has changed. */
class Town {
  readonly #versions = new Map<string, number>()
  readonly web: ChangingWeb

  constructor(web: ChangingWeb) {
    this.web = web
    web.show = (host, asked) => this.#page(host, asked)
  }

  urls(): string[] {
    return Array.from({ length: PAGES }, (_, i) => this.url(hostOf(i % HOSTS), `/p/${i}`))
  }

  url(host: string, asked = '/'): string {
    return `http://${host}:${this.web.port}${asked}`
  }

  change(url: string): void {
    this.#versions.set(url, (this.#versions.get(url) ?? 0) + 1)
  }

  #page(host: string, asked: string): { body: string; etag: string } | undefined {
    if (asked === '/robots.txt') return undefined
    const url = this.url(host, asked)
    const version = this.#versions.get(url) ?? 0
    const links = host === SITE_HOST && asked === '/' ? siteLinks() : ''
    const place = PLACES[version % PLACES.length]!
    const body = `<title>Notices</title><h1>Notices</h1><p>The town office is open on weekdays and
      answers letters within a week of their arrival.</p><p>Notice ${version} of ${asked}: the works at
      the ${place} enter their stage ${version * 7 + 1}, says the mayor of the ${place}.</p>${links}`
    return { body, etag: `"${version}"` }
  }
}

const siteLinks = (): string =>
  Array.from({ length: SITE_PAGES - 1 }, (_, i) => `<a href="/s/${i}">${i}</a>`).join(' ')

interface Scene {
  town: Town
  data: string
  up: Child
  postgres?: string
}

async function openScene(faults: string[], postgres?: string): Promise<Scene> {
  const web = await startChangingWeb(() => undefined)
  after(() => web.close())
  const data = newFolder()
  const state = postgres === undefined ? [] : ['--postgres', postgres]
  const up = await startMinga(
    ['up', '--data', data, '--port', '0', '--allow-private-addresses', ...state],
    faultsEnv(faults, path.join(data, 'faults')),
  )
  await up.waitOutput(/Minga is up/, PATIENCE_MS)
  const scene = { town: new Town(web), data, up }
  return postgres === undefined ? scene : { ...scene, postgres }
}

/** Asks until the coordinator is there to answer. */
async function call<T>({ data }: Scene, route: string, body?: object): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      const file = fs.readFileSync(path.join(data, 'station.json'), 'utf8')
      const { url, apiKey } = JSON.parse(file) as { url: string; apiKey: string }
      const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
      const post = { method: 'POST', headers, body: JSON.stringify(body) }
      const signal = AbortSignal.timeout(PAUSE_MS + 5_000)
      const answer = await fetch(`${url}/api${route}`, { ...(body ? post : { headers }), signal })
      const said = (await answer.json()) as T
      assert.ok(answer.ok, JSON.stringify(said))
      return said
    } catch (error) {
      if (error instanceof assert.AssertionError || tries > 300) throw error
      await sleep(200)
    }
  }
}

interface Round {
  startedAt: number
  visited: number
  changed: number
  failed: number
  left: number
}

/** Everything is due; answers when nothing of it is left. */
async function round(scene: Scene): Promise<Round> {
  const { startedAt } = await call<Round>(scene, '/watches/run', {})
  for (let looks = 0; looks < PATIENCE_MS / 200; looks++) {
    const now = await call<Round>(scene, `/watches/run?startedAt=${startedAt}`)
    if (now.left === 0) return { ...now, startedAt }
    await sleep(200)
  }
  assert.fail(`the round does not end: ${JSON.stringify(await left(scene))}`)
}

async function left(scene: Scene): Promise<unknown[]> {
  const tables = await openTables(scene)
  try {
    return [
      await tables.all('SELECT url, next_visit_at, out_since FROM forecasts WHERE out_since > 0'),
      await tables.all('SELECT * FROM versions'),
      await tables.all('SELECT id, state, queued, leased FROM collections'),
    ]
  } finally {
    await tables.close()
  }
}

interface Watched {
  list: number
  site: number
}

async function watch(scene: Scene): Promise<Watched> {
  const { town } = scene
  const add = async (request: WatchRequest): Promise<number> => {
    const asked = { delayMs: DELAY_MS, periodMs: MONTH_MS, ...request }
    return (await call<{ id: number }>(scene, '/watches', asked)).id
  }
  const list = await add({ subject: 'list', urls: town.urls() })
  return { list, site: await add({ subject: 'site', urls: [town.url(SITE_HOST)] }) }
}

/** Every third page, and the front page of the site. */
function changeSome({ town }: Scene, turn: number): string[] {
  const changed = [...town.urls().filter((_, i) => (i + turn) % 3 === 0), town.url(SITE_HOST)]
  for (const url of changed) town.change(url)
  return changed
}

async function assertLostNothing(faults: string[], postgres?: string): Promise<void> {
  const scene = await openScene(faults, postgres)
  const resumed = resumeStopped(scene.up)
  const watched = await watch(scene)
  const rounds = [await round(scene)]
  const changed: string[][] = [[]]
  for (let turn = 1; turn < ROUNDS; turn++) {
    changed.push(changeSome(scene, turn))
    rounds.push(await round(scene))
  }
  const versions = await call<VersionView[]>(scene, `/watches/${watched.site}/versions`)
  scene.up.signal('SIGTERM')
  assert.equal((await scene.up.waitExit(60_000)).code, 0, scene.up.stderr())
  resumed.abort()
  for (const fault of faults) assert.ok(scene.up.stderr().includes(`fault: ${fault}`), fault)
  assertVersions(versions)
  assertPolite(scene)
  const tables = await openTables(scene)
  try {
    for (const [i, one] of rounds.entries()) await assertRound(tables, one, changed[i]!)
    await assertAtRest(tables, changed.flat())
  } finally {
    await tables.close()
  }
}

/** A stopped process wakes after its lease has ended. */
function resumeStopped(up: Child): AbortController {
  const ended = new AbortController()
  void (async () => {
    const seen = new Set<string>()
    while (!ended.signal.aborted && up.exit() === undefined) {
      for (const [, pid] of up.stderr().matchAll(/fault: pause@\S+ in process (\d+)/g)) {
        if (seen.has(pid!)) continue
        seen.add(pid!)
        await sleep(PAUSE_MS)
        process.kill(Number(pid), 'SIGCONT')
      }
      await sleep(100)
    }
  })()
  return ended
}

/** As many visits as there are pages, and none of them missing: each was noted once. */
async function assertRound(tables: Tables, one: Round, changed: string[]): Promise<void> {
  const { startedAt, visited, failed } = one
  assert.deepEqual([visited, failed, one.changed], [PAGES + 1, 0, changed.length])
  const first = `SELECT MIN(id) FROM visits WHERE at >= ${startedAt} GROUP BY collection_id, host_id, hash`
  const visits = await tables.all<{ url: string; outcome: string }>(
    `SELECT f.url, v.outcome FROM visits v JOIN forecasts f
       ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash
     WHERE v.id IN (${first})`,
  )
  assert.equal(visits.length, PAGES + 1, 'every page was visited in the round')
  const found = visits.filter(({ outcome }) => outcome === 'changed').map(({ url }) => url)
  assert.deepEqual(found.toSorted(), changed.toSorted())
}

/** All rounds together: each change found once, each capture noted once, nothing under way. */
async function assertAtRest(tables: Tables, changed: string[]): Promise<void> {
  const one = async (text: string): Promise<number> =>
    (await tables.all<{ n: number }>(text))[0]?.n ?? 0
  const visits = `SELECT COUNT(*) AS n FROM visits`
  assert.equal(await one(`${visits} WHERE outcome = 'changed'`), changed.length)
  assert.equal(await one(`${visits} WHERE outcome = 'first'`), PAGES + 1)
  const again = await tables.all(
    `SELECT capture_id, COUNT(*) AS n FROM visits GROUP BY capture_id HAVING COUNT(*) > 1`,
  )
  assert.deepEqual(again, [], 'no capture was noted twice')
  assert.equal(await one('SELECT COUNT(*) AS n FROM forecasts WHERE out_since IS NOT NULL'), 0)
  assert.equal(await one('SELECT COUNT(*) AS n FROM visit_chains'), 0)
  assert.equal(await one('SELECT SUM(queued + leased) AS n FROM collections'), 0)
  const sums = await one('SELECT SUM(visits) AS n FROM forecasts')
  assert.equal(sums, await one(visits), 'what forecasts count is what was noted')
}

/** Once for the new site, and once for each time its front page changed. */
function assertVersions(versions: VersionView[]): void {
  assert.deepEqual(
    versions.map(({ number, state, documents }) => [number, state, documents]),
    Array.from({ length: ROUNDS }, (_, i) => [ROUNDS - i, 'complete', SITE_PAGES]),
  )
}

function assertPolite({ town }: Scene): void {
  const judge = town.web.judge()
  for (const per of ['host', 'address'] as const) {
    const early = judge.violations({ delayMs: DELAY_MS, per })
    assert.deepEqual(early.slice(0, 3), [], `${early.length} contacts before the ${per}'s clock`)
    assert.equal(judge.concurrencyMax(per), 1, `requests at a time per ${per}`)
  }
}

/** At these a round is under way in the coordinator, in the agent, or between the two. */
const POINTS: [point: FaultPointName, passage: number][] = [
  ['watch:due-queued', 1],
  ['watch:visits-noted', 2],
  ['ingest:after-append', 4],
  ['ingest:after-commit', 2],
  ['lease:after-commit', 3],
  ['agent:after-response', 9],
  ['agent:after-send', 2],
  ['watch:harvest-launched', 1],
  ['watch:harvest-ended', 1],
]

const KILLS = POINTS.map(([point, passage]) => killAt(point, { passage }))

test('rounds and harvests lose nothing and do nothing twice, killed at every named point', async () => {
  await assertLostNothing(KILLS)
})

const ONLY_LONG = !LONG && 'only with MINGA_LONG=1'

test('nor do they with PostgreSQL', { skip: NO_POSTGRES || ONLY_LONG }, async () => {
  await assertLostNothing(KILLS, await newPostgres())
})

for (const [point, passage] of POINTS) {
  test(
    `a process that stands still at ${point} for longer than its lease loses nothing of a round`,
    { skip: ONLY_LONG },
    async () => {
      await assertLostNothing([pauseAt(point, { passage })])
    },
  )
}
