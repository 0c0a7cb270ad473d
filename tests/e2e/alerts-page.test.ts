// Goal: whoever watches can make, try, switch off and remove alerts on the page, in three languages and
// both colours. Method: a real station without an agent, a receiver on loopback, and Debian's Chromium.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
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

describe('alerts on the page', { skip }, () => {
  let station: Station
  let browser: Browser
  let server: Server
  let hook: string
  let watch: string
  const heard: string[] = []

  before(async () => {
    await buildPage()
    station = await startStation('--no-agent', '--allow-private-addresses')
    browser = await launchBrowser()
    server = createServer((request, response) => {
      heard.push(String(request.headers['minga-signature']))
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const { origin, hash } = new URL(station.urlWithKey)
    const made = await fetch(`${origin}/api/watches`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${hash.replace('#key=', '')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ name: 'Press', urls: ['https://news.example.org/'] }),
    })
    watch = `/watches/${((await made.json()) as { id: number }).id}`
  })
  after(async () => {
    await browser?.close()
    await station?.stop()
    server?.close()
  })

  async function visit(
    path: string,
    options: { locale?: string; colorScheme?: 'light' | 'dark' } = {},
  ): Promise<Page> {
    const context = await browser.newContext({ locale: 'en', ...options })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    await page.goto(`${station.url}${path}${new URL(station.urlWithKey).hash}`)
    return page
  }

  test('an alert of a watch is made, tried, switched off and removed on the page', async () => {
    const page = await visit(watch)
    await page.getByText('New alert').click()
    await page.getByRole('radio', { name: 'Webhook' }).check({ force: true })
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByText('Write where it is to go.').waitFor()
    await page.getByLabel('Address of your server').fill(hook)
    await page.getByLabel('Failures in a row').fill('3')
    await page.getByLabel('Quiet from').fill('22:00')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByText('Write both times').first().waitFor()
    await page.getByLabel('Quiet until').fill('07:00')
    await page.getByRole('button', { name: 'Make the alert' }).click()
    await page.getByText('Copy the secret now').waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Important changes · 3 failures in a row').waitFor()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('A test message was sent.').waitFor()
    assert.match(heard[0]!, /^t=\d+,v1=[\da-f]{64}$/)
    await page.getByRole('heading', { name: 'Last messages' }).waitFor()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('button', { name: 'Switch on' }).waitFor()
    const rules = page.getByRole('table', { name: 'Your alerts' })
    await rules.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No alert yet.').waitFor()
    await page.context().close()
  })

  test('a feed of all that is watched is made on the page of alerts and can be opened', async () => {
    const page = await visit('/alerts')
    await page.getByText('New alert').click()
    await page.getByRole('radio', { name: 'Feed' }).check({ force: true })
    assert.equal(await page.getByLabel('Quiet from').count(), 0)
    await page.getByRole('button', { name: 'Make the alert' }).click()
    const link = page.getByRole('link', { name: 'Address of the feed' })
    const feed = await fetch(new URL((await link.getAttribute('href'))!, station.url))
    assert.match(feed.headers.get('content-type')!, /^application\/atom\+xml/)
    await page.context().close()
  })

  for (const colorScheme of ['light', 'dark'] as const) {
    test(`axe finds nothing serious on the screens of alerts in ${colorScheme} colours`, async () => {
      for (const path of [watch, '/alerts']) {
        const page = await visit(path, { colorScheme })
        await page.getByText('New alert').click()
        const choice = page.locator('label.choice', { hasText: 'At once' })
        await choice.locator('select').selectOption('weekly')
        await page.locator('label.choice', { hasText: 'Thursday' }).waitFor()
        assert.deepEqual(await seriousFindings(page), [], path)
        await page.context().close()
      }
    })
  }

  test('the screen of alerts speaks Spanish and Portuguese', async () => {
    for (const [locale, title] of [
      ['es', 'Nuevo aviso'],
      ['pt-BR', 'Novo aviso'],
    ] as const) {
      const page = await visit('/alerts', { locale })
      await page.getByText(title).waitFor()
      await page.context().close()
    }
  })
})
