// Goal: users without a mouse can do everything: collect and watch, lend a machine, compare and replay captures, ask and
// take the answer along, compare policies; and always sees where they are. Method: a real station, its agent, a site
// that changes, and Debian's Chromium, whose mouse is never used: every step is a key.
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@minga/store'
import type { Page } from 'playwright-core'
import type {
  PastVisit,
  MetricsFixtureOperations,
} from '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts'
import { Hands } from './keyboard-hands.ts'
import { askStation, replayedFrame, skipWithoutChromium } from './page-station.ts'
import { IN_MOTION, startTabs, type Tabs } from './page-tabs.ts'
import { MINGA } from './run-minga.ts'

const FIXTURE = new URL(
  '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts',
  import.meta.url,
)
const PATIENCE_MS = 60_000
const DAY_MS = 86_400_000

/** A headline that changes, and pages enough to be at it for a while. */
class Site {
  headline = 'First edition'
  readonly #server: Server = createServer((request, response) => {
    const number = Number(/\d+/.exec(request.url ?? '')?.[0] ?? 0)
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      `<!doctype html><title>${this.headline}</title><h1>${this.headline}</h1><p>This stays.</p>
      <a href="/page/${number + 1}">next</a> <a href="/page/${number + 2}">after that</a>`,
    )
  })

  async open(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as { port: number }).port}/`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

/** Every other day for a month, changed at every third visit. */
function pastVisits(): PastVisit[] {
  return Array.from({ length: 15 }, (_, i): PastVisit => {
    const at = Date.now() - (15 - i) * 2 * DAY_MS
    if (i === 0) return { at, outcome: 'first', bytes: 50_000 }
    return { at, outcome: i % 3 === 0 ? 'changed' : 'unchanged', bytes: 5_000, chance: 0.4 }
  })
}

describe('the page by keyboard alone', { skip: skipWithoutChromium }, () => {
  const site = new Site()
  let folder: string
  let tabs: Tabs
  let page: Page
  let hands: Hands
  let agent: ChildProcess | undefined

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-keyboard-'))
    const store = await openStore<MetricsFixtureOperations>({
      data: folder,
      operations: FIXTURE.href,
      writer: 'main',
    })
    const urls = [{ url: 'https://museum.example/', rate: 0.4, visits: pastVisits() }]
    await store.call('putWatch', { id: 900, name: 'Museum', urls })
    await store.close()
    await site.open()
    tabs = await startTabs('--data', folder, '--allow-private-addresses')
    await collect('never')
    site.headline = 'Second edition'
    // The moments of HTTP are seconds: two captures within one would be one.
    await sleep(1_100)
    await collect('nowhere')
    page = await tabs.visit(`${tabs.named}/`, {
      withKey: true,
      ...IN_MOTION,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    hands = new Hands(page)
  })
  after(async () => {
    agent?.kill('SIGKILL')
    site.close()
    await tabs?.end()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** The front page; other rules are another collection. */
  async function collect(exclude: string): Promise<void> {
    const request = { seeds: [site.url], scope: 'page', delayMs: 0, exclude: [exclude] }
    const { id } = await askStation<{ id: number }>(tabs.station, '/collections', request)
    const deadlineMs = performance.now() + PATIENCE_MS
    while (performance.now() < deadlineMs) {
      const { state } = await askStation<{ state: string }>(tabs.station, `/collections/${id}`)
      if (state === 'finished') return
      await sleep(100)
    }
    throw new Error('The crawl did not end.')
  }

  const button = (name: string | RegExp) => page.getByRole('button', { name, exact: true })

  test('the first stop leads past the areas to the screen', async () => {
    await hands.press('Tab')
    assert.ok(await hands.isAt(page.locator('a.skip')))
    await hands.press('Enter')
    await hands.comesTo(page.locator('main'))
  })

  test('a collection is made in the wizard, watched, and paused', async () => {
    await hands.jump('Collections › New collection')
    await hands.skip()
    // Not the front page, whose two captures are compared below.
    await hands.fill(page.getByLabel('Seeds', { exact: true }), `${site.url}page/1`)
    await hands.use(button('Next'))
    await hands.use(button('Next'))
    await hands.fill(page.getByLabel('Delay in seconds'), '0.5')
    await hands.use(button('Start collecting'))
    await page.waitForURL(/\/collections\/\d+$/)
    await page.getByRole('table', { name: 'Hosts and delays' }).waitFor()
    await hands.use(button('Pause'))
    await page.locator('.summary .pill', { hasText: 'Paused' }).waitFor()
  })

  test('a question holds the keys until it is answered, and gives them back', async () => {
    await hands.use(button('Discard'))
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    for (let stops = 0; stops < 6; stops++) {
      await hands.press('Tab')
      assert.equal(await question.locator(':focus').count(), 1)
    }
    await hands.press('Escape')
    await question.waitFor({ state: 'detached' })
    await hands.comesTo(button('Discard'))
    await page.locator('.summary .pill', { hasText: 'Paused' }).waitFor()
  })

  test('the command to lend a machine is copied, and the machine appears', async () => {
    await hands.jump('Volunteers › Join')
    await hands.skip()
    await hands.use(button('Create command'))
    await page.getByRole('group', { name: 'Command to join' }).waitFor()
    await hands.use(
      page.getByRole('group', { name: 'Command to join' }).getByRole('button', { name: 'Copy' }),
    )
    await page.getByText('Copied').waitFor()
    const line = await page.evaluate<string>('navigator.clipboard.readText()')
    const [, joining] = line.split(' && minga-agent ')
    const own = ['--data', join(folder, 'attic'), '--name', 'attic', '--page-port', '0']
    const words = ['agent', ...joining!.split(' ')]
    const args = [MINGA, ...words, ...own, '--allow-private-addresses']
    agent = spawn(process.execPath, args, { stdio: 'ignore' })
    await hands.jump('Volunteers › Devices')
    await page.getByRole('row').filter({ hasText: 'attic' }).waitFor()
  })

  test('captures are found, compared and replayed', async () => {
    await hands.jump('Archive › Search')
    await hands.skip()
    await hands.fill(page.getByLabel('Search for'), site.url)
    await hands.press('Enter')
    await page.getByRole('heading', { name: 'Second edition', level: 1 }).waitFor()
    await hands.skip()
    await hands.use(page.locator('main a[href*="/archive/diff"]'))
    await page.getByRole('heading', { name: 'Changes between two captures' }).waitFor()
    await page.locator('.diff ins').first().waitFor()
    await hands.skip()
    await hands.use(page.locator('main a[href*="/archive/url"]'))
    await page.getByRole('heading', { name: 'Second edition', level: 1 }).waitFor()
    await hands.skip()
    await hands.use(page.locator('main a[href*="/archive/replay"]'))
    const frame = await replayedFrame(page)
    await frame.getByRole('heading', { name: 'Second edition' }).waitFor()
  })

  test('a question in SQL is asked, and its answer taken along', async () => {
    await hands.jump('Queries › SQL')
    await hands.skip()
    await hands.fill(page.getByRole('textbox', { name: 'Question' }), 'SELECT 42 AS answer')
    await hands.press('Control+Enter')
    await page.getByText(/1 rows? in/).waitFor()
    const coming = page.waitForEvent('download')
    await hands.use(button('Download CSV'))
    assert.equal(await readFile(await (await coming).path(), 'utf8'), 'answer\n42\n')
  })

  test('policies are compared by the arrows of a slider', async () => {
    await hands.jump('Watches › List')
    await hands.skip()
    await hands.use(page.getByRole('link', { name: 'Museum' }))
    await page.getByRole('heading', { name: 'Museum', level: 1 }).waitFor()
    await hands.skip()
    await hands.use(page.locator('main a[href$="/compare"]'))
    const slider = page.getByRole('slider', { name: 'Fixed period' })
    await slider.waitFor()
    await hands.skip()
    await hands.goTo(slider)
    const former = await slider.getAttribute('aria-valuetext')
    await hands.press('ArrowRight')
    await slider.and(page.locator(`:not([aria-valuetext="${former}"])`)).waitFor()
    await page.locator('.forecast-line').first().waitFor()
  })

  test('rows are chosen and acted on together', async () => {
    await hands.jump('Collections › List')
    await hands.skip()
    await hands.goTo(page.getByRole('checkbox', { name: 'Choose row 1' }))
    await hands.press('Space')
    const bar = page.getByRole('region', { name: 'Chosen rows' })
    await bar.getByText('1 chosen').waitFor()
    await hands.use(bar.getByRole('button', { name: 'Resume' }))
    const states = async (): Promise<string[]> => {
      const all = await askStation<{ state: string }[]>(tabs.station, '/collections')
      return all.map(({ state }) => state)
    }
    while (!(await states()).includes('running')) await page.waitForTimeout(100)
  })

  test('language, colours and clock are switched, and letters jump', async () => {
    const settings = page.locator('.settings select')
    await hands.goTo(settings.nth(0))
    await hands.press('E')
    await page.keyboard.type('spa')
    await page.locator('html[lang="es"]').waitFor({ state: 'attached' })
    await hands.goTo(settings.nth(1))
    await hands.press('End')
    await page.locator('html[data-theme="dark"]').waitFor({ state: 'attached' })
    await hands.goTo(settings.nth(2))
    await hands.press('End')
    assert.equal(await settings.nth(2).inputValue(), 'utc')
    await hands.skip()
    await hands.press('g')
    await hands.press('s')
    await page.waitForURL(/\/config/)
  })

  test('at every stop it was to be seen where the keys go', () => {
    assert.deepEqual([...new Set(hands.unseen)], [])
    assert.deepEqual(tabs.complaints, [])
  })
})
