/**
 * Every screen of the page, in every language, colour and width, is whole: it fits, has one heading and a title,
 * speaks one language, complains of nothing, calls no other host and gives axe nothing to report; it stands still for
 * those who ask for that. The routes are the router's own, the station is a filled demo. By default every screen
 * is seen once, with axe, on a telephone, where least fits; by turns light and dark, and the languages go round.
 * MINGA_LONG=1 shows every combination, from a telephone to a desk.
 */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { axeFindings } from './page-station.ts'
import { IN_MOTION, type Tabs } from './page-tabs.ts'
import { exampleOf, routesOf, thingsOf, type Things } from './sweep-examples.ts'
import { faultsOf } from './sweep-look.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const LANGUAGES = ['en', 'es', 'pt'] as const
const THEMES = ['light', 'dark'] as const
/** A telephone, a tablet held upright, one on its side, where the areas become a column, and a desk. */
const WIDTHS = [360, 768, 1_024, 1_440] as const
const HEIGHT = 900
/** Then the next language: to translate a screen costs as much as to show another one. */
const SCREENS_PER_LANGUAGE = 8
/** Two cores, two tabs. */
const TABS = 2
/** Only spent when something is missing. */
const FILL_MS = 240_000
const LOOK_EVERY_MS = 500

interface Dress {
  language: (typeof LANGUAGES)[number]
  theme: (typeof THEMES)[number]
  width: (typeof WIDTHS)[number]
}

function dressesOf(screen: number): Dress[] {
  if (LONG) {
    return LANGUAGES.flatMap((language) =>
      THEMES.flatMap((theme) => WIDTHS.map((width) => ({ language, theme, width }))),
    )
  }
  const theme = THEMES[screen % THEMES.length]!
  const language = LANGUAGES[Math.floor(screen / SCREENS_PER_LANGUAGE) % LANGUAGES.length]!
  return [{ width: WIDTHS[0], theme, language }]
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

/** Registers the tests; the demo is there when they run. */
export function sweepScreens(demo: () => Tabs): void {
  describe('every screen of a filled station', () => {
    let tabs: Tabs
    let pages: Page[]
    let routes: string[]
    let screens: string[]
    const moving: string[] = []

    before(async () => {
      tabs = demo()
      pages = await Promise.all(
        Array.from({ length: TABS }, () => tabs.visit('/', { withKey: true, ...IN_MOTION })),
      )
      routes = await routesOf(pages[0]!)
      const things = await filled(tabs)
      screens = [
        ...routes.flatMap((route) => exampleOf(route)?.(things) ?? []),
        `/archive/url?url=${encodeURIComponent('http://nowhere.valley.test/')}`,
        '/not-a-screen-at-all',
      ]
    })

    /** Tabs take screen after screen; what is found is reported together, so that one run shows everything. */
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
          const judged = await axeFindings(page)
          const name = `${dress.language} ${dress.theme} ${dress.width}`
          faults.push(...[...seen, ...judged].map((fault) => `in ${name}: ${fault}`))
        }
        moving.push(
          ...(await faultsAtRest(tabs, page)).map((fault) => `${screens[screen]} ${fault}`),
        )
        return faults
      })
      assert.deepEqual(found, [])
      assert.deepEqual(tabs.complaints, [])
    })

    test('stands still for those who ask for that, and holds in the colours of the system', () => {
      assert.deepEqual(moving, [])
    })
  })
}

/** On a desk, without motion and in the colours of the system. */
async function faultsAtRest(tabs: Tabs, page: Page): Promise<string[]> {
  await page.setViewportSize({ width: WIDTHS.at(-1)!, height: HEIGHT })
  await page.emulateMedia({ reducedMotion: 'reduce', forcedColors: 'active' })
  const askedAtMs = await page.evaluate<number>(TWO_FRAMES_LATER)
  // Plots are drawn again at their new size, and a screen may just be reading its next figures.
  const faults = await faultsOnceSettled(tabs, page)
  const moving = await page.evaluate<string[]>(movingSince(askedAtMs))
  await page.emulateMedia({ ...IN_MOTION, forcedColors: null })
  return [...faults, ...moving.map((name) => `moves: ${name}`)]
}

/** A table that is being filled may begin to read its next rows in the moment in which it is judged. */
async function faultsOnceSettled(tabs: Tabs, page: Page): Promise<string[]> {
  let faults: string[] = []
  for (let tries = 0; tries < 3; tries++) {
    await tabs.settle(page)
    faults = await faultsOf(page)
    if (!faults.some((fault) => fault.startsWith('still loading'))) break
  }
  return faults
}

/** A figure that arrived while the media changed began its transition by the former rules, in one of these frames. */
const TWO_FRAMES_LATER = `new Promise((resolve) => requestAnimationFrame(() =>
  requestAnimationFrame(() => resolve(document.timeline.currentTime))))`

/**
 * What moves for longer than a blink, by its name. A transition that began before the reader asked for none keeps its
 * time and ends by itself; what never ends is a fault whenever it began.
 */
const movingSince = (askedAtMs: number): string => `document.getAnimations()
  .filter((each) => each.playState === 'running' && each.effect.getComputedTiming().endTime > 100)
  .filter((each) => each.effect.getComputedTiming().endTime === Infinity || !(each.startTime < ${askedAtMs}))
  .map((each) => each.animationName ?? each.transitionProperty ?? 'animation')`
