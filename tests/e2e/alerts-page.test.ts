// Goal: users who watch can make, try, switch off and remove alerts on the page, in three languages and
// both colours. Method: a real station without an agent, a receiver on loopback, and Debian's Chromium.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { COLOURS, startTabs, type Tabs } from './page-tabs.ts'

describe('alerts on the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let server: Server
  let hook: string
  let watch: string
  const heard: string[] = []

  before(async () => {
    tabs = await startTabs('--no-agent', '--allow-private-addresses')
    server = createServer((request, response) => {
      heard.push(String(request.headers['minga-signature']))
      response.writeHead(204).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    hook = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    const press = { name: 'Press', urls: ['https://news.example.org/'] }
    const { id } = await askStation<{ id: number }>(tabs.station, '/watches', press)
    watch = `/watches/${id}`
    page = await tabs.visit(watch, { withKey: true })
  })
  after(async () => {
    await tabs?.end()
    server?.close()
  })

  test('an alert of a watch is made, tried, switched off and removed on the page', async () => {
    await page.getByText('New alert').click()
    await page.getByRole('radio', { name: 'Webhook' }).check({ force: true })
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('Enter where to send it.').waitFor()
    await page.getByLabel('Address of your server').fill(hook)
    await page.getByLabel('Failures in a row').fill('3')
    await page.getByLabel('Quiet from').fill('22:00')
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('Enter both times').first().waitFor()
    await page.getByLabel('Quiet until').fill('07:00')
    await page.getByRole('button', { name: 'Create alert' }).click()
    await page.getByText('Copy the secret now').waitFor()
    await page.getByRole('button', { name: 'I have it' }).click()
    await page.getByText('Important changes · 3 failures in a row').waitFor()
    await page.getByRole('button', { name: 'Test' }).click()
    await page.getByText('A test message was sent.').waitFor()
    assert.match(heard[0]!, /^t=\d+,v1=[\da-f]{64}$/)
    await page.getByRole('heading', { name: 'Last messages' }).waitFor()
    await page.getByRole('button', { name: 'Turn off' }).click()
    await page.getByRole('button', { name: 'Turn on' }).waitFor()
    const rules = page.getByRole('table', { name: 'Your alerts' })
    await rules.getByRole('button', { name: 'Remove' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No alert yet.').waitFor()
  })

  test('a feed of all that is watched is made on the page of alerts and can be opened', async () => {
    await tabs.walk(page, '/alerts')
    await page.getByText('New alert').click()
    await page.getByRole('radio', { name: 'Feed' }).check({ force: true })
    assert.equal(await page.getByLabel('Quiet from').count(), 0)
    await page.getByRole('button', { name: 'Create alert' }).click()
    const link = page.getByRole('link', { name: 'Address of the feed' })
    const feed = await fetch(new URL((await link.getAttribute('href'))!, tabs.station.url))
    assert.match(feed.headers.get('content-type')!, /^application\/atom\+xml/)
  })

  for (const colorScheme of COLOURS) {
    test(`axe finds nothing on the screens of alerts in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      for (const path of [watch, '/alerts']) {
        await tabs.walk(page, path)
        await page.getByText('New alert').click()
        const choice = page.locator('label.choice', { hasText: 'At once' })
        await choice.locator('select').selectOption('weekly')
        await page.locator('label.choice', { hasText: 'Thursday' }).waitFor()
        assert.deepEqual(await axeFindings(page), [], path)
      }
    })
  }

  test('the screen of alerts speaks Spanish and Portuguese', async () => {
    for (const [locale, title] of [
      ['es', 'Nuevo aviso'],
      ['pt-BR', 'Novo aviso'],
    ] as const) {
      const other = await tabs.visit('/alerts', { withKey: true, locale })
      await other.getByText(title).waitFor()
    }
  })
})
