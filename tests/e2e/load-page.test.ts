// Goal: who owns a site tests it on the page and stops it with one press, and who watches a list of
// addresses sees where they look otherwise. Method: a real station whose own agent plays the visitors,
// four agents in three countries, a site of our own whose log is the judge, and Debian's Chromium.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { mmdbPlace, writeMmdb } from '@minga/net'
import { endAllProcesses, startProcess } from '@minga/testkit'
import type { Page } from 'playwright-core'
import { askStation, axeFindings, skipWithoutChromium, type Station } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const AGENT = fileURLToPath(new URL('../../apps/agent/src/main.ts', import.meta.url))
const PROOF = '/.well-known/minga-proof.txt'
/** Two devices where the site is blocked: what only one sees is not confirmed. */
const MACHINES = [
  { address: '127.0.87.1', country: 'AR' },
  { address: '127.0.87.2', country: 'CL' },
  { address: '127.0.87.3', country: 'UY' },
  { address: '127.0.87.4', country: 'UY' },
]
const BLOCKED = new Set(['127.0.87.3', '127.0.87.4'])

/** Answers at once, but keeps visitors from Uruguay out of its news. */
class Site {
  readonly hits: { atMs: number; path: string }[] = []
  proof = 'nothing yet'
  /** Who asks for the proof is answered when this is over. */
  proofHeld: Promise<void> = Promise.resolve()
  readonly #address: string
  readonly #server: Server

  constructor(address: string) {
    this.#address = address
    this.#server = createServer((request, response) => this.#answer(request, response))
  }

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, this.#address, resolve))
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  get host(): string {
    return `${this.#address}:${(this.#server.address() as { port: number }).port}`
  }

  visits(sinceMs = 0): { atMs: number; path: string }[] {
    return this.hits.filter(({ atMs, path }) => path.startsWith('/shop') && atMs >= sinceMs)
  }

  #answer({ url = '', socket }: IncomingMessage, response: ServerResponse): void {
    this.hits.push({ atMs: performance.now(), path: url })
    response.setHeader('content-type', 'text/html; charset=utf-8')
    if (url === PROOF) return void this.proofHeld.then(() => response.end(this.proof))
    if (url === '/robots.txt') return void response.writeHead(404).end()
    if (url === '/news' && BLOCKED.has(socket.remoteAddress ?? '')) {
      return void response.writeHead(451).end('<p>Not here.</p>')
    }
    response.end(`<html lang="en"><p>The same for everybody: ${url}</p></html>`)
  }
}

