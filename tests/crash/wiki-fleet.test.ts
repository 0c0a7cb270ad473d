// Goal: whatever dies of a station with two agents, a wiki's history ends up the same as without any
// death, its delay is kept by all of them together, and no continuation is fetched twice but after a death
// that lost its answer. Method: real processes, killed −9 at random moments and at named points; judged by
// the XML export, the check at rest and the fake wiki's own log. MINGA_LONG=1 strikes twenty times.
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import { after, test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  faultsEnv,
  judgeHits,
  killAt,
  readProcesses,
  seededRandom,
  startFakeWikiProcess,
  type Child,
  type FakeWikiProcess,
  type FaultPointName,
  type Hit,
  type WikiOperation,
} from '@minga/testkit'
import { LONG, newFolder, startMinga } from './crash-fixture.ts'

const KILLS = LONG ? 20 : 2
const SEED = Number(process.env['MINGA_SEED'] ?? 63)
const DELAY_MS = 100
const TITLES = ['Llama', 'Alpaca', 'Vicuna', 'Guanaco']
const REVISIONS = LONG ? 150 : 36
/** So few revisions an answer has that there are many continuations to be killed in. */
const LIMITS = { text: 3, list: 50 }
const PATIENCE_MS = 300_000

const newWiki = async (): Promise<FakeWikiProcess> => {
  const wiki = await startFakeWikiProcess({ history: history(), limits: LIMITS })
  after(() => wiki.close())
  return wiki
}

function history(): WikiOperation[] {
  return Array.from({ length: REVISIONS }).flatMap((_, i) =>
    TITLES.map((title): WikiOperation => {
      const text = `${title} ${i}\n${`It has ${i} words. `.repeat(1 + (i % 9))}`
      return { do: 'edit', title, text, comment: `edit ${i}` }
    }),
  )
}

/** A station without an agent of its own, two agents that joined it, and a command that waits. */
class Fleet {
  readonly agents: Child[] = []
  up: Child | null = null
  readonly #wiki: FakeWikiProcess
  readonly #folder: string
  readonly #env: Record<string, string>
  #port = 0

  constructor(wiki: FakeWikiProcess, folder: string, env: Record<string, string> = {}) {
    this.#wiki = wiki
    this.#folder = folder
    this.#env = env
  }

