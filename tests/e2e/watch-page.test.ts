// Goal: users can make, find, change, undo and remove watches on the page, in three
// languages and both colours. Method: a real station without an agent and Debian's Chromium.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

describe('watches on the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page

  before(async () => {
    tabs = await startTabs('--no-agent')
    for (const watch of [
      { name: 'Press', urls: ['https://news.example.org/'], category: 306, periodMs: 21_600_000 },
      { name: 'Ministries', subject: 'list', urls: ['https://a.example/', 'https://b.example/'] },
    ]) {
      await askStation(tabs.station, '/watches', watch)
    }
    page = await tabs.visit('/watches', { withKey: true })
  })
  after(() => tabs?.end())

  test('Subscribe/edit/deactivate site: a page is watched, changed by hand, undone and paused on the page', async () => {
    await page.getByRole('link', { name: 'New watch' }).click()
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByText('Enter at least one address').waitFor()
    await page.getByLabel('Addresses').fill('example.org/news')
    await page.getByLabel('Name', { exact: true }).fill('Example news')
    await page.getByLabel('Category').selectOption({ label: 'Science' })
    await page.getByRole('button', { name: 'Watch it' }).click()
    await page.getByRole('heading', { name: 'Example news', level: 1 }).waitFor()
    await page.getByText('Automatic').waitFor()

    await page.getByRole('heading', { name: 'Edit' }).click()
    const save = page.getByRole('button', { name: 'Save' })
    assert.equal(await save.isDisabled(), true)
    await page.getByLabel('Period in hours').fill('6')
    await save.click()
    await page.getByText(/The period was set manually by operator/).waitFor()
    await page.locator('.mark', { hasText: 'manual' }).waitFor()
    await page.getByRole('button', { name: 'Undo the last change' }).click()
    await page.getByText('Automatic').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('No visit is planned: the watch is paused.').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('heading', { name: 'All watches' }).waitFor()
    await page.getByRole('link', { name: 'Ministries' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Example news' }).count(), 0)
  })

  test('Lists, graphs, comparison, console: watches are found, counted and taken from a file', async () => {
    await tabs.walk(page, '/watches')
    await page.getByLabel('Name or address').fill('minis')
    await page.getByRole('link', { name: 'Ministries' }).waitFor()
    await page.getByRole('link', { name: 'Press' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'News' }).click()
    await page.getByRole('link', { name: 'Press' }).waitFor()
    await page.getByText('every 6 hr').waitFor()
    await page.getByRole('cell', { name: 'learning, 0 of 3' }).waitFor()
    await page.getByRole('link', { name: 'Press' }).click()
    await page.getByText('Learning: 0 of 3 visits. Until then there is no forecast.').waitFor()
    await tabs.walk(page, '/watches')
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
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on watches in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await page.getByText('Live').waitFor()
      const paths = ['/watches', '/watches/new', '/watches/1', '/watches/999']
      await tabs.assertAccessible(page, paths)
    })
  }

  test('watches are shown in Spanish and Portuguese, and nothing scrolls sideways on a telephone', async () => {
    for (const [language, title] of [
      ['es', 'Vigilancias'],
      ['pt', 'Vigilâncias'],
      ['en', 'Watches'],
    ] as const) {
      await tabs.walk(page, '/watches')
      await page.locator('.settings select').first().selectOption(language)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
    }
    await tabs.assertFitsTelephone(page, ['/watches', '/watches/new', '/watches/1'])
    assert.deepEqual(tabs.complaints, [])
  })
})
