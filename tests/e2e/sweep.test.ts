// Goal: every screen of the page, in every language, colour and width, is whole: it fits, has one heading and a
// title, speaks one language, complains of nothing, asks nobody else and gives axe nothing to say. Method: the
// demo in Debian's Chromium; the routes are the router's own. By default every screen is seen in every width, from a
// telephone to a desk, by turns light and dark, with axe for some, and the languages go round; MINGA_LONG=1 shows
// every combination.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'
import { exampleOf, routesOf, thingsOf, type Things } from './sweep-examples.ts'
import { faultsOf } from './sweep-look.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const LANGUAGES = ['en', 'es', 'pt'] as const
const THEMES = ['light', 'dark'] as const
/** A telephone, a tablet held upright, one on its side, which is where the areas come to stand beside, and a desk. */
const WIDTHS = [360, 768, 1_024, 1_440] as const
const DESK = 3
const HEIGHT = 900
/** Two cores, two tabs. */
const TABS = 2
/** Only spent when something is missing. */
const FILL_MS = 240_000
const LOOK_EVERY_MS = 500

interface Dress {
  language: (typeof LANGUAGES)[number]
  theme: (typeof THEMES)[number]
  width: (typeof WIDTHS)[number]
  /** Whether axe looks too, which takes longer than all the rest. */
  isJudged: boolean
}

/**
 * Every width once, the colours by turns and the languages one further with every view, so that over a few screens
 * each meets each. Axe sees both colours of a screen: on the telephone, and on a wider one.
 */
function dressesOf(screen: number): Dress[] {
  if (LONG) {
    return LANGUAGES.flatMap((language) =>
      THEMES.flatMap((theme) =>
        WIDTHS.map((width) => ({ language, theme, width, isJudged: true })),
      ),
    )
  }
  const alsoJudged = screen % 2 === 0 ? DESK : 1
  return WIDTHS.map((width, i) => ({
    width,
    theme: THEMES[(screen + i) % THEMES.length]!,
    language: LANGUAGES[(screen + i) % LANGUAGES.length]!,
    isJudged: i === 0 || i === alsoJudged,
  }))
}

async function wear(page: Page, { language, theme, width }: Dress): Promise<void> {
  await page.setViewportSize({ width, height: HEIGHT })
  await page.emulateMedia({ colorScheme: theme })
  await page.locator('.settings select').first().selectOption(language)
  await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))')
}

/** Everything that has a screen of its own is there: the last of it are a map, a query and a load test. */
async function filled({ station }: Tabs): Promise<Things> {
  const deadlineMs = performance.now() + FILL_MS
  for (;;) {
    const things = await thingsOf(station).catch((error: unknown) => String(error))
    if (typeof things !== 'string') return things
    assert.ok(performance.now() < deadlineMs, `the demo is not whole: ${things}`)
    await sleep(LOOK_EVERY_MS)
  }
}

describe('every screen of a filled station', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let pages: Page[]
  let routes: string[]
  let screens: string[]

  before(async () => {
    tabs = await startTabs('--demo')
    pages = await Promise.all(
      Array.from({ length: TABS }, () => tabs.visit('/', { withKey: true })),
    )
    routes = await routesOf(pages[0]!)
    const things = await filled(tabs)
    screens = [
      ...routes.flatMap((route) => exampleOf(route)?.(things) ?? []),
      `/archive/url?url=${encodeURIComponent('http://nowhere.valley.test/')}`,
      '/not-a-screen-at-all',
    ]
  })
  after(() => tabs?.end())

  /** Tabs take screen after screen; what is found is told together, so that one run shows everything. */
  async function atEveryScreen(
    look: (page: Page, screen: number) => Promise<string[]>,
  ): Promise<string[]> {
    const found: string[] = []
    let next = 0
    const walk = async (page: Page): Promise<void> => {
      while (next < screens.length) {
        const screen = next++
        await tabs.walk(page, screens[screen]!)
        const faults = await look(page, screen)
        found.push(...faults.map((fault) => `${screens[screen]} ${fault}`))
      }
    }
    await Promise.all(pages.map(walk))
    return found
  }

  test('every route has an address at which it is looked at', () => {
    assert.deepEqual(
      routes.filter((route) => exampleOf(route) === null),
      [],
    )
    assert.ok(routes.length > 50, `${routes.length} routes`)
  })

  test('fits, speaks the language of its reader, and axe finds nothing', async () => {
    const found = await atEveryScreen(async (page, screen) => {
      const faults: string[] = []
      for (const dress of dressesOf(screen)) {
        await wear(page, dress)
        const seen = await faultsOf(page)
        const judged = dress.isJudged ? await axeFindings(page) : []
        const name = `${dress.language} ${dress.theme} ${dress.width}`
        faults.push(...[...seen, ...judged].map((fault) => `in ${name}: ${fault}`))
      }
      return faults
    })
    assert.deepEqual(found, [])
    assert.deepEqual(tabs.complaints, [])
  })

  test('stands still for those who ask for that, and holds in the colours of the system', async () => {
    for (const page of pages) {
      await page.setViewportSize({ width: WIDTHS[DESK], height: HEIGHT })
      await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' })
    }
    const found = await atEveryScreen(async (page) => {
      const moving = await page.evaluate<string[]>(MOVING)
      return [...(await faultsOf(page)), ...moving.map((name) => `moves: ${name}`)]
    })
    assert.deepEqual(found, [])
  })

  test('nothing was asked of another machine', () => {
    const { origin, hostname } = new URL(tabs.station.url)
    // What was archived is replayed from a port of its own of the same machine.
    const outside = tabs.requested.filter((url) => {
      const asked = new URL(url)
      return (
        /^https?:$/.test(asked.protocol) && asked.origin !== origin && asked.hostname !== hostname
      )
    })
    assert.deepEqual(outside, [])
  })
})

/** What still moves for longer than a blink, by its name. */
const MOVING = `document.getAnimations()
  .filter((each) => each.playState === 'running' && each.effect.getComputedTiming().endTime > 100)
  .map((each) => each.animationName ?? each.transitionProperty ?? 'animation')`
