// Goal: the first page shows a station live, starts collections, and is safe, accessible, translated and local.
// Method: `minga up --demo` and Debian's Chromium; everything is judged from what the browser sees and sends.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import {
  buildPage,
  hasChromium,
  launchBrowser,
  seriousFindings,
  startStation,
  type Station,
} from './page-station.ts'

/** Generous: it is only spent when something is broken. */
const PATIENCE_MS = 60_000

const skip = hasChromium ? false : 'Chromium is not installed'

describe('the first page', { skip }, () => {
  let station: Station
  let browser: Browser
  /** Everything any page of these tests asked for. */
  const requested: string[] = []
  const complaints: string[] = []

  before(async () => {
    await buildPage()
    station = await startStation('--demo')
    browser = await launchBrowser()
  })
  after(async () => {
    await browser?.close()
    await station?.stop()
  })

  async function visit(address: string, options: BrowserContextOptions = {}): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    page.on('request', (request) => requested.push(request.url()))
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => {
      // The station's refusals are part of the tests; what the browser itself refuses is not.
      if (/Content Security Policy|Uncaught/.test(message.text())) complaints.push(message.text())
    })
    await page.goto(address)
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    return page
  }

  const doneOf = async (page: Page): Promise<number> => {
    const text = await page.locator('.legend .done b').first().textContent()
    return Number((text ?? '').replaceAll(',', ''))
  }

  async function firstSeed(): Promise<string> {
    const response = await fetch(`${station.url}/api/collections`)
    const [collection] = (await response.json()) as { spec: { seeds: string[] } }[]
    return collection!.spec.seeds[0]!
  }

  test('numbers grow while nobody touches the page', async () => {
    const page = await visit(station.urlWithKey)
    await page.getByText('Live').waitFor()
    const first = await doneOf(page)
    for (let i = 0; i < 60 && (await doneOf(page)) < first + 20; i++) await page.waitForTimeout(250)
    assert.ok((await doneOf(page)) >= first + 20)
    await page.locator('.capture-table tbody tr').first().waitFor()
    await page.locator('.plot canvas').first().waitFor()
    await page.context().close()
  })

  test('the key leaves the address bar, and another visitor may only look', async () => {
    const page = await visit(station.urlWithKey)
    assert.equal(page.url(), `${station.url}/`)
    assert.equal(await page.getByText('You are looking only').count(), 0)
    await page.context().close()
    const guest = await visit(`${station.url}/new`)
    await guest.getByText('You are looking only').waitFor()
    assert.equal(await guest.getByRole('button', { name: 'Start collecting' }).isDisabled(), true)
    await guest.context().close()
  })

  test('the key is in nothing that the station serves without it', async () => {
    const key = station.urlWithKey.split('#key=')[1]!
    for (const path of ['/', '/new', '/api/collections', '/api/snapshot', '/station.json']) {
      assert.equal((await (await fetch(station.url + path)).text()).includes(key), false, path)
    }
    const refused = await fetch(`${station.url}/api/collections/1/pause`, { method: 'POST' })
    assert.equal(refused.status, 401)
  })

  test('the form shows the sentence of the station, then starts a collection', async () => {
    const page = await visit(station.urlWithKey)
    await page.getByRole('link', { name: 'New collection' }).click()
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.getByText('Write at least one address').waitFor()
    await page.getByLabel('Seeds', { exact: true }).fill('ftp://example.org/')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.getByText('"ftp://example.org/" is not an http or https address').waitFor()
    await page.getByText('MINGA_BAD_SEED').waitFor()

    await page
      .getByLabel('Seeds', { exact: true })
      .fill((await firstSeed()).replace('www.', 'museum.'))
    await page.getByLabel('Delay in seconds').fill('0.1')
    await page.getByLabel('Pages at most').fill('15')
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.waitForURL('**/collections/2')
    await page.getByRole('heading', { name: /^museum\.valley\.test/ }).waitFor()
    await page.locator('.host-table tbody tr').first().waitFor()
    await page.getByText('Finished').first().waitFor()
    await page.getByText('its limit of pages was reached').waitFor()
    await page.context().close()
  })

  test('a collection is paused, resumed and, once confirmed, cancelled', async () => {
    const page = await visit(station.urlWithKey)
    await page.getByRole('link', { name: 'New collection' }).click()
    await page
      .getByLabel('Seeds', { exact: true })
      .fill((await firstSeed()).replace('www.', 'library.'))
    await page.getByRole('button', { name: 'Start collecting' }).click()
    await page.waitForURL('**/collections/3')
    const pill = page.locator('.summary .pill')
    await page.getByRole('button', { name: 'Pause' }).click()
    await pill.filter({ hasText: 'Paused' }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await pill.filter({ hasText: 'Running' }).waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').waitFor()
    assert.deepEqual(await seriousFindings(page), [])
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Cancel the collection' }).click()
    await pill.filter({ hasText: 'Cancelled' }).waitFor()
    await page.context().close()
  })

  test('captures are paged, newest first', async () => {
    const page = await visit(`${station.url}/collections/1`)
    const rows = page.locator('.capture-table tbody tr')
    await rows.first().waitFor()
    await page.getByRole('button', { name: 'Older' }).click()
    await page.getByText('Page 2').waitFor()
    assert.equal(await rows.count(), 25)
    await page.getByRole('button', { name: 'Newest' }).click()
    await page.getByText('Page 1').waitFor()
    await page.context().close()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious on any screen in ${colorScheme} colours`, async () => {
      for (const path of ['/', '/new', '/collections/1', '/collections/999', '/nowhere']) {
        const page = await visit(station.url + path, { colorScheme })
        await page.getByText('Live').waitFor()
        assert.deepEqual(await seriousFindings(page), [], path)
        await page.context().close()
      }
    })
  }

  test('Spanish and Portuguese are spoken throughout, and the choice is remembered', async () => {
    const page = await visit(station.url, { locale: 'es-AR' })
    await page.getByRole('link', { name: 'Nueva colección' }).waitFor()
    await page.getByText('Últimas capturas').first().waitFor()
    await page.getByLabel('Idioma').selectOption('pt')
    await page.getByRole('link', { name: 'Nova coleção' }).click()
    await page.getByText('Até onde seguir as ligações').waitFor()
    await page.reload()
    await page.getByRole('heading', { name: 'Nova coleção' }).waitFor()
    assert.equal(await page.evaluate('document.documentElement.lang'), 'pt')
    await page.context().close()
  })

  test('nothing scrolls sideways on a telephone of 360 pixels, in any language', async () => {
    for (const locale of ['en', 'es', 'pt']) {
      for (const path of ['/', '/new', '/collections/1']) {
        const page = await visit(station.url + path, {
          locale,
          viewport: { width: 360, height: 740 },
        })
        await page.waitForTimeout(500)
        const width = await page.evaluate('document.documentElement.scrollWidth')
        assert.equal(width, 360, `${locale} ${path}`)
        await page.context().close()
      }
    }
  })

  test('the first press of Tab offers to skip to the content', async () => {
    const page = await visit(station.url)
    await page.keyboard.press('Tab')
    assert.equal(await page.evaluate('document.activeElement.textContent'), 'Skip to the content')
    await page.keyboard.press('Enter')
    assert.equal(await page.evaluate('document.activeElement.id'), 'content')
    await page.context().close()
  })

  test('an empty station explains the three steps, and a lost one says so', async () => {
    const empty = await startStation('--no-agent')
    try {
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await visit(empty.url, { colorScheme })
        await page.getByText('Three steps to the first one').waitFor()
        assert.deepEqual(await seriousFindings(page), [])
        await page.context().close()
      }
      const page = await visit(empty.url)
      await page.getByText('Live').waitFor()
      await empty.stop()
      await page.getByText('No news from the station').waitFor()
      await page.context().close()
    } finally {
      await empty.stop()
    }
  })

  test('no request left the machine and the browser had nothing to complain about', () => {
    assert.ok(requested.length > 100)
    const foreign = requested.filter((url) => !/^(http:\/\/127\.0\.0\.1:\d+\/|data:)/.test(url))
    assert.deepEqual(foreign, [])
    assert.deepEqual(complaints, [])
  })

  test("clients' requests have a name, cannot be cancelled as a whole, and break no rule", async () => {
    const key = station.urlWithKey.split('#key=')[1]!
    const sent = await fetch(`${station.url}/api/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ urls: [await firstSeed()], maxAgeS: 0 }),
    })
    assert.equal(sent.status, 200)
    const page = await visit(station.urlWithKey)
    await page.getByRole('link', { name: "Clients' requests" }).click()
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Cancel' }).count(), 0)
    assert.deepEqual(await seriousFindings(page), [])
    await page.context().close()
  })
})
