// Goal: no screen is at a loss: with nothing to show it says what to do next, and when the station refuses, fails or
// is gone it says so with a code and a way to try again, and the way to other screens stays open. Method: an empty
// station in Debian's Chromium, whose answers are replaced by failures in the second part.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'
import { exampleOf, routesOf, type Things } from './sweep-examples.ts'
import { faultsOf } from './sweep-look.ts'

const LONG = process.env['MINGA_LONG'] === '1'

/** Of the form of the real ones, and not there. */
const NOTHING: Things = {
  collection: 99,
  device: 'dev_0',
  url: 'http://nowhere.example/',
  versions: ['9/1', '9/2'],
  watch: 99,
  query: '00000000-0000-4000-8000-000000000000',
  table: 'nothing',
  batch: 'bat_0',
  loadTest: 'load_0',
  monitor: 'mon_0',
  epoch: 9,
  wiki: 'wiki.nowhere.example',
  wikiPages: [{ pageId: 1, title: 'Nothing' }],
  editor: 'Nobody',
}

interface Failing {
  name: string
  code: string
  answer: (route: Route) => Promise<void>
}

const told = (status: number, code: string) => (route: Route) =>
  route.fulfill({
    status,
    contentType: 'application/json',
    body: JSON.stringify({ error: { code, message: 'It does not work today.' } }),
  })

const FAILING: readonly Failing[] = [
  { name: 'refuses', code: 'MINGA_FORBIDDEN', answer: told(403, 'MINGA_FORBIDDEN') },
  { name: 'fails', code: 'MINGA_INTERNAL', answer: told(500, 'MINGA_INTERNAL') },
  {
    name: 'is gone',
    code: 'MINGA_STATION_UNREACHABLE',
    answer: (route) => route.abort('connectionrefused'),
  },
]

const TOLD_MS = 5_000

/** Read in addition to the subject of a screen, which is complete without them. */
const ASIDE = /^\/api\/(snapshot|events|me)$/

/** They fill by what others do: there is nothing to begin here. */
const LEDGERS = new Set(['/money'])

/** A step that can be taken: a link or a command in an empty state, or a form or command on the screen. */
const NEXT_STEP = `document.querySelector(
  'main .empty-state :is(a, button, code), main .copy-box code, main form button, main .first-steps button, main textarea'
) !== null`

describe('screens of a station that has nothing', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let routes: string[]

  before(async () => {
    tabs = await startTabs('--no-agent')
    page = await tabs.visit('/', { withKey: true })
    routes = await routesOf(page)
  })
  after(() => tabs?.end())

  test('an empty screen is no error, and says what to do next', async () => {
    const found: string[] = []
    for (const route of routes.filter((each) => !each.includes('$'))) {
      await tabs.walk(page, exampleOf(route)!(NOTHING))
      const isEmpty = (await page.locator('main .empty-state').count()) > 0
      const mayFail = /^\/archive\/(compare|diff)$/.test(route)
      const faults = await faultsOf(page, { mayFail })
      const isHelpful = LEDGERS.has(route) || (await page.evaluate<boolean>(NEXT_STEP))
      if (isEmpty && !isHelpful) faults.push('no next step')
      found.push(...faults.map((fault) => `${route} ${fault}`))
    }
    assert.deepEqual(found, [])
    assert.deepEqual(tabs.complaints, [])
  })

  test('what is not there is called so, and nothing breaks', async () => {
    const found: string[] = []
    for (const route of routes.filter((each) => each.includes('$'))) {
      await tabs.walk(page, exampleOf(route)!(NOTHING))
      const faults = await faultsOf(page, { mayFail: true })
      const text = await page.locator('main').innerText()
      const isTold = /MINGA_NO_SUCH|MINGA_UNKNOWN/.test(text)
      const isEmpty = (await page.locator('main .empty-state').count()) > 0
      if (!isTold && !isEmpty) faults.push(`does not say that it is not there: ${text}`)
      found.push(...faults.map((fault) => `${route} ${fault}`))
    }
    assert.deepEqual(found, [])
    assert.deepEqual(tabs.complaints, [])
  })

  test('when the station refuses, fails or is gone, a screen says so, with a code and a way to try again', async () => {
    const other = await tabs.visit('/', { withKey: true })
    const broken = [new BrokenTab(tabs, page), new BrokenTab(tabs, other)]
    for (const [turn, failing] of FAILING.entries()) {
      const found: string[] = []
      // By default every screen meets one of them.
      const left = routes.filter((_, i) => LONG || i % FAILING.length === turn)
      const walk = async (tab: BrokenTab): Promise<void> => {
        await tab.meet(failing)
        for (let route = left.pop(); route !== undefined; route = left.pop()) {
          const faults = await tab.faultsAt(exampleOf(route)!(NOTHING))
          found.push(...faults.map((fault) => `${route} ${fault}`))
        }
        await tab.assertWayOut()
      }
      await Promise.all(broken.map(walk))
      assert.deepEqual(found, [], `when it ${failing.name}`)
      assert.deepEqual(tabs.complaints, [])
    }
  })
})

/** A tab that knows its user, and receives nothing else. */
class BrokenTab {
  readonly #tabs: Tabs
  readonly #page: Page
  readonly #asked = new Set<string>()
  #failing = FAILING[0]!

  constructor(tabs: Tabs, page: Page) {
    this.#tabs = tabs
    this.#page = page
  }

  /** From the first answer on: the page is loaded again. */
  async meet(failing: Failing): Promise<void> {
    this.#failing = failing
    await this.#page.unrouteAll()
    await this.#page.route('**/api/**', (route) => {
      const { pathname } = new URL(route.request().url())
      if (pathname === '/api/me') return route.continue()
      if (!ASIDE.test(pathname)) this.#asked.add(pathname)
      return failing.answer(route)
    })
    await this.#tabs.open(this.#page, '/')
  }

  async faultsAt(path: string): Promise<string[]> {
    const asked = this.#asked
    asked.clear()
    await this.#tabs.walk(this.#page, path)
    const faults = await faultsOf(this.#page, { mayFail: true })
    const boxes = this.#page.locator('main .banner.error', { hasText: this.#failing.code })
    // It is tried once more before it is reported.
    if (asked.size > 0)
      await boxes
        .first()
        .waitFor({ timeout: TOLD_MS })
        .catch(() => {})
    const isTold = (await boxes.getByRole('button').count()) > 0
    if (asked.size > 0 && !isTold) faults.push(`says nothing of ${[...asked].join(', ')}`)
    return faults
  }

  async assertWayOut(): Promise<void> {
    const areas = this.#page.getByRole('navigation', { name: 'Pages' })
    await areas.getByRole('link', { name: 'Wikis' }).click()
    await this.#page.waitForURL(/\/wikis$/)
  }
}
