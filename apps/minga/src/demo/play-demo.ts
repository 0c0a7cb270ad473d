/**
 * The demo of `minga up --demo`, act by act: everything that a screen can show is made by the same API and
 * the same processes that people use, on this machine alone. The page opens at once; the acts fill it one after
 * the other. An act that is done is not done again by the next start, one that fails leaves the others alone.
 */
import {
  isMingaError,
  systemClock,
  type CollectionRequest,
  type CollectionStatus,
  type WatchRequest,
} from '@minga/protocol'
import { httpApi } from '../api.ts'
import { readyLine } from '../station-address.ts'
import type { LocalStation } from '../station.ts'
import type { DemoFolder } from './demo-folder.ts'
import { askBooks } from './demo-lake.ts'
import type { DemoStage } from './demo-stage.ts'
import { lendMachines } from './demo-volunteers.ts'
import type { DemoWeb } from './demo-web.ts'
import type { Line } from './line.ts'
import { personNamed } from './demo-people.ts'
import { demoWikiDump } from './demo-wiki-dump.ts'

interface Act {
  name: string
  /** Said when it begins. */
  about: string
  play: (stage: DemoStage) => Promise<unknown>
}

/** In the order in which the screens fill; volunteers come after the collections, at every start. */
const ACTS: readonly Act[] = [
  { name: 'settings', about: 'hosts are placed by a map of links and distance', play: settle },
  { name: 'collections', about: 'three collections of the demo web', play: collectSome },
  { name: 'rest', about: 'one of the collections rests', play: restOne },
  { name: 'watches', about: 'seven watches in two groups, and a feed of alerts', play: watchSome },
  {
    name: 'wiki',
    about: "a dump of the valley's wiki, with some thousand revisions",
    play: importWiki,
  },
  {
    name: 'wiki-news',
    about: 'what has been written there since, from the wiki itself',
    play: readWiki,
  },
  { name: 'client', about: 'a client with a budget and a batch of requests', play: sendBatches },
  { name: 'books', about: 'tables of books, and questions about them', play: askBooks },
  { name: 'load-test', about: 'an owner tests the capacity of a site', play: testLoad },
]

const VISITS_PER_DAY = 20_000

export interface Demo {
  /** Begins no further act, and waits for the one that is played. */
  stop(): Promise<void>
  /** After its agents, which end with the station and still have something to send. */
  close(): void
}

interface DemoParts {
  station: LocalStation
  web: DemoWeb
  folder: DemoFolder
}

/** Returns at once; the acts continue in parallel until the station stops. */
export function playDemo({ station, web, folder }: DemoParts): Demo {
  const stop = new AbortController()
  const say = (line: string): void => void process.stderr.write(`minga: demo: ${line}\n`)
  const api = httpApi(station.url, station.apiKey)
  const stage = { station, api, web, folder, clock: systemClock, signal: stop.signal, say }
  const lines: Line[] = []
  const playing = playAll(stage, lines)
  return {
    stop: async () => {
      stop.abort()
      await playing
    },
    close: () => lines.forEach((line) => line.close()),
  }
}

async function playAll(stage: DemoStage, lines: Line[]): Promise<void> {
  const beside: Promise<void>[] = []
  for (const act of ACTS) {
    if (stage.signal.aborted) return
    await playOnce(stage, act)
    if (act.name === 'collections') await tried(stage, 'volunteers', () => lend(stage, lines))
    // While other acts are played: what is watched takes a minute to change and be seen again.
    if (act.name === 'watches') beside.push(tried(stage, 'rounds', () => lookAround(stage)))
  }
  await Promise.all(beside)
  await tried(stage, 'map', () => stage.api.post('/place/repartition', {}))
  if (stage.signal.aborted) return
  stage.say('every screen has data; from now on little happens')
  process.stderr.write(readyLine(stage.station))
  await tried(stage, 'rounds', () => keepLooking(stage))
}

async function lend(stage: DemoStage, lines: Line[]): Promise<void> {
  stage.say('three machines of two volunteers in three countries')
  lines.push(...(await lendMachines(stage)))
}

async function playOnce(stage: DemoStage, { name, about, play }: Act): Promise<void> {
  if (stage.folder.isDone(name)) return
  stage.say(about)
  await tried(stage, name, async () => {
    await play(stage)
    await stage.folder.keepDone(name)
  })
}