describe('load tests and the neutrality monitor on the page', { skip: skipWithoutChromium }, () => {
  const site = new Site('127.0.86.1')
  /** Another one is watched: a site that was load-tested is left alone for a while. */
  const press = new Site('127.0.86.2')
  let folder: string
  let tabs: Tabs
  let page: Page
  /** When the stop button of a test was last pressed, or was about to be. */
  let stoppedAtMs: number
  /** Screens of single things, as they come into being. */
  const places = ['/load-tests', '/neutrality']

  before(async () => {
    await site.open()
    await press.open()
    folder = await mkdtemp(join(tmpdir(), 'minga-load-page-'))
    const geoip = join(folder, 'places.mmdb')
    const networks = MACHINES.map(({ address, country }) => ({
      network: `${address}/32`,
      record: mmdbPlace(country),
    }))
    await writeFile(geoip, writeMmdb(networks))
    tabs = await startTabs('--allow-private-addresses', '--geoip', geoip, '--delay', '50')
    await Promise.all(MACHINES.map(({ address }) => lendMachine(tabs.station, folder, address)))
    page = await tabs.visit('/', { withKey: true })
  })
  after(async () => {
    await endAllProcesses()
    await tabs?.end()
    site.close()
    press.close()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  async function makeTest(): Promise<void> {
    await page.getByLabel('Addresses of the site').fill(`http://${site.host}/shop/a`)
    await page.getByLabel('Visitors at most').fill('32')
    await page.getByLabel('Seconds per step').fill('3')
    await page.getByLabel('Seconds between pages').fill('0.2')
    await page.getByRole('button', { name: 'Create test' }).click()
    await page.waitForURL('**/load-tests/load_*')
    await page.getByRole('heading', { name: site.host }).waitFor()
    places.push(new URL(page.url()).pathname)
  }

  const state = (text: string): Promise<void> =>
    page.locator('.summary .mark').getByText(text).waitFor()

  test('Verified load test: on the page, what is impossible is said before, and the unproven site is refused', async () => {
    await page.getByRole('link', { name: 'Requests' }).click()
    await page.getByRole('link', { name: 'Load tests' }).click()
    await page.getByText('No load tests yet').waitFor()
    await page.getByLabel('Visitors at most').fill('5000')
    await page.getByRole('button', { name: 'Create test' }).click()
    await page.getByText('From 1 to 1,000', { exact: true }).waitFor()
    await page.getByText('Enter at least one address').waitFor()
    await makeTest()
    await state('Not proven yet')
    const line = page.getByRole('group', { name: 'Line of the file' })
    assert.match((await line.locator('code').textContent())!, /^minga-[0-9a-f]+$/)
    await page.getByRole('button', { name: 'Check the proof and start' }).click()
    await page.getByText('MINGA_LOAD_TEST_UNPROVEN').waitFor()
    await state('Not proven yet')
    assert.deepEqual(site.visits(), [])
    assert.ok(site.hits.some(({ path }) => path === PROOF))
  })

  test('Verified load test: proven by a file it starts on the page, and the button stops it at once', async () => {
    await tabs.walk(page, '/load-tests')
    await page.getByRole('row').filter({ hasText: 'Not started' }).waitFor()
    await makeTest()
    const line = page.getByRole('group', { name: 'Line of the file' })
    site.proof = (await line.locator('code').textContent())!
    await page.getByRole('button', { name: 'Check the proof and start' }).click()
    await state('Running')
    await page
      .locator('.tiles')
      .getByText(/^[1-9][\d.]*$/)
      .nth(1)
      .waitFor()
    // Two whole steps were measured, and the next one is going on.
    const steps = page.locator('section').filter({ hasText: 'Step by step' })
    await steps.getByRole('row').nth(2).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.ok(site.visits().length > 20)
    await page.getByRole('button', { name: 'Stop the test now' }).click()
    stoppedAtMs = performance.now()
    await state('Stopped early')
    await page.getByText('It was asked to stop.').waitFor()
  })

  test('Verified load test: afterwards the page shows the report, with a plot, a table and an estimate', async () => {
    await page.getByRole('heading', { name: 'Capacity of the site' }).waitFor()
    await page.getByText(/^At least \d+ simultaneous visitors$/).waitFor()
    await page.getByText('Handled means 95 % of the responses within 1 s').waitFor()
    await page.getByRole('img', { name: /against simultaneous visitors/ }).waitFor()
    assert.ok((await page.locator('.load-plot circle').count()) >= 4)
    const cells = page.getByRole('row').nth(1).getByRole('cell')
    assert.equal(await cells.first().textContent(), '1')
    const [text, json] = [await downloaded('text'), await downloaded('JSON')]
    assert.match(text, /^Load test of \S+: aborted/)
    assert.equal((JSON.parse(json) as { state: string }).state, 'aborted')
    await page.reload()
    await page.getByText(/^At least \d+ simultaneous visitors$/).waitFor()
    await sleep(Math.max(0, stoppedAtMs + 2_500 - performance.now()))
    assert.deepEqual(site.visits(stoppedAtMs + 2_000), [], 'the button stopped everybody')
  })

  test('Verified load test: it can be stopped while its proof is still looked for, and never begins', async () => {
    await tabs.walk(page, '/load-tests')
    await makeTest()
    await state('Ready to start')
    const proof = Promise.withResolvers<void>()
    site.proofHeld = proof.promise
    stoppedAtMs = performance.now()
    await page.getByRole('button', { name: 'Check the proof and start' }).click()
    await page.getByRole('button', { name: 'Stop the test now' }).click()
    await state('Stopped early')
    await page.getByText('Nothing was measured').first().waitFor()
    proof.resolve()
  })

  async function downloaded(as: string): Promise<string> {
    const download = page.waitForEvent('download')
    await page.getByRole('link', { name: `Download as ${as}` }).click()
    return readFile(await (await download).path(), 'utf8')
  }

  test('Neutrality monitor: on the page, the country where a site is blocked stands out', async () => {
    await tabs.walk(page, '/neutrality')
    await page.getByText('No monitors yet').waitFor()
    await page.getByRole('button', { name: 'Start monitoring' }).click()
    await page.getByText('Give it a name.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Press <b>')
    const urls = ['/news', '/about'].map((path) => `http://${press.host}${path}`)
    await page.getByLabel('Addresses', { exact: true }).fill(urls.join('\n'))
    await page.getByLabel('Runs').selectOption({ label: 'every 1 day' })
    await page.getByRole('button', { name: 'Start monitoring' }).click()
    await page.waitForURL('**/neutrality/mon_*')
    places.push(new URL(page.url()).pathname)
    await page.getByRole('heading', { name: 'Press <b>' }).waitFor()
    const flagged = page.getByRole('article', { name: urls[0]! })
    await flagged.getByText('Blocked').waitFor()
    await flagged.locator('.mark.bad').getByText('Uruguay', { exact: false }).waitFor()
    assert.equal(await page.locator('.flagged article').count(), 1)
    await page.getByText('Show as a table').click()
    await page
      .getByRole('row')
      .filter({ hasText: 'HTTP 451' })
      .getByText('by two devices')
      .waitFor()
    const all = page.locator('section').filter({ hasText: 'Every address' })
    await all.getByRole('row').filter({ hasText: urls[1]! }).getByText('The same').waitFor()
    await page.getByRole('row').filter({ hasText: 'shown above' }).waitFor()
    assert.match(await downloaded('a table'), /\/news,UY,blocked,yes/)
    await page.getByRole('button', { name: 'Stop monitoring' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop monitoring' }).click()
    await state('No further run')
  })

  test('a user who may not test or monitor sees no link to it, and is refused at its address', async () => {
    const guest = await tabs.visit('/register')
    await guest.getByLabel('Name', { exact: true }).fill('ana')
    await guest.getByLabel('Password', { exact: true }).fill('seven llamas cross the river')
    await guest.getByRole('button', { name: 'Register' }).click()
    await guest.getByRole('link', { name: 'ana' }).waitFor()
    assert.equal(await guest.getByRole('link', { name: 'Requests' }).count(), 0)
    for (const path of ['/load-tests', '/neutrality']) {
      await tabs.walk(guest, path)
      await guest.getByText('ana has no permission to do this').waitFor()
    }
  })

  test('an owner says on the page whether a device takes part in load tests', async () => {
    await tabs.walk(page, '/devices')
    await page.getByRole('row').filter({ hasText: 'Argentina' }).getByRole('link').click()
    const choice = page.getByRole('checkbox', { name: 'Also take part in load tests' })
    assert.equal(await choice.isChecked(), false)
    await page.getByText('Also take part in load tests').click()
    await page.locator('.react-aria-Checkbox[data-selected]').waitFor()
    await page.reload()
    await page.locator('.react-aria-Checkbox[data-selected]').waitFor()
    places.push(new URL(page.url()).pathname)
  })

  test('a load test and a monitor that are not there are said so with their codes', async () => {
    await tabs.open(page, '/load-tests/load_none')
    await page.getByText('MINGA_NO_SUCH_LOAD_TEST').waitFor()
    await tabs.walk(page, '/neutrality/mon_none')
    await page.getByText('MINGA_NO_SUCH_MONITOR').waitFor()
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on load tests and monitors in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, places)
    })
  }

  test('neither load tests nor monitors scroll sideways at 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(page, places))

  test('Verified load test: whatever was done since, no visitor came from the test that was stopped before it began', () => {
    assert.ok(performance.now() - stoppedAtMs > 3_000)
    assert.deepEqual(site.visits(stoppedAtMs), [])
  })

  test('the browser found nothing wrong with load tests and monitors', () => {
    assert.equal(places.length, 7)
    assert.deepEqual(tabs.complaints, [])
  })
})

/** A volunteer's machine somewhere: it comes to the station, and dials sites, from an address of its own. */
async function lendMachine(station: Station, folder: string, address: string): Promise<void> {
  const { token } = await askStation<{ token: string }>(station, '/join-tokens', {})
  const here = join(folder, `from-${address}.mjs`)
  const agent = `new http.Agent({ keepAlive: true, localAddress: '${address}' })`
  await writeFile(here, `import http from 'node:http'\nhttp.globalAgent = ${agent}\n`)
  const settings = {
    stationUrl: station.url,
    token,
    data: join(folder, `agent-${address}`),
    allowPrivateAddresses: true,
    localAddress: address,
  }
  await startProcess(process.execPath, ['--import', here, AGENT], {
    env: { MINGA_AGENT: JSON.stringify(settings) },
  })
}
