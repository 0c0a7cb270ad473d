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
/** A failure is tried once more after a second: several tabs wait at the same time. */
const TABS = 4

/** Read beside what a screen is about, which is whole without them. */
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

  for (const [turn, failing] of FAILING.entries()) {
    test(`when the station ${failing.name}, a screen says so, with a code and a way to try again`, async () => {
      const found: string[] = []
      // By default every screen meets one of them.
      const left = routes.filter((_, i) => LONG || i % FAILING.length === turn)
      const walk = async (): Promise<void> => {
        const broken = await brokenTab(tabs, failing)
        for (let route = left.pop(); route !== undefined; route = left.pop()) {
          const faults = await broken.faultsAt(exampleOf(route)!(NOTHING))
          found.push(...faults.map((fault) => `${route} ${fault}`))
        }
        await broken.page
          .getByRole('navigation', { name: 'Pages' })
          .getByRole('link', { name: 'Wikis' })
          .click()
        await broken.page.waitForURL(/\/wikis$/)
        await broken.page.close()
      }
      await Promise.all(Array.from({ length: TABS }, walk))
      assert.deepEqual(found, [])
      assert.deepEqual(tabs.complaints, [])
    })
  }
})

/** A tab that knows who looks at it, and is told nothing else. */
async function brokenTab(tabs: Tabs, { code, answer }: Failing) {
  const page = await tabs.visit('/', { withKey: true })
  const asked = new Set<string>()
  await page.route('**/api/**', (route) => {
    const { pathname } = new URL(route.request().url())
    if (pathname === '/api/me') return route.continue()
    if (!ASIDE.test(pathname)) asked.add(pathname)
    return answer(route)
  })
  await tabs.open(page, '/')
  const faultsAt = async (path: string): Promise<string[]> => {
    asked.clear()
    await tabs.walk(page, path)
    const faults = await faultsOf(page, { mayFail: true })
    const boxes = page.locator('main .banner.error', { hasText: code })
    // It is tried once more before it is told.
    if (asked.size > 0)
      await boxes
        .first()
        .waitFor({ timeout: TOLD_MS })
        .catch(() => {})
    const isTold = (await boxes.getByRole('button').count()) > 0
    if (asked.size > 0 && !isTold) faults.push(`says nothing of ${[...asked].join(', ')}`)
    return faults
  }
  return { page, faultsAt }
}