/** A failure is reported in one line: the demo must not end a station. */
async function tried(stage: DemoStage, name: string, play: () => Promise<unknown>): Promise<void> {
  try {
    await play()
  } catch (error) {
    if (stage.signal.aborted) return
    const code = isMingaError(error) ? ` (${error.code})` : ''
    stage.say(`${name}: ${error instanceof Error ? error.message : String(error)}${code}`)
  }
}

function settle({ api }: DemoStage): Promise<unknown> {
  return api.patch('/settings', {
    strategy: 'partitioned',
    visitsPerDay: VISITS_PER_DAY,
    note: 'The demo shows the map of hosts, and visits more often than a calm station would.',
  })
}

const BUDGET_MICROS = 5_000_000
const PAGES = 12
const DENIED = 'The demo shows how a station leaves a host alone.'

/** A client of the demo: a program with a budget that sends batches. Most is delivered, some fails, some is denied. */
async function sendBatches(stage: DemoStage): Promise<void> {
  const { api, web } = stage
  const { id, api: client } = await personNamed(stage, 'reader-app', 'client')
  await topUp(stage, id)
  await client.post('/keys', { name: 'reading list' })
  await api.post('/abuse/hosts', { hosts: ['casino.valley.test'], action: 'deny', reason: DENIED })
  const pages = Array.from({ length: PAGES }, (_, page) => web.at('library', `/page/${page + 1}`))
  await client.post('/batches', {
    urls: [
      ...pages,
      // One that breaks off, one without a server; the others are denied: by the station, by robots.txt, and
      // since it is no address of the web.
      web.at('market', '/broken'),
      web.at('bakery'),
      web.at('casino'),
      web.at('www', '/private/4'),
      'ftp://library.valley.test/',
    ],
    maxAgeS: 0,
    idempotencyKey: 'demo-reading-list',
  })
  // The operator's own, so that the screen has rows for a user with the operator's key.
  await topUp(stage, 'operator')
  const own = ['/', '/news', '/page/1', '/page/2'].map((path) => web.at('www', path))
  await api.post('/batches', { urls: own, maxAgeS: 0, idempotencyKey: 'demo-own' })
  await api.post('/neutrality', {
    name: 'The same pages from three countries',
    urls: [web.at('market', '/page/1'), web.at('museum', '/hours')],
    devicesPerPlace: 1,
  })
}

function topUp({ api }: DemoStage, account: string): Promise<unknown> {
  return api.post(`/accounts/${account}/top-up`, { micros: BUDGET_MICROS, note: 'for the demo' })
}

/** The whole web takes some minutes with it; the machine hardly notices. */
const CALM_DELAY_MS = 600
const SOON_DELAY_MS = 100
const SOON_PAGES = 10

/** Collections of the demo web: one to look at for minutes, one that ends soon, one that rests. */
async function collectSome({ api, web }: DemoStage): Promise<void> {
  const collect = (request: CollectionRequest): Promise<CollectionStatus> =>
    api.post<CollectionStatus>('/collections', request)
  await collect({ seeds: [web.seed], scope: 'domain', delayMs: CALM_DELAY_MS })
  await collect({
    seeds: [web.at('museum')],
    delayMs: SOON_DELAY_MS,
    maxPages: SOON_PAGES,
    embeds: false,
  })
  await collect({ seeds: [web.at('school')], maxDepth: 2 })
}

/** A later act: by then there is something in it to look at. */
async function restOne({ api, web }: DemoStage): Promise<void> {
  const all = await api.get<CollectionStatus[]>('/collections')
  const resting = all.find(
    ({ spec, state }) =>
      spec.kind === 'crawl' && state === 'running' && spec.seeds[0] === web.at('school'),
  )
  if (resting !== undefined) await api.post(`/collections/${resting.id}/pause`, {})
}

const SITE = 'archive'
const TRIES = 20
const TRY_EVERY_MS = 1_500

interface LoadTestView {
  id: string
  proof: { file: { path: string; content: string } } | null
}

