// Goal: whoever watches pages can make, find, change, undo and remove watches on the page, in three
// languages and both colours. Method: a real station without an agent and Debian's Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import {
  buildPage,
  hasChromium,
  launchBrowser,
  seriousFindings,
  startStation,
  type Station,
} from './page-station.ts'

const skip = hasChromium ? false : 'Chromium is not installed'
const PATIENCE_MS = 30_000

describe('watches on the page', { skip }, () => {
  let station: Station
  let browser: Browser
  const complaints: string[] = []

  before(async () => {
    await buildPage()
    station = await startStation('--no-agent')
    browser = await launchBrowser()
    const { origin, hash } = new URL(station.urlWithKey)
    const key = hash.replace('#key=', '')
    for (const watch of [
      { name: 'Press', urls: ['https://news.example.org/'], category: 306, periodMs: 21_600_000 },
      { name: 'Ministries', subject: 'list', urls: ['https://a.example/', 'https://b.example/'] },
    ]) {
      await fetch(`${origin}/api/watches`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify(watch),
      })
    }
  })
  after(async () => {
    await browser?.close()
    await station?.stop()
  })

  async function visit(
    path: string,
    options: { locale?: string; colorScheme?: 'light' | 'dark'; width?: number } = {},
  ): Promise<Page> {
    const { locale = 'en', colorScheme = 'light', width = 1_280 } = options
    const viewport = { width, height: 900 }
    const context = await browser.newContext({ locale, colorScheme, viewport })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    page.on('pageerror', (error) => complaints.push(String(error)))
    const { hash } = new URL(station.urlWithKey)
    await page.goto(`${station.url}${path}${hash}`)
    return page
  }

  test('Subscribe/edit/deactivate site: a page is watched, changed by hand, undone and paused on the page', async () => {
    const page = await visit('/watches')
    await page.getByRole('link', { name: 'Watch something' }).click()
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByText('Write at least one address').waitFor()
    await page.getByLabel('Addresses').fill('example.org/news')
    await page.getByLabel('Name', { exact: true }).fill('Example news')
    await page.getByLabel('Category').selectOption({ label: 'Science' })
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByRole('heading', { name: 'Example news', level: 1 }).waitFor()
    await page.getByText('Automatic').waitFor()

    await page.getByRole('heading', { name: 'Change it' }).click()
    const save = page.getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
    await page.getByLabel('Period in hours').fill('6')
    await save.click()
    await page.getByText(/The period was set by hand by operator/).waitFor()
    await page.locator('.mark', { hasText: 'by hand' }).waitFor()
    await page.getByRole('button', { name: 'Undo the last change' }).click()
    await page.getByText('Automatic').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Nothing is planned: the watch is paused.').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'What is watched' }).waitFor()
    await page.getByRole('link', { name: 'Ministries' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Example news' }).count(), 0)
    await page.context().close()
  })

  test('Lists, graphs, comparison, console: watches are found, counted and taken from a file', async () => {
    const page = await visit('/watches')
    await page.getByLabel('Name or address').fill('minis')
    await page.getByRole('link', { name: 'Ministries' }).waitFor()
    await page.getByRole('link', { name: 'Press' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'News' }).click()
    await page.getByRole('link', { name: 'Press' }).waitFor()
    await page.getByText('every 6 hr').waitFor()
    await page.locator('input[type=file]').setInputFiles({
      name: 'feeds.opml',
      mimeType: 'text/x-opml',
      buffer: Buffer.from(
        '<opml><body><outline text="Feed" xmlUrl="https://f.example/rss"/><outline text="No"/></body></opml>',
      ),
    })
    await page.getByRole('button', { name: 'Import' }).click()
    await page.getByText('1 watch was added.').waitFor()
    await page.getByText('neither an xmlUrl nor a url').waitFor()
    await page.context().close()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious on watches in ${colorScheme} colours`, async () => {
      for (const path of ['/watches', '/watches/new', '/watches/1', '/watches/999']) {
        const page = await visit(path, { colorScheme })
        await page.getByText('Live').waitFor()
        await page.locator('.card, .banner').first().waitFor()
        assert.deepEqual(await seriousFindings(page), [], path)
        await page.context().close()
      }
    })
  }

  test('watches are shown in Spanish and Portuguese, and nothing scrolls sideways on a telephone', async () => {
    for (const [locale, title] of [
      ['es', 'Vigilancias'],
      ['pt', 'Vigilâncias'],
      ['en', 'Watches'],
    ] as const) {
      for (const path of ['/watches', '/watches/new', '/watches/1']) {
        const page = await visit(path, { locale, width: 360 })
        await page.locator('h1').waitFor()
        if (path === '/watches')
          await page.getByRole('heading', { name: title, level: 1 }).waitFor()
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        )
        assert.ok(Number(overflow) <= 0, `${locale} ${path}`)
        await page.context().close()
      }
    }
    assert.deepEqual(complaints, [])
  })
})