  get data(): string {
    return path.join(this.#folder, 'station')
  }

  /** At the same address every time, where its agents look for it. */
  async start(): Promise<void> {
    const args = ['up', '--data', this.data, '--port', String(this.#port), '--no-agent']
    this.up = await startMinga([...args, '--allow-private-addresses'], this.#env)
    await this.up.waitOutput(/Minga is up/, PATIENCE_MS)
    this.#port = Number(new URL(this.#station().url).port)
    for (const place of [0, 1]) await this.startAgent(place)
  }

  async startAgent(place: number): Promise<void> {
    const { url, joinToken } = this.#station()
    const args = ['agent', 'join', url, '--token', joinToken, '--allow-private-addresses']
    const data = path.join(this.#folder, `agent-${place}`)
    this.agents[place] = await startMinga([...args, '--data', data], this.#env)
  }

  /** The same command goes on with the same task. */
  extract(): Promise<Child> {
    const what = ['--pages', TITLES.join('|'), '--delay', String(DELAY_MS)]
    return startMinga(['wiki', 'add', this.#wiki.apiUrl, ...what, '--data', this.data, '--wait'])
  }

  killCoordinator(): boolean {
    const listed = readProcesses(this.data).find(({ role }) => role === 'coordinator')
    try {
      return listed !== undefined && process.kill(listed.pid, 'SIGKILL')
    } catch {
      return false
    }
  }

  /** All of it at once, as when the power fails. */
  killAll(): void {
    for (const child of [this.up, ...this.agents]) child?.killTree()
    // It lists children of the dead, whose numbers may soon belong to other processes.
    fs.rmSync(path.join(this.data, 'processes.json'), { force: true })
  }

  async stop(): Promise<void> {
    for (const child of this.agents) child.killTree()
    this.up?.signal('SIGTERM')
    assert.equal((await this.up?.waitExit(PATIENCE_MS))?.code, 0, this.up?.stderr())
  }

  #station(): { url: string; joinToken: string } {
    return JSON.parse(fs.readFileSync(path.join(this.data, 'station.json'), 'utf8'))
  }
}

async function ended(command: Child): Promise<void> {
  const { code } = await command.waitExit(PATIENCE_MS)
  assert.equal(code, 0, command.stderr())
}

test('a fleet of which anything is killed −9 again and again leaves the same store as an undisturbed one', async (t) => {
  t.diagnostic(`MINGA_SEED=${SEED}`)
  const wiki = await newWiki()
  const folder = newFolder()
  const fleet = new Fleet(wiki, path.join(folder, 'disturbed'))
  await fleet.start()
  const deaths = await havoc(t, wiki, fleet)
  await fleet.stop()
  assertManners(t, wiki.hits(), deaths)
  await assertSameStores(wiki, await undisturbed(folder), fleet.data)
})

const VICTIMS = ['agent', 'coordinator', 'agent', 'all'] as const

/** Each blow falls when the wiki was asked some more since the one before; tells after how many hits. */
async function havoc(t: TestContext, wiki: FakeWikiProcess, fleet: Fleet): Promise<number[]> {
  const random = seededRandom(SEED)
  const deaths: number[] = []
  let command = await fleet.extract()
  while (deaths.length < KILLS) {
    const wanted = wiki.hits().length + 1 + random.integer(4)
    while (wiki.hits().length < wanted && command.exit() === undefined) await sleep(10)
    assert.equal(command.exit(), undefined, `it ended after ${deaths.length} deaths`)
    await sleep(random.integer(DELAY_MS))
    const victim = VICTIMS[deaths.length % VICTIMS.length]!
    if (victim === 'coordinator' && !fleet.killCoordinator()) continue
    if (victim === 'agent') {
      const place = random.integer(2)
      fleet.agents[place]?.killTree()
      await fleet.startAgent(place)
    }
    if (victim === 'all') {
      fleet.killAll()
      command.killTree()
    }
    deaths.push(wiki.hits().length)
    if (victim === 'all') {
      await fleet.start()
      command = await fleet.extract()
    }
    t.diagnostic(`${victim} died after ${deaths.at(-1)} requests`)
  }
  await ended(command)
  return deaths
}

const POINTS: [role: 'agent' | 'coordinator', point: FaultPointName][] = [
  ['agent', 'agent:after-response'],
  ['agent', 'agent:before-send'],
  ['agent', 'agent:after-send'],
  ['coordinator', 'lease:after-commit'],
  ['coordinator', 'ingest:received'],
  ['coordinator', 'ingest:before-commit'],
  ['coordinator', 'ingest:after-commit'],
]

test('so does one whose processes die at every named point of the road', async (t) => {
  const wiki = await newWiki()
  const folder = newFolder()
  const faults = POINTS.map(([, point], i) => killAt(point, { passage: 3 + (i % 3) }))
  const env = faultsEnv(faults, path.join(folder, 'faults'))
  const fleet = new Fleet(wiki, path.join(folder, 'disturbed'), env)
  await fleet.start()
  const command = await fleet.extract()
  // Agents that people started are not restarted.
  while (command.exit() === undefined) {
    for (const [place, agent] of fleet.agents.entries()) {
      if (agent.exit() !== undefined) await fleet.startAgent(place)
    }
    await sleep(100)
  }
  await ended(command)
  await fleet.stop()
  assert.equal(
    fs.readdirSync(path.join(folder, 'faults')).length,
    POINTS.length,
    'all of them died',
  )
  assertManners(t, wiki.hits(), null)
  await assertSameStores(wiki, await undisturbed(folder), fleet.data)
})

/** `deaths`: after how many requests each came; null where that is not known. */
function assertManners(
  t: TestContext,
  hits: readonly Hit[],
  deaths: readonly number[] | null,
): void {
  const judge = judgeHits(hits)
  assert.deepEqual(judge.violations({ delayMs: DELAY_MS, per: 'host' }), [], 'the delay is kept')
  assert.equal(judge.concurrencyMax('host'), 1, 'never two requests at once')
  const again = judge.refetched()
  const count = again.reduce((sum, one) => sum + one.hits.length - 1, 0)
  t.diagnostic(`${count} of ${hits.length} requests repeat one whose answer was lost by a death`)
  assert.ok(count <= 2 * (deaths?.length ?? POINTS.length), `${count} continuations came twice`)
  if (deaths === null) return
  for (const { url, hits: same } of again) {
    const places = same.map((hit) => hits.indexOf(hit))
    const isExcused = places
      .slice(1)
      .every((place, i) => deaths.some((death) => places[i]! < death && death <= place))
    assert.ok(isExcused, `${url} was fetched twice although nothing died in between`)
  }
}

let calm: Promise<string> | undefined
const undisturbed = (folder: string): Promise<string> => (calm ??= extractCalmly(folder))

/** The same wiki in another process, so that the log of the other one tells of the disturbed station alone. */
async function extractCalmly(folder: string): Promise<string> {
  const wiki = await newWiki()
  const data = path.join(folder, 'calm')
  const what = ['--pages', TITLES.join('|'), '--delay', '0', '--allow-private-addresses']
  await ended(await startMinga(['wiki', 'add', wiki.apiUrl, ...what, '--data', data, '--wait']))
  return exportOf(data, wiki)
}

async function assertSameStores(
  wiki: FakeWikiProcess,
  expected: string,
  disturbed: string,
): Promise<void> {
  const checked = await output(['wiki', 'verify', '--data', disturbed])
  assert.match(checked, new RegExp(`${TITLES.length * REVISIONS} revisions, 0 damaged, 0 gaps`))
  assert.equal(expected.match(/<revision>/g)?.length, TITLES.length * REVISIONS)
  assert.equal(await exportOf(disturbed, wiki), expected)
}

async function output(args: string[]): Promise<string> {
  const child = await startMinga(args)
  await ended(child)
  return child.stdout()
}

/** Without the address of the wiki and the time of the export. */
async function exportOf(data: string, wiki: FakeWikiProcess): Promise<string> {
  const file = `${data}.xml`
  const { host } = new URL(wiki.url)
  await output(['wiki', 'export', host, '--data', data, '--out', file])
  const xml = fs.readFileSync(file, 'utf8').replace(/<!-- .* -->/, '')
  return xml.replaceAll(host, 'wiki.example')
}
