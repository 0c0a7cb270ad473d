/**
 * The demo of `minga up --demo`, act by act: everything that a screen can show is made by the same API and
 * the same processes that people use, on this machine alone. The page opens at once; the acts fill it one after
 * the other. An act that is done is not done again by the next start, one that fails leaves the others alone.
 */
import { isMingaError, systemClock } from '@minga/protocol'
import { httpApi } from '../api.ts'
import { readyLine } from '../station-address.ts'
import type { LocalStation } from '../station.ts'
import { sendBatches } from './demo-client.ts'
import { collectSome, restOne } from './demo-collections.ts'
import type { DemoFolder } from './demo-folder.ts'
import { askBooks } from './demo-lake.ts'
import { testLoad } from './demo-load-test.ts'
import type { DemoStage } from './demo-stage.ts'
import { lendMachines } from './demo-volunteers.ts'
import { keepLooking, lookAround, watchSome } from './demo-watches.ts'
import type { DemoWeb } from './demo-web.ts'
import { importWiki, readWiki } from './demo-wiki-acts.ts'
import type { Line } from './line.ts'

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
