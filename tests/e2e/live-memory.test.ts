// Goal: a page that stays open for an hour needs no more memory than after six minutes. Method: the demo web and
// Debian's Chromium; the streams of events are played quickly, a second of the station in a fraction of one, and heap,
// nodes and listeners are counted after the garbage is gone. MINGA_LONG=1 plays the whole hour on every screen.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { LiveFeed } from './live-feed.ts'
import { watchMemory, type Held } from './live-memory.ts'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const UPDATES = LONG ? 3_600 : 240
const PER_SECOND = 60
/** The streams, the plots and the caches have found their size by then. */
const FIRST_SHARE = 0.1
const GROWTH_MAX = 0.1
const GROWTH_MAX_BYTES = 1_000_000
/** Rows of newest captures come and go; a leak of one node an update is far above. */
const NODES_MAX = 0.1
const MEGABYTE = 1_000_000

const ROUNDS_MAX = 3

function hasGrown(first: Held, last: Held): boolean {
  const grown = last.heapBytes - first.heapBytes
  return (
    (grown >= GROWTH_MAX_BYTES && grown >= first.heapBytes * GROWTH_MAX) ||
    last.nodes > first.nodes * (1 + NODES_MAX) + 200 ||
    last.listeners > first.listeners * (1 + NODES_MAX) + 20
  )
}

const inWords = ({ heapBytes, nodes, listeners }: Held): string =>
  `${(heapBytes / MEGABYTE).toFixed(2)} MB, ${nodes} nodes, ${listeners} listeners`

describe('an hour of live updates', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let feed: LiveFeed
  let page: Page

  before(async () => {
    tabs = await startTabs('--demo', 'web')
    page = await tabs.blank()
    const captured = async (): Promise<number> =>
      (await askStation<{ captures: number }[]>(tabs.station, '/collections'))[0]?.captures ?? 0
    while ((await captured()) < 10) await page.waitForTimeout(200)
    feed = await LiveFeed.start(tabs.station)
  })
  after(async () => {
    await tabs?.end()
    await feed?.close()
  })

  for (const path of ['/', '/collections/1', '/events']) {
    test(`${path} grows neither in memory nor in nodes nor in listeners`, async () => {
      await tabs.open(page, `${feed.url}${path}#key=${tabs.station.key}`)
      while (!feed.isHeard) await page.waitForTimeout(50)
      const held = await watchMemory(page)
      await feed.play(UPDATES * FIRST_SHARE, PER_SECOND)
      await page.waitForTimeout(500)
      const measured = [await held()]
      const grown = async (): Promise<boolean> => {
        await feed.play(UPDATES * (1 - FIRST_SHARE), PER_SECOND)
        await page.waitForTimeout(500)
        measured.push(await held())
        return hasGrown(measured.at(-2)!, measured.at(-1)!)
      }
      // On a slow machine the caches find their size later. A leak grows every time, a cache does not.
      for (let round = 1; await grown(); round++) {
        assert.ok(round < ROUNDS_MAX, measured.map(inWords).join(' → '))
      }
      console.log(`# ${path}: ${UPDATES} updates, ${measured.map(inWords).join(' → ')}`)
    })
  }

  test('the page took it without a complaint', () => {
    assert.deepEqual(tabs.complaints, [])
  })
})
