/**
 * What the page costs those who look at it: how soon it shows data and answers, what comes before that, what a
 * frame of a list of 100,000 rows costs, and what an hour of live updates leaves in memory.
 *   npm run bench:page [-- --runs 5 --updates 3600 --write]
 * A real station with the demo web, and Debian's Chromium without a graphics card.
 */
import { parseArgs } from 'node:util'
import { LiveFeed } from '../tests/e2e/live-feed.ts'
import { watchMemory, type Held } from '../tests/e2e/live-memory.ts'
import { busyMsPerFrame, manyKeys } from '../tests/e2e/long-list.ts'
import { askStation } from '../tests/e2e/page-station.ts'
import { measureSpeed, MEASURED_SCREENS } from '../tests/e2e/page-speed.ts'
import { startTabs, type Tabs } from '../tests/e2e/page-tabs.ts'
import { firstLoad } from '../tests/e2e/page-weight.ts'
import {
  figure,
  machineFacts,
  markdownTable,
  median,
  medianWithSpread,
  writePart,
} from './report.ts'

const UPDATES_PER_SECOND = 60
/** What the first load of the plots and caches takes is not growth. */
const WARM_SHARE = 0.1
const CAPTURES_LEAST = 30
const KILOBYTE = 1_000
const MEGABYTE = 1_000_000

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '5' },
    updates: { type: 'string', default: '3600' },
    write: { type: 'boolean', default: false },
  },
})

type Screen = keyof typeof MEASURED_SCREENS

async function speeds(tabs: Tabs, runs: number): Promise<Record<string, string>[]> {
  const rows: Record<string, string>[] = []
  for (const path of Object.keys(MEASURED_SCREENS) as Screen[]) {
    const measured = []
    for (let run = 0; run < runs; run++) measured.push(await measureSpeed(tabs, path))
    rows.push({
      Screen: path,
      'largest paint, ms': figure(Math.round(median(measured.map((each) => each.largestPaintMs)))),
      'data on it, ms': figure(Math.round(median(measured.map((each) => each.shownMs)))),
      'a button answers, ms': medianWithSpread(
        measured.map(({ interactiveMs }) => Math.round(interactiveMs)),
      ),
    })
  }
  return rows
}

async function scrollMs(tabs: Tabs): Promise<number> {
  const page = await tabs.blank()
  await page.route('**/api/keys', (route) => route.fulfill({ json: manyKeys() }))
  await tabs.open(page, `/keys#key=${tabs.station.key}`)
  const perFrameMs = await busyMsPerFrame(page)
  await page.context().close()
  return perFrameMs
}

async function hourOf(tabs: Tabs, path: string, updates: number): Promise<[Held, Held]> {
  const feed = await LiveFeed.start(tabs.station)
  const page = await tabs.blank()
  await tabs.open(page, `${feed.url}${path}#key=${tabs.station.key}`)
  while (!feed.isHeard) await page.waitForTimeout(50)
  const held = await watchMemory(page)
  await feed.play(updates * WARM_SHARE, UPDATES_PER_SECOND)
  const first = await held()
  await feed.play(updates * (1 - WARM_SHARE), UPDATES_PER_SECOND)
  const last = await held()
  await page.context().close()
  await feed.close()
  return [first, last]
}

async function costs(tabs: Tabs, updates: number): Promise<Record<string, string>[]> {
  const load = firstLoad().reduce((sum, { bytes }) => sum + bytes, 0)
  const rows = [
    {
      What: 'JavaScript before the first screen, packed',
      Measured: `${figure(load / KILOBYTE)} KB`,
    },
    {
      What: 'a frame of scrolling 100,000 rows, of a core',
      Measured: `${figure(await scrollMs(tabs))} ms`,
    },
  ]
  for (const path of ['/', '/collections/1', '/events']) {
    const [first, last] = await hourOf(tabs, path, updates)
    const megabytes = ({ heapBytes }: Held): string => (heapBytes / MEGABYTE).toFixed(1)
    rows.push({
      What: `heap of ${path} after ${figure(updates * WARM_SHARE)} and ${figure(updates)} updates`,
      Measured: `${megabytes(first)} → ${megabytes(last)} MB`,
    })
  }
  return rows
}

async function main(): Promise<void> {
  const conditions = machineFacts(new Date())
  const tabs = await startTabs('--demo', 'web')
  try {
    const captured = async (): Promise<number> =>
      (await askStation<{ captures: number }[]>(tabs.station, '/collections'))[0]?.captures ?? 0
    while ((await captured()) < CAPTURES_LEAST) {
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
    const soon = await speeds(tabs, Number(options.runs))
    const light = await costs(tabs, Number(options.updates))
    const text = `${conditions}; median of ${options.runs} with an empty cache, the station on the same machine.\n\n${markdownTable(soon)}\n\n${markdownTable(light)}`
    process.stdout.write(`${text}\n`)
    if (options.write) writePart('page', text)
  } finally {
    await tabs.end()
  }
}

await main()
