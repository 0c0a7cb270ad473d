// Goal: readers of the archive find captures by their words, on the page and on the command line, and learn
// how far the index is. Method: a real station with an imported file whose pages are hostile, Debian's Chromium, and
// the command.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { recordExchange } from '@minga/archive'
import type { ArchiveTextPage } from '@minga/protocol'
import type { Page } from 'playwright-core'
import { countingIds, sampleExchange } from '../../packages/archive/test/sample-exchange.ts'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'
import { mingaOutput } from './run-minga.ts'

const HOSTILE = '&lt;img src=x onerror="window.pwned=1"&gt;'
const FOUND = '/archive?by=text&q=minga'

const pageOf = (name: string, text: string) =>
  sampleExchange({
    url: `http://${name}.test/`,
    body: Buffer.from(`<title>${name}</title><p>${text}</p>`),
  })

async function importPages(tabs: Tabs, folder: string): Promise<void> {
  const newId = countingIds()
  const long = 'otra cosa que nadie busca, '.repeat(40)
  const pages = [
    pageOf('one', `${long} La MINGA del año nuevo ${HOSTILE} ${long}`),
    pageOf('two', 'Una minga en octubre'),
    pageOf('three', 'Nada de eso'),
  ]
  const file = join(folder, 'pages.warc.gz')
  await writeFile(file, Buffer.concat(pages.flatMap((one) => recordExchange(one, newId).members)))
  await askStation(tabs.station, '/archive/import', { file })
  for (;;) {
    const answer = await fetch(`${tabs.station.url}/api/archive/text?q=`)
    const { index } = (await answer.json()) as ArchiveTextPage
    if (index.captures === pages.length && index.indexed === index.captures) return
    await sleep(200)
  }
}

describe('texts of the archive on the page', { skip: skipWithoutChromium }, () => {
  let folder: string
  let tabs: Tabs
  let page: Page

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-text-search-'))
    tabs = await startTabs('--no-agent', '--data', join(folder, 'data'))
    await importPages(tabs, folder)
    page = await tabs.visit('/archive', { withKey: true })
  })
  after(async () => {
    await tabs?.end()
    await rm(folder, { recursive: true, force: true })
  })

  test('captures are found by their words, which are marked, and the address keeps the question', async () => {
    await page.getByRole('combobox', { name: 'In', exact: true }).selectOption('text')
    await page.getByLabel('Search for').fill('"año nuevo" ming*')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    const hit = page.locator('.text-hit')
    await hit.first().waitFor()
    assert.equal(await hit.count(), 1)
    assert.deepEqual(await hit.locator('mark').allTextContents(), ['MINGA', 'año nuevo'])
    assert.match(page.url(), /by=text/)
    await page.reload()
    await hit.locator('mark').first().waitFor()
    // What the page wrote is shown as it was written, and nothing of it runs.
    assert.match((await hit.textContent()) ?? '', /<img src=x onerror/)
    assert.equal(await page.evaluate('window.pwned'), undefined)
    await hit.getByRole('link').click()
    await hit.waitFor({ state: 'detached' })
    await page.getByRole('heading', { level: 1 }).waitFor()
    assert.match(page.url(), /\/archive\/url\?.*one\.test/)
  })

  test('hits are narrowed down by host, and where there is none the page says how far the index is', async () => {
    await tabs.walk(page, FOUND)
    assert.equal(await page.locator('.text-hit').count(), 2)
    await page.getByLabel('Only the host').fill('two.test')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.locator('.text-hit', { hasText: 'one.test' }).waitFor({ state: 'detached' })
    assert.equal(await page.locator('.text-hit').count(), 1)
    await tabs.walk(page, '/archive?by=text&q=ninguna')
    await page.getByText('Nothing in the archive matches.').waitFor()
    await page.getByText('3 of 3 captures are indexed.').waitFor()
    await tabs.walk(page, '/archive?by=text')
    await page.getByText('Which words are you looking for?').waitFor()
  })

  test('switched off, it says so and leads to the setting', async () => {
    const set = (textCharacters: number): Promise<Response> =>
      fetch(`${tabs.station.url}/api/settings`, {
        method: 'PATCH',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${tabs.station.key}`,
        },
        body: JSON.stringify({ textCharacters }),
      })
    assert.equal((await set(0)).status, 200)
    await tabs.open(page, FOUND)
    await page.getByText('Text search is turned off').waitFor()
    await page.getByRole('link', { name: 'Open the settings' }).waitFor()
    await tabs.assertAccessible(page, [FOUND])
    assert.equal((await set(100_000)).status, 200)
    await tabs.open(page, FOUND)
    await page.locator('.text-hit').first().waitFor()
  })

  test('the command finds the same', async () => {
    const data = join(folder, 'data')
    const output = await mingaOutput('archive', 'search', 'minga', '--json', '--data', data)
    const said = JSON.parse(output) as { hits: { url: string }[]; indexed: number }
    assert.deepEqual(said.hits.map(({ url }) => url).toSorted(), [
      'http://one.test/',
      'http://two.test/',
    ])
    assert.equal(said.indexed, 3)
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, [FOUND, '/archive?by=text', '/archive?by=text&q=ninguna'])
    })
  }

  test('nothing scrolls sideways on a telephone, nothing complains and nothing is asked of others', async () => {
    await tabs.assertFitsTelephone(page, [FOUND, '/archive?by=text&q=ninguna'])
    assert.deepEqual(tabs.complaints, [])
    const outside = tabs.requested.filter((url) => !url.startsWith(tabs.station.url))
    assert.deepEqual(outside, [])
  })
})
