// Goal: users who do not see that the screen changed hear it, and their keys continue from there: not when only a filter
// changed, not at the first screen, not under a dialog; and going back shows the place that was left. Method: a real
// station with a list that is longer than the window, and Debian's Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { Hands } from './keyboard-hands.ts'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'

const WINDOW = { width: 1_280, height: 500 }
const HOSTS = 40
const PATIENCE_MS = 20_000

describe('a screen that is come to', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let hands: Hands

  before(async () => {
    tabs = await startTabs('--no-agent')
    const hosts = Array.from({ length: HOSTS }, (_, i) => `*.host-${i}.example`)
    await askStation(tabs.station, '/abuse/hosts', { hosts, action: 'deny', reason: 'spam' })
    page = await tabs.blank({ viewport: WINDOW })
    await page.addInitScript(HEAR)
    await tabs.open(page, `/abuse#key=${tabs.station.key}`)
    hands = new Hands(page)
  })
  after(() => tabs?.end())

  const heard = () => page.evaluate<string[]>('window.heard.splice(0)')
  const hears = async (heading: string): Promise<void> => {
    const all: string[] = []
    await becomes(async () => {
      all.push(...(await heard()))
      return all.includes(heading)
    }, `${heading} is said`)
    assert.equal(all.filter((text) => text === heading).length, 1, `${heading} is said once`)
  }
  /** The page's own policy forbids that a browser be given the condition as text. */
  async function becomes(isSo: () => Promise<boolean>, what: string): Promise<void> {
    const deadlineMs = performance.now() + PATIENCE_MS
    while (!(await isSo())) {
      assert.ok(performance.now() < deadlineMs, what)
      await page.waitForTimeout(50)
    }
  }
  const main = () => page.locator('main#content')
  const area = (name: string) =>
    page.getByRole('navigation').getByRole('link', { name, exact: true })
  const scrolled = () => page.evaluate<number>('Math.round(scrollY)')

  test('the browser announces the first screen: the keys stay at the top, and only the log-in is announced', async () => {
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'BODY')
    await hears('You are signed in as operator.×')
    assert.deepEqual(await heard(), [])
  })

  test('a filter and a sorting leave the keys where they are, and say no title', async () => {
    const hosts = page.getByRole('search', { name: 'Hosts denied by name' }).getByRole('searchbox')
    await hosts.focus()
    await page.keyboard.type('host-3')
    await page.getByText('*.host-4.example').waitFor({ state: 'detached' })
    await page.waitForURL(/hosts\.q=host-3/)
    assert.ok(await hands.isAt(hosts))
    assert.ok(!(await heard()).includes('Abuse'))
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await page.getByText('*.host-4.example').waitFor()
  })

  test('a link of the side bar takes the keys to the screen, whose heading is said', async () => {
    await area('Archive').focus()
    await hands.press('Enter')
    await hands.comesTo(main())
    await hears('Archive')
    await hands.press('Tab')
    const isInside = page.locator('main :focus')
    assert.equal(await isInside.count(), 1, 'the next stop is inside the screen')
  })

  test('letters that jump and the palette do, too', async () => {
    await main().focus()
    await hands.press('g')
    await hands.press('s')
    await page.waitForURL(/\/config/)
    await hears('Settings of the station')
    await hands.comesTo(main())
    await hands.jump('Collections › List')
    await hears('Collections')
    await hands.comesTo(main())
  })

  test('back and forward take the keys along, and show the place that was left', async () => {
    await hands.jump('Station › Abuse')
    await page.getByText('*.host-4.example').waitFor()
    await page.evaluate('scrollTo(0, 1_000)')
    const left = await scrolled()
    assert.ok(left > 500, 'the list is longer than the window')
    await area('Archive').focus()
    await hands.press('Enter')
    await hears('Archive')
    assert.equal(await scrolled(), 0, 'a new screen begins at its top')
    await page.goBack()
    await hands.comesTo(main())
    await becomes(async () => (await scrolled()) === left, `back at ${left} px`)
    await page.goForward()
    await hears('Archive')
    await hands.comesTo(main())
    assert.equal(await scrolled(), 0)
  })

  test('a dialog keeps the keys, whatever happens behind it', async () => {
    await heard()
    await hands.press('Control+k')
    await hands.comesTo(page.locator('.palette [role=combobox]'))
    await page.evaluate(`history.pushState(null, '', '/collections')`)
    await page.locator('main h1', { hasText: 'Collections' }).waitFor({ state: 'attached' })
    assert.ok(await hands.isAt(page.locator('.palette [role=combobox]')))
    assert.ok(!(await heard()).includes('Collections'))
    await hands.press('Escape')
    assert.deepEqual(tabs.complaints, [])
  })
})

/** What a screen reader would say: every text that comes into a region that is read out. */
const HEAR = `
  window.heard = []
  document.addEventListener('DOMContentLoaded', () => {
    new MutationObserver((changes) => {
      const regionOf = ({ target }) => (target.closest ? target : target.parentElement)?.closest('[role=status]')
      for (const region of new Set(changes.map(regionOf))) {
        const text = region?.textContent.trim()
        if (text) window.heard.push(text)
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
  })`
