// Goal: a collection is tried out, started, watched, changed while it runs, stopped, run again and found in the list, all
// on the page. Method: the demo web on this machine, its real agent and Debian's Chromium.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

interface Status {
  id: number
  state: string
  spec: { seeds: string[] }
}

describe('collections on the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let library: string

  before(async () => {
    tabs = await startTabs('--demo', 'web')
    page = await tabs.visit('/new', { withKey: true })
    const collections = (): Promise<Status[]> => askStation(tabs.station, '/collections')
    while ((await collections()).length === 0) await page.waitForTimeout(100)
    library = (await collections())[0]!.spec.seeds[0]!.replace('www.', 'library.')
    // It would take the turns of the same hosts.
    await askStation(tabs.station, '/collections/1/pause', {})
  })
  after(() => tabs?.end())

  const state = () => page.locator('.summary .pill')
  const idShown = (): number => Number(page.url().split('/').at(-1))
  const statusOf = (id: number): Promise<Status> => askStation(tabs.station, `/collections/${id}`)

  test('seeds are checked against robots.txt by an agent before anything starts', async () => {
    await page.getByLabel('Seeds', { exact: true }).fill(`${library}\nhttp://10.0.0.256/`)
    await page.getByRole('button', { name: 'Check robots.txt' }).click()
    const checks = page.getByRole('table', { name: 'What the sites say' })
    await checks.getByRole('cell').getByText('Allowed').waitFor()
    await checks.getByText('MINGA_BAD_SEED').waitFor()
    await page.getByText('Checked as MingaBot').waitFor()
  })

  test('a scope is tried on addresses, and on the links of a page that is in the archive', async () => {
    await page.getByLabel('Seeds', { exact: true }).fill(library)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('No addresses that match').fill('/picture/')
    const tried = `${library}page/1\n${library}picture/1.svg\nhttp://elsewhere.test/`
    await page.getByLabel('Addresses to try').fill(tried)
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('1 of 3 would be collected').waitFor()
    const verdicts = page.getByRole('table', { name: 'Try the scope' })
    await verdicts.getByText('beyond the scope of the seeds').waitFor()
    await verdicts.locator('code', { hasText: '/picture/' }).waitFor()
    await page.getByLabel('Or the links of a captured page').fill('http://never.test/')
    await page.getByRole('button', { name: 'Try', exact: true }).click()
    await page.getByText('MINGA_NO_SUCH_CAPTURE').waitFor()
  })

  test('it is started, watched, and its scope changed and changed back while it runs', async () => {
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('Delay in seconds').fill('0.3')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.getByRole('heading', { name: /^library\.valley\.test/ }).waitFor()
    const hosts = page.getByRole('table', { name: 'Hosts and delays' })
    await hosts.getByText('library.valley.test').first().waitFor()
    await page.getByText('Web pages').waitFor()
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByLabel('No addresses that match').fill('/picture/\n/page/\\d*[02468]')
    await page.getByRole('button', { name: 'Save changes' }).click()
    await page.getByText('Changes so far').waitFor()
    await page.getByText('MINGA_OUT_OF_SCOPE').first().waitFor()
    await page.getByRole('button', { name: 'Undo the last change' }).click()
    await page.getByText('undone by operator').waitFor()
    await page.getByText('MINGA_OUT_OF_SCOPE').first().waitFor({ state: 'detached' })
  })

  test('who reads it is set on its page', async () => {
    const choice = page.getByRole('radio', { name: /^Private/ })
    // The input itself is hidden behind its label.
    await page.getByText(/^Private: you, operators/).click()
    assert.ok(await choice.isChecked())
    await page.getByRole('button', { name: 'Save readers' }).click()
    await page.getByRole('button', { name: 'Save readers', disabled: true }).waitFor()
    await tabs.open(page, `/collections/${idShown()}`)
    await page.getByRole('radio', { name: /^Private/, checked: true }).waitFor()
  })

  test('it is paused, resumed, stopped with what it has, run again, and discarded once confirmed', async () => {
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    await state().filter({ hasText: 'Paused' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await state().filter({ hasText: 'Running' }).waitFor()
    await page.getByRole('button', { name: 'Stop and keep' }).click()
    await state().filter({ hasText: 'Stopped' }).waitFor()
    const id = idShown()
    await page.getByRole('button', { name: 'Run again' }).click()
    await page.waitForURL(`**/collections/${id + 1}`)
    await page.getByText(`Collection ${id + 1}`).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('alertdialog').getByText('the bytes remain').waitFor()
    await page.getByRole('button', { name: 'Discard the captures' }).click()
    await state().filter({ hasText: 'Cancelled' }).waitFor()
    const states = [(await statusOf(id)).state, (await statusOf(id + 1)).state]
    assert.deepEqual(states, ['finished', 'cancelled'])
  })

  test('a collection that captured nothing is shown as failed, with its cause and a red bar', async () => {
    const request = { seeds: ['http://127.0.0.1:9998/'], retries: 0 }
    const { id } = await askStation<Status>(tabs.station, '/collections', request)
    await tabs.open(page, `/collections/${id}`)
    await page.locator('.summary .pill.failed', { hasText: 'Failed' }).waitFor()
    const problem = page.locator('.problem.failed')
    await problem.getByText('Nothing was captured.').waitFor()
    await problem.getByText('Check that the site is up').waitFor()
    const grown = await page
      .locator('.summary .bar > div')
      .evaluateAll((parts) => parts.map((part) => part.outerHTML))
    assert.match(grown.join(''), /"done" style="flex-grow: 0;.*"failed" style="flex-grow: 1;/)
    await page.locator('.summary .figures a.bad', { hasText: '1' }).click()
    await page.waitForURL(`**/collections/${id}#errors`)
    await tabs.open(page, '/collections')
    const row = page.getByRole('row').filter({ hasText: '127.0.0.1:9998' })
    await row.locator('.pill.failed', { hasText: 'Failed' }).waitFor()
    await row.locator('a.bad', { hasText: '1' }).waitFor()
  })

  test('links beyond the limit of a page are counted on the page of their collection', async (t) => {
    const links = Array.from({ length: 10_020 }, (_, i) => `<a href="/${i}">a</a>`)
    const site = createServer((request, response) => {
      response.statusCode = request.url === '/' ? 200 : 404
      response.setHeader('content-type', 'text/html').end(links.join(''))
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    t.after(() => site.close())
    const { port } = site.address() as AddressInfo
    const request = { seeds: [`http://127.0.0.1:${port}/`], scope: 'page' }
    const { id } = await askStation<Status>(tabs.station, '/collections', request)
    await tabs.open(page, `/collections/${id}`)
    await state().filter({ hasText: 'Finished' }).waitFor()
    const figures = page.locator('.summary .figures')
    assert.match(await figures.innerText(), /Links beyond the limit per page\s*20\b/)
    await tabs.open(page, '/collections/1')
    await figures.getByText('Pages').waitFor()
    assert.doesNotMatch(await figures.innerText(), /Links beyond/)
    await tabs.open(page, '/collections')
  })

  test('the list is filtered by outcome, in the address and on the page', async () => {
    // It was run again by the test before.
    const libraries = page.getByRole('link', { name: /^library/ }).first()
    await page.getByLabel('Outcome').selectOption({ label: 'Failed' })
    await libraries.waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: '127.0.0.1:9998' }).waitFor()
    assert.match(page.url(), /outcome=failed/)
    await page.getByLabel('Outcome').selectOption({ label: 'Stopped by a user' })
    await libraries.waitFor()
    assert.equal(await page.getByRole('row').filter({ hasText: '127.0.0.1:9998' }).count(), 0)
  })

  test('a failed collection needs attention on the overview, with its cause and a link to it', async () => {
    await tabs.walk(page, '/')
    const block = page.locator('section.attention')
    await block.getByRole('heading', { name: 'Needs attention' }).waitFor()
    const item = block.getByRole('listitem').filter({ hasText: '127.0.0.1:9998' })
    await item.getByText('no server is listening at this address').waitFor()
    await item.getByText('Check its seeds').waitFor()
    await item.getByRole('link', { name: /captured no page/ }).click()
    await page.waitForURL(/\/collections\/\d+$/)
    await page.locator('.summary .pill.failed', { hasText: 'Failed' }).waitFor()
  })

  test('what was collected before is shown with three choices, and nothing of it changes without one', async () => {
    const [id] = (await askStation<Status[]>(tabs.station, '/collections'))
      .filter(({ spec }) => spec.seeds[0] === library)
      .map((status) => status.id)
    const former = (await statusOf(id!)).spec
    await tabs.walk(page, '/new')
    await page.getByLabel('Seeds', { exact: true }).fill(library)
    await page.getByRole('button', { name: 'Next' }).click()
    await page.getByLabel('No addresses that match').fill('/picture/')
    await page.getByLabel('Pages at most').fill('3')
    await page.getByRole('button', { name: 'Next' }).click()
    const card = page.getByRole('region', { name: 'You already collected this' })
    await card.getByText(/ago \(\d+ pages?, no limit\)/).waitFor()
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await card.getByText('Choose what should happen to the existing collection.').waitFor()
    assert.deepEqual((await statusOf(id!)).spec, former)
    await card.getByText('Keep both: start a new collection').click()
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.waitForURL(/collections\/\d+$/)
    assert.notEqual(idShown(), id)
    assert.deepEqual((await statusOf(id!)).spec, former)
    await askStation(tabs.station, `/collections/${idShown()}/cancel`, {})
  })

  test('the list is searched, filtered in the address, and acts on all that were chosen', async () => {
    const started: number[] = []
    for (const site of ['museum', 'market']) {
      const seeds = [library.replace('library', site)]
      const asked = { seeds, delayMs: 60_000 }
      started.push((await askStation<Status>(tabs.station, '/collections', asked)).id)
    }
    await tabs.walk(page, '/collections')
    await page.getByRole('link', { name: /^museum/ }).waitFor()
    await page.getByLabel('Seed or number').fill('market')
    await page.getByRole('link', { name: /^museum/ }).waitFor({ state: 'detached' })
    assert.match(page.url(), /q=market/)
    await tabs.walk(page, '/collections?state=running&kind=crawl')
    await page.getByRole('link', { name: /^library/ }).waitFor({ state: 'detached' })
    const rows = page.locator('.list tbody tr')
    assert.equal(await rows.count(), 2)
    for (const row of await rows.all()) await row.getByRole('checkbox').click()
    await page
      .getByRole('region', { name: 'Chosen rows' })
      .getByRole('button', { name: 'Pause' })
      .click()
    await page.getByText('No match').waitFor()
    for (const id of started) assert.equal((await statusOf(id)).state, 'paused')
  })

  test('the overview tells of the whole station and leads to what its figures count', async () => {
    await tabs.walk(page, '/')
    await page.getByText('Everything together').waitFor()
    await page.getByRole('link', { name: /^\d+$/ }).first().click()
    await page.waitForURL('**/collections?state=running')
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on collections in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      const paths = ['/', '/collections', '/collections?q=nothing', '/collections/2', '/new']
      await tabs.assertAccessible(page, paths)
    })
  }

  test('a collection that is not there is said to be so, with its code', async () => {
    await tabs.walk(page, '/collections/999')
    await page.getByText('MINGA_NO_SUCH_COLLECTION').waitFor()
  })

  test('nothing scrolls sideways on a telephone of 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(page, ['/', '/collections', '/collections/2', '/new']))

  test('no request left the machine and the browser had nothing to complain about', () => {
    const foreign = tabs.requested.filter(
      (url) => !/^(http:\/\/127\.0\.0\.1:\d+\/|data:)/.test(url),
    )
    assert.deepEqual(foreign, [])
    assert.deepEqual(tabs.complaints, [])
  })
})
