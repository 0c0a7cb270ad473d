// Goal: whatever is killed or paused, whenever: nothing is lost, nothing is kept twice, no clock is
// violated. Method: one real crawl of a fake web under a killer that reads processes.json, judged by
// the web's own log, the tables, the archive and warcio. MINGA_LONG=1 strikes at least 100 times.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readProcesses, seededRandom, type Child, type SeededRandom } from '@minga/testkit'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  assertSound,
  LONG,
  newFolder,
  newWeb,
  startCrawl,
  totalsOf,
  type Crawl,
} from './crash-fixture.ts'

const STRIKES = LONG ? 110 : 14
/** Enough for the crawl to outlast the strikes: about a second and a half each. */
const PAGES_PER_HOST = LONG ? 3_500 : 250
const DELAY_MS = 30
/** Longer than the silence after which a lease ends. */
const LONG_PAUSE_MS = 12_000
const STATION_UNREACHABLE = 8
const PATIENCE_MS = LONG ? 1_800_000 : 120_000

interface Havoc {
  crawl: Crawl
  random: SeededRandom
  child: Child
  strikes: string[]
}

test('a crawl survives any number of kills and pauses of everything it consists of', async (t) => {
  const web = await newWeb({
    hosts: 8,
    pagesPerHost: PAGES_PER_HOST,
    bytesPerPage: 600,
    crossHostShare: 0.2,
    firstAddress: '127.0.70.1',
    behaviours: [
      { kind: 'robots', robots: { is: 'rules', disallow: ['/p/7$', '/p/11'] }, on: [1, 2, 3] },
      { kind: 'redirects', on: [4] },
    ],
  })
  const crawl = { web, data: newFolder(), delayMs: DELAY_MS }
  const seed = Number(process.env['MINGA_SEED'] ?? Math.floor(Math.random() * 1e9))
  t.diagnostic(`MINGA_SEED=${seed}`)
  const child = await startCrawl(crawl)
  const havoc: Havoc = { crawl, random: seededRandom(seed), child, strikes: [] }
  while (havoc.strikes.length < STRIKES) {
    await sleep(200 + havoc.random.integer(1_300))
    await atWork(havoc)
    await strike(havoc)
  }
  let exit = await havoc.child.waitExit(PATIENCE_MS)
  if (exit.code === STATION_UNREACHABLE) {
    await goOn(havoc)
    exit = await havoc.child.waitExit(PATIENCE_MS)
  }
  assert.deepEqual(exit, { code: 0, signal: null }, havoc.child.stderr())
  t.diagnostic(havoc.strikes.join(' '))
  const forbidden = /^\/p\/(7|11\d*)$/
  const hosts = new Set([1, 2, 3].map((host) => new URL(web.origin(host)).hostname))
  const hits = web.hits().filter((hit) => hosts.has(hit.host) && forbidden.test(hit.path))
  assert.deepEqual(hits, [], 'what robots.txt forbids is never asked for')
  await assertSound(crawl, totalsOf(havoc.child), { faults: STRIKES })

  const again = await startCrawl(crawl)
  const before = web.hits().length
  assert.equal((await again.waitExit(30_000)).code, 0)
  assert.equal(web.hits().length, before, 'the same command again finds nothing left to do')
})

/** Struck in its first moments, before it could ask for anything, the command says so and ends. */
async function goOn(havoc: Havoc): Promise<void> {
  const { child, strikes, crawl } = havoc
  const exit = child.exit()
  if (exit?.code === STATION_UNREACHABLE) havoc.child = await startCrawl(crawl)
  else assert.equal(exit, undefined, `after ${strikes.join(' ')} it said ${child.stderr()}`)
}

/** Strikes are to hit a crawl at work, not only its coordinator's first second again and again. */
async function atWork(havoc: Havoc): Promise<void> {
  for (let looks = 0; looks < 200; looks++) {
    await goOn(havoc)
    const roles = readProcesses(havoc.crawl.data).map(({ role }) => role)
    if (roles.includes('agent') && roles.includes('coordinator')) return
    await sleep(50)
  }
}

async function strike(havoc: Havoc): Promise<void> {
  const { random, strikes, crawl } = havoc
  const processes = readProcesses(crawl.data)
  const isFirstLongPause = strikes.length === 2
  if (strikes.length % 6 === 5) return strikeAll(havoc)
  if (processes.length === 0) return
  // At least one agent sleeps through the end of its leases and wakes up with its hands full.
  const agent = isFirstLongPause ? processes.find(({ role }) => role === 'agent') : undefined
  const { pid, role } = agent ?? random.pick(processes)
  if (isFirstLongPause || random.chance(0.25)) {
    const isLong = isFirstLongPause || (LONG && random.chance(0.1))
    strikes.push(`pause-${role}`)
    send(pid, 'SIGSTOP')
    await sleep(isLong ? LONG_PAUSE_MS : random.integer(3_000))
    send(pid, 'SIGCONT')
    return
  }
  strikes.push(`kill-${role}`)
  send(pid, 'SIGKILL')
}

/** The command with everything it started, or the command alone; then the same command again. */
async function strikeAll(havoc: Havoc): Promise<void> {
  const { child, strikes, random, crawl } = havoc
  const isWhole = random.chance(0.5)
  strikes.push(isWhole ? 'kill-all' : 'kill-command')
  if (isWhole) child.killTree()
  else child.kill9()
  await child.waitExit(10_000)
  if (!isWhole) await sleep(500)
  havoc.child = await startCrawl(crawl)
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It died by itself in the meantime, or of an earlier strike.
  }
}
