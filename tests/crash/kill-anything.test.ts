// Goal: whatever is killed or paused, whenever: nothing is lost, nothing is kept twice, no clock is
// violated. Method: a real crawl of a fake web, on SQLite and on PostgreSQL, under a killer that
// reads processes.json, judged by the web's own log, the tables, the archive and warcio.
// MINGA_LONG=1 strikes at least 100 times; MINGA_SEED repeats a plan.
import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { seededRandom, type Behaviour, type Hit } from '@minga/testkit'
import { assertSound, LONG, newFolder, newWeb, startCrawl, totalsOf } from './crash-fixture.ts'
import { newPostgres, NO_POSTGRES } from './databases.ts'
import { nameOf, planHavoc, workMs, wreak, type HavocSize } from './havoc.ts'

const DELAY_MS = 60
/**
 * How much longer than the plan the crawl must take. At the pace that politeness allows, a crawl
 * takes at least delay × pages per host of work, on a machine of any speed.
 */
const MARGIN = 1.25
const PATIENCE_MS = LONG ? 1_800_000 : 120_000

const SQLITE: HavocSize = LONG
  ? { strikes: 110, longPauseShare: 0.1, hasLongPause: true }
  : { strikes: 4, longPauseShare: 0, hasLongPause: true }
const POSTGRES: HavocSize = LONG
  ? { strikes: 30, longPauseShare: 0.1, hasLongPause: true }
  : { strikes: 3, longPauseShare: 0, hasLongPause: false }

test('a crawl survives any number of kills and pauses of everything it consists of', (t) =>
  survive(t, SQLITE))

test('so does a crawl that keeps its state in PostgreSQL', { skip: NO_POSTGRES }, async (t) =>
  survive(t, POSTGRES, { postgres: await newPostgres() }),
)

/** Slower to answer and longer to rest than a killed agent is away: its clock outlives them. */
const CALM_HOST = 5
const CALM_DELAY_MS = 1_000
const GUARDED_HOSTS = [1, 2, 3]
const BEHAVIOURS: Behaviour[] = [
  { kind: 'robots', robots: { is: 'rules', disallow: ['/p/7$', '/p/11'] }, on: GUARDED_HOSTS },
  { kind: 'redirects', on: [4] },
  {
    kind: 'robots',
    robots: {
      is: 'rules',
      crawlDelaySeconds: CALM_DELAY_MS / 1_000,
      // So few pages are left that this host is done before the others, for all its calm.
      disallow: [1, 2, 3, 4, 5, 6, 7, 8].map((digit) => `/p/${digit}`),
    },
    on: [CALM_HOST],
  },
  { kind: 'slow', firstByteMs: 150, on: [CALM_HOST] },
]

async function survive(
  t: TestContext,
  size: HavocSize,
  state: { postgres?: string } = {},
): Promise<void> {
  const seed = Number(process.env['MINGA_SEED'] ?? Math.floor(Math.random() * 1e9))
  const plan = planHavoc(seededRandom(seed), size)
  t.diagnostic(`MINGA_SEED=${seed} ${plan.map(nameOf).join(' ')}`)
  const web = await newWeb({
    hosts: LONG ? 8 : 6,
    pagesPerHost: Math.ceil((MARGIN * workMs(plan)) / DELAY_MS),
    bytesPerPage: 600,
    crossHostShare: 0.2,
    firstAddress: '127.0.70.1',
    behaviours: BEHAVIOURS,
  })
  const crawl = { web, data: newFolder(), delayMs: DELAY_MS, ...state }
  const last = await wreak(crawl, plan)
  const done = web.hits().length / web.expectedUrls().length
  t.diagnostic(`${plan.length} strikes dealt with ${Math.round(done * 100)} % of the crawl done`)
  const exit = await last.waitExit(PATIENCE_MS)
  assert.deepEqual(exit, { code: 0, signal: null }, last.stderr())

  const guarded = new Set(GUARDED_HOSTS.map((host) => new URL(web.origin(host)).hostname))
  const calm = new URL(web.origin(CALM_HOST)).hostname
  const isForbidden = ({ host, path }: Hit): boolean =>
    (guarded.has(host) && /^\/p\/(7|11\d*)$/.test(path)) ||
    (host === calm && /^\/p\/[1-8]/.test(path))
  await assertSound(crawl, totalsOf(last), {
    faults: plan.length,
    isForbidden,
    crawlDelay: { host: calm, delayMs: CALM_DELAY_MS },
  })
  if (LONG && state.postgres === undefined) assert.ok(plan.length >= 100)

  const again = await startCrawl(crawl)
  const before = web.hits().length
  assert.equal((await again.waitExit(30_000)).code, 0)
  assert.equal(web.hits().length, before, 'the same command again finds nothing left to do')
}