/** A load test of one of the demo's sites: its owner proves that it is theirs, and a few visitors come at once. */
async function testLoad(stage: DemoStage): Promise<void> {
  const { api, web } = stage
  const { id, proof } = await api.post<LoadTestView>('/load-tests', {
    urls: [web.at(SITE, '/page/1'), web.at(SITE, '/page/2')],
    visitorsMax: 6,
    stepS: 3,
    thinkMs: 400,
    bears: { p95Ms: 1_000 },
    ceilings: { requestsPerSecond: 20, p95Ms: 5_000 },
  })
  if (proof !== null) web.publish(SITE, proof.file.path, proof.file.content)
  await startWhenProven(stage, id)
}

/** The proof is fetched by an agent like any page: it takes its turn. */
async function startWhenProven({ api, clock, signal }: DemoStage, id: string): Promise<void> {
  for (let times = 1; !signal.aborted; times++) {
    try {
      await api.post(`/load-tests/${id}/start`, {})
      return
    } catch (error) {
      if (!isMingaError(error) || times === TRIES) throw error
    }
    await clock.sleep(TRY_EVERY_MS, signal)
  }
}

/** The wiki of the demo in the station: its dump first, then what is written there from now on. */
async function importWiki({ api, web, folder }: DemoStage): Promise<void> {
  if (web.wiki === null || folder.begunAt === null) return
  const dump = demoWikiDump(web.wiki, { origin: web.at('wiki', ''), until: folder.begunAt })
  const file = await folder.put('valleywiki.xml', dump)
  await api.post('/wikis/imports', { file })
}

const PAGES_READ = 6
const DELAY_MS = 250

/**
 * Some pages whole, as a user without a dump would request them: a task that can be watched. From then on
 * the station follows the wiki's recent changes by itself.
 */
async function readWiki({ api, web }: DemoStage): Promise<void> {
  if (web.wiki === null) return
  const pages = web.wiki.pages.slice(0, PAGES_READ).map(({ title }) => title)
  await api.post('/wikis', { address: web.at('wiki', '/w/api.php'), pages, delayMs: DELAY_MS })
}

const NEWS = { code: 9_001, name: 'News of the valley' }
const TRADE = { code: 9_002, name: 'Markets and houses' }
/** Whatever the forecast says: a demo is looked at for minutes, not for weeks. */
const EVERY_MINUTE = { floorMs: 60_000 }
const HOUR_MS = 3_600_000
/** Between two rounds of the first minute: about as long as the quickest page stays as it is. */
const ROUND_MS = 12_000
const ROUNDS = 4
const CALM_ROUND_MS = 120_000

/** Watches of the demo: two groups, pages that change at different paces, a site, and a feed of what was found. */
async function watchSome({ api, web }: DemoStage): Promise<void> {
  for (const category of [NEWS, TRADE]) await api.post('/watches/categories', category)
  const news = { category: NEWS.code, ...EVERY_MINUTE }
  const trade = { category: TRADE.code }
  const wanted: WatchRequest[] = [
    { ...news, name: 'News', urls: [web.at('www', '/news')], feeds: [web.at('www', '/feed.xml')] },
    { ...news, name: 'Weather', urls: [web.at('weather', '/today')] },
    { ...news, name: 'On the air', urls: [web.at('radio', '/now')] },
    { ...trade, ...EVERY_MINUTE, name: 'Prices', urls: [web.at('market', '/prices')] },
    {
      ...trade,
      name: 'New books',
      urls: [web.at('library', '/new-books')],
      sitemaps: [web.at('library', '/sitemap.xml')],
    },
    { ...trade, periodMs: HOUR_MS, name: 'Opening hours', urls: [web.at('museum', '/hours')] },
    {
      ...trade,
      name: 'The school, whole',
      subject: 'site',
      urls: [web.at('school')],
      maxPages: 12,
      delayMs: 250,
    },
  ]
  for (const request of wanted) await api.post('/watches', request)
  await api.post('/alerts', { channel: 'feed', changes: 'all' })
}

/** Several looks at all that is watched in the first minute, where plans of its own would take days. */
async function lookAround(stage: DemoStage): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) await lookOnce(stage, ROUND_MS)
}

/** From then on now and then, until the station stops, so that a later visitor also sees changes. */
async function keepLooking(stage: DemoStage): Promise<void> {
  while (!stage.signal.aborted) await lookOnce(stage, CALM_ROUND_MS)
}

async function lookOnce({ api, clock, signal }: DemoStage, pauseMs: number): Promise<void> {
  if (signal.aborted) return
  await api.post('/watches/run', {})
  await clock.sleep(pauseMs, signal)
}
