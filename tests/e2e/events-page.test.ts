// Goal: operators follow, filter, pause and download the log of the station, and people see and end their sessions, in
// three languages and both colours. Method: a real station without an agent and Debian's Chromium.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const PASSWORD = 'seven llamas cross the river'

describe('the log of events on the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let reader: Page

  before(async () => {
    tabs = await startTabs('--no-agent')
    await askStation(tabs.station, '/accounts', {
      name: 'rita',
      password: PASSWORD,
      roles: ['reader'],
    })
    await changeSetting(1_500)
    page = await tabs.visit('/events', { withKey: true })
  })
  after(() => tabs?.end())

  async function changeSetting(delayMs: number): Promise<void> {
    const { url, key } = tabs.station
    const response = await fetch(`${url}/api/settings`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ delayMs }),
    })
    assert.equal(response.status, 200)
  }

  test('what happened is there, newest first, and leads to what it happened to', async () => {
    await page.getByText('Station started').waitFor()
    await page.getByText('Account created').waitFor()
    const row = page.getByRole('row').filter({ hasText: 'The setting delayMs is 1500' })
    await row.getByText('operator').waitFor()
    await row.getByRole('link', { name: 'delayMs' }).click()
    await page.waitForURL(/\/config$/)
    await page.goBack()
    await page.getByRole('heading', { name: 'Events', level: 1 }).waitFor()
  })

  test('it follows what happens; paused, it counts what came and shows it when asked', async () => {
    await page.getByText('Follows the log').waitFor()
    await changeSetting(1_600)
    await page.getByText('The setting delayMs is 1600').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await changeSetting(1_700)
    await page.getByText('Paused · 1 new event').waitFor()
    assert.equal(await page.getByText('The setting delayMs is 1700').count(), 0)
    await page.getByRole('button', { name: 'Show and follow' }).click()
    await page.getByText('The setting delayMs is 1700').waitFor()
    await page.getByText('Follows the log').waitFor()
  })

  test('filters narrow it, stand in the address and survive a reload', async () => {
    await page.getByRole('combobox', { name: 'About' }).selectOption('account')
    await page.getByText('Station started').waitFor({ state: 'detached' })
    await page.waitForURL(/context=account/)
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('rita')
    await page.waitForURL(/q=rita/)
    await page.reload()
    await page.getByText('The account rita was created').waitFor()
    assert.equal(await page.getByText('Station started').count(), 0)
    await page.getByRole('combobox', { name: 'Level' }).selectOption('error')
    await page.getByText('The account rita was created').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Clear' }).first().click()
    await page.getByText('Station started').waitFor()
  })

  test('all of it comes as a file, also past what is shown', async () => {
    for (const [name, first] of [
      ['Download as a table (CSV)', /^id,at,level,context,code,subject,sentence,/],
      ['Download as lines (JSON)', /^\{"id":\d+,"at":"\d{4}-/],
    ] as const) {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name }).click(),
      ])
      const text = await readFile(await download.path(), 'utf8')
      assert.match(text, first)
      assert.match(text, /station:started/)
    }
  })

  test('everything in the background is in one list, which says what can be done to each and does it', async () => {
    await tabs.walk(page, '/tasks')
    const jobs = page.locator('section', {
      has: page.getByRole('heading', { name: 'All background work' }),
    })
    await jobs.getByText('No background work').waitFor()
    await askStation(tabs.station, '/collections', { seeds: ['http://jobs.test/'] })
    const row = jobs.getByRole('row').filter({ hasText: 'http://jobs.test/' })
    await row.getByText('Running').waitFor()
    await row.getByRole('button', { name: 'Pause' }).click()
    await row.getByText('Paused').waitFor()
    await jobs.getByRole('combobox', { name: 'State' }).selectOption('running')
    await page.waitForURL(/job\.state=running/)
    await row.waitFor({ state: 'detached' })
    await jobs.getByRole('combobox', { name: 'State' }).selectOption('paused')
    await row.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel it' }).click()
    await row.waitFor({ state: 'detached' })
    await jobs.getByRole('combobox', { name: 'State' }).selectOption('cancelled')
    await row.getByRole('link', { name: 'http://jobs.test/' }).click()
    await page.waitForURL(/\/collections\/\d+$/)
  })

  const enter = async (tab: Page): Promise<Page> => {
    await tab.getByRole('main').getByLabel('Name', { exact: true }).fill('rita')
    await tab.getByRole('main').getByLabel('Password', { exact: true }).fill(PASSWORD)
    await tab.getByRole('main').getByRole('button', { name: 'Log in' }).click()
    await tab.getByRole('link', { name: 'rita' }).waitFor()
    return tab
  }

  test('a stranger is asked to log in, and a reader learns that the log is not for them', async () => {
    reader = await tabs.visit('/events')
    await reader.getByText('Log in to continue').waitFor()
    await tabs.walk(reader, '/log-in')
    await enter(reader)
    await tabs.walk(reader, '/events')
    await reader.getByText('events:read').waitFor()
  })

  test('sessions are listed with their browser; one that is ended elsewhere is out at once', async () => {
    const [here, there] = [reader, await enter(await tabs.visit('/log-in'))]
    await tabs.walk(here, '/account')
    await here.getByRole('heading', { name: 'Sessions' }).waitFor()
    await here.getByText('this one').waitFor()
    await here
      .getByText(/Chrome \d+ · Linux/)
      .first()
      .waitFor()
    await here.getByRole('button', { name: 'End all others' }).click()
    await here.getByRole('alertdialog').getByRole('button', { name: 'End all others' }).click()
    await here.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' })
    assert.equal(await here.getByRole('button', { name: 'End it' }).count(), 0)
    await there.reload()
    await there.getByRole('link', { name: 'rita' }).waitFor({ state: 'detached' })
    await tabs.assertAccessible(here, ['/account'])
    await here.context().close()
    await there.context().close()
  })

  test('the page for site owners needs no script and fits a telephone in every language and colour', async () => {
    const scriptless = await tabs.blank({ javaScriptEnabled: false })
    await scriptless.goto(`${tabs.station.url}/bot?language=es`)
    await scriptless.locator('#own-host').fill('a.example')
    await scriptless.locator('form').first().getByRole('button').click()
    await scriptless.locator('html[lang="es"] h1', { hasText: 'a.example' }).waitFor()
    await scriptless.context().close()
    const narrow = await tabs.blank({ viewport: { width: 360, height: 740 } })
    for (const language of ['en', 'es', 'pt']) {
      await narrow.goto(`${tabs.station.url}/bot?language=${language}`)
      assert.equal(await narrow.evaluate('document.documentElement.scrollWidth'), 360, language)
      for (const colorScheme of ['light', 'dark'] as const) {
        await narrow.emulateMedia({ colorScheme })
        assert.deepEqual(await axeFindings(narrow), [], `${language} ${colorScheme}`)
      }
    }
    await narrow.context().close()
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing in the log in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      const paths = [
        '/tasks',
        '/events',
        '/events?q=nothing-of-the-kind',
        '/account',
        '/keys',
        '/money',
      ]
      await tabs.assertAccessible(page, paths)
    })
  }

  test('the log is shown in Spanish and Portuguese, and nothing scrolls sideways on a telephone', async () => {
    for (const [language, title, sentence] of [
      ['es', 'Sucesos', 'El ajuste delayMs vale 1700 desde ahora.'],
      ['pt', 'Acontecimentos', 'A definição delayMs vale 1700 a partir de agora.'],
      ['en', 'Events', 'The setting delayMs is 1700 from now on.'],
    ] as const) {
      await tabs.walk(page, '/events')
      await page.locator('.settings select').first().selectOption(language)
      await page.getByRole('heading', { name: title, level: 1 }).waitFor()
      await page.getByText(sentence).waitFor()
    }
    await tabs.assertFitsTelephone(page, ['/events', '/tasks', '/account', '/keys', '/money'])
    assert.deepEqual(tabs.complaints, [])
    const own = [tabs.station.url, 'data:', 'blob:']
    const strange = tabs.requested.filter((url) => !own.some((start) => url.startsWith(start)))
    assert.deepEqual(strange, [])
  })
})
