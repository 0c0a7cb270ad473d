// Goal: what was captured is found, compared and replayed inside the page, policies are compared with a slider, and
// nothing that was captured ever runs in the page's origin or reaches the API. Method: a hostile site that changes,
// a real station with a made-up past of visits, and Debian's Chromium.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { openStore } from '@minga/store'
import type { Frame, Page } from 'playwright-core'
import type {
  PastVisit,
  MetricsFixtureOperations,
} from '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts'
import { askStation, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const FIXTURE = new URL(
  '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts',
  import.meta.url,
)
const PATIENCE_MS = 60_000
const DAY_MS = 86_400_000
const HOSTILE = '<img src=x onerror="parent.pwned=top.pwned=window.pwned=1">'
const encoded = encodeURIComponent

/** What a script of the origin of replay tries, and what came of it. */
const ATTACK = `(async (api) => {
  const said = []
  for (const path of ['/api/collections', '/api/me', '/api/archive/replay'])
    for (const credentials of ['include', 'omit'])
      await fetch(api + path, { credentials }).then(() => said.push('read'), () => said.push('refused'))
  const write = { method: 'POST', mode: 'no-cors', credentials: 'include', body: '{}' }
  await fetch(api + '/api/collections', write).then(() => said.push('written'), () => said.push('refused'))
  for (const reach of [() => top.document.title, () => top.localStorage.length, () => (top.location = 'about:blank')])
    try { reach(); said.push('reached') } catch { said.push('apart') }
  try { said.push(window.open('about:blank') === null ? 'no window' : 'window') } catch { said.push('no window') }
  return said
})`

interface Site {
  url: string
  headline: string
  server: Server
}

/** Its titles and scripts try to run where they are not meant to, and to call the station. */
async function startSite(): Promise<Site> {
  const site: Site = { url: '', headline: 'First edition', server: null as unknown as Server }
  site.server = createServer((request, response) => {
    const answer = (body: string): unknown =>
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(body)
    if (request.url === '/') {
      return answer(`<!doctype html><title>${site.headline} &lt;script&gt;alert(1)&lt;/script&gt;</title>
        <h1>${site.headline}</h1><p>This part stays as it is.</p><p>So does this.</p>
        <a href="/second">Second page</a> <a href="/never">Never captured</a>
        <p id="said">nothing</p>
        <script>
          alert('hello')
          document.getElementById('said').textContent = 'ran'
          fetch('/api/collections', { method: 'POST', credentials: 'include', body: '{}' })
          try { parent.pwned = top.pwned = 1 } catch {}
        </script>`)
    }
    if (request.url === '/second') {
      return answer(
        `<!doctype html><title>${HOSTILE.replaceAll('<', '&lt;')}</title><h1>Second</h1>`,
      )
    }
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => site.server.listen(0, '127.0.0.1', resolve))
  site.url = `http://127.0.0.1:${(site.server.address() as { port: number }).port}/`
  return site
}

/** Every other day for two months, changed at every third visit, and said so beforehand. */
function pastVisits(): PastVisit[] {
  const now = Date.now()
  return Array.from({ length: 30 }, (_, i): PastVisit => {
    const at = now - (30 - i) * 2 * DAY_MS
    if (i === 0) return { at, outcome: 'first', bytes: 50_000 }
    if (i === 7) return { at, outcome: 'failed' }
    const isChanged = i % 3 === 0
    const chance = isChanged ? 0.72 : 0.25
    return { at, outcome: isChanged ? 'changed' : 'unchanged', bytes: 5_000, chance }
  })
}

describe('the archive and its forecasts on the page', { skip: skipWithoutChromium }, () => {
  let folder: string
  let tabs: Tabs
  let site: Site
  let page: Page
  const alerts: string[] = []
  /** What frames other than the page itself were answered. */
  const framed: string[] = []

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-archive-page-'))
    const store = await openStore<MetricsFixtureOperations>({
      data: folder,
      operations: FIXTURE.href,
      writer: 'main',
    })
    const urls = [{ url: 'https://museum.example/', rate: 0.4, visits: pastVisits() }]
    await store.call('putWatch', { id: 900, name: 'Museum', urls })
    await store.close()
    site = await startSite()
    tabs = await startTabs('--data', folder, '--allow-private-addresses')
    await collect([])
    site.headline = 'Second edition'
    // The moments of HTTP are seconds: two captures within one would be one.
    await sleep(1_100)
    await collect(['nowhere'])
    site.server.close()
    site.server.closeAllConnections()
    page = await tabs.visit(`${tabs.named}/archive`, { withKey: true })
    page.on('response', (response) => {
      const request = response.request()
      if (request.serviceWorker() !== null) return
      if (request.frame() !== page.mainFrame()) framed.push(response.url())
    })
    page.on('dialog', (dialog) => {
      alerts.push(`${dialog.type()} ${dialog.message()}`)
      void dialog.dismiss()
    })
  })
  after(async () => {
    await tabs?.end()
    site?.server.close()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  /** Other rules are another collection: with the same it would be the one that is there. */
  async function collect(exclude: string[]): Promise<void> {
    const seeds = [site.url, `${site.url}second`]
    const request = { seeds, scope: 'page', delayMs: 0, exclude }
    const { id } = await askStation<{ id: number }>(tabs.station, '/collections', request)
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
      const { state } = await askStation<{ state: string }>(tabs.station, `/collections/${id}`)
      if (state === 'finished') return
      await sleep(100)
    }
    throw new Error('The crawl did not end.')
  }

  /** The archived page itself: the player and a frame of its own are around it. */
  async function replayed(): Promise<Frame> {
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
      const frame = page.frames().find((each) => /\/replay\/w\/.*mp_\//.test(each.url()))
      if (frame) return frame
      await page.waitForTimeout(100)
    }
    throw new Error(
      `Nothing was replayed: ${page
        .frames()
        .map((frame) => frame.url())
        .join(', ')}`,
    )
  }

  test('an address is found by a filtered search that stays in the address, hostile titles being plain text', async () => {
    await page.getByLabel('Search for').fill('127.0.0.1')
    await page.getByLabel(/^Type/).selectOption('Pages')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL(/q=127\.0\.0\.1.*type=page|type=page.*q=127\.0\.0\.1/)
    await page.getByRole('link', { name: /Second edition <script>alert\(1\)<\/script>/ }).waitFor()
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    await page.getByLabel(/^Type/).selectOption('Images')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('Nothing in the archive matches.').waitFor()
    await page.goBack()
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    await page.getByText('Contents of the archive').waitFor()
  })

  test('captures are listed, filtered by the station and taken out as files', async () => {
    await tabs.walk(page, '/captures')
    await page.getByRole('heading', { name: 'All captures' }).waitFor()
    const table = page.getByRole('table', { name: 'Captures' })
    await table.getByRole('link', { name: HOSTILE }).first().waitFor()
    await tabs.walk(page, `/archive/url?url=${encoded(site.url)}`)
    const [record] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'WARC record' }).click(),
    ])
    assert.match(record.suggestedFilename(), /^127\.0\.0\.1-\d{14}\.warc\.gz$/)
  })

  test('a time line leads from capture to capture by key', async () => {
    await tabs.walk(page, `/archive/url?url=${encoded(site.url)}`)
    const marks = page.getByRole('group', { name: 'Captures in time' }).getByRole('button')
    await marks.nth(1).waitFor()
    await page.getByRole('heading', { name: /^Second edition/ }).waitFor()
    await marks.nth(1).focus()
    await page.keyboard.press('ArrowLeft')
    await page.getByRole('heading', { name: /^First edition/ }).waitFor()
    await page.keyboard.press('End')
    await page.getByRole('heading', { name: /^Second edition/ }).waitFor()
  })

  test('two captures are compared side by side and in one text, by word and by line, from change to change', async () => {
    await tabs.walk(page, `/archive/diff?url=${encoded(site.url)}&before=previous&after=latest`)
    await page.getByRole('heading', { name: 'It changed' }).waitFor()
    assert.match((await page.locator('.diff del').first().textContent())!, /^First/)
    await page.locator('h1').first().click()
    await page.keyboard.press('n')
    await page.getByText(/^Change 1 of \d/).waitFor()
    assert.equal(await page.locator('.diff [aria-current]').count(), 1)
    await page.getByLabel('Layout').selectOption('in one text')
    await page.locator('.inline-diff ins').first().waitFor()
    await page.getByLabel('Compare by').selectOption('line')
    assert.match((await page.locator('.inline-diff ins').first().textContent())!, /Second edition/)
    await page.getByLabel('Only changes').uncheck()
    await page.getByText('So does this.').first().waitFor()
    const [patch] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'Download as a patch' }).click(),
    ])
    assert.match(patch.suggestedFilename(), /^\d{14}-\d{14}\.diff$/)
  })

  test('a capture is replayed inside the page, and its scripts reach nothing of the station', async () => {
    await tabs.walk(page, `/archive/url?url=${encoded(site.url)}`)
    await page
      .getByRole('link', { name: /^Replay the capture of/ })
      .first()
      .click()
    await page.waitForURL(/\/archive\/replay\?/)
    const frame = await replayed()
    await frame.locator('h1', { hasText: 'Second edition' }).waitFor()
    await frame.locator('#said', { hasText: 'ran' }).waitFor()
    // The page around it has all that an archived script could ever win: the origin, and no rewriting.
    const player = page.frames().find((each) => /\/view\/\d{14}\//.test(each.url()))!
    const said = await player.evaluate<string[]>(`${ATTACK}(${JSON.stringify(tabs.named)})`)
    assert.deepEqual(
      [...new Set(said)],
      ['refused', 'apart', 'no window'],
      'nothing is read, written, reached or opened',
    )
    const asked = framed.filter((url) => url.startsWith(`${tabs.named}/api`))
    assert.deepEqual(asked, [], 'no frame has got an answer of the API')
    assert.equal(await page.evaluate('"pwned" in window'), false)
    assert.deepEqual(alerts, [], 'a sandboxed frame opens no dialogs')
    assert.notEqual(await frame.evaluate('origin'), new URL(tabs.named).origin)
    const collections = await askStation<unknown[]>(tabs.station, '/collections')
    assert.equal(collections.length, 3, 'the frame started no collection')
  })

  test('a link inside the frame is followed, and what was not captured is offered to be collected', async () => {
    const frame = await replayed()
    await frame.locator('a', { hasText: 'Second page' }).click()
    await frame.locator('h1', { hasText: 'Second' }).waitFor()
    await page.getByText('You followed a link inside the archived page:').waitFor()
    await tabs.walk(page, `/archive/replay?url=${encoded(`${site.url}never`)}`)
    await page.getByRole('heading', { name: 'Not archived' }).waitFor()
    await page.getByRole('button', { name: 'Collect it now' }).waitFor()
    await page.getByRole('link', { name: HOSTILE }).waitFor()
  })

  test('what was taken down is shown as such', async () => {
    await askStation(tabs.station, '/takedowns', {
      urls: [`${site.url}second`],
      versions: 'all',
      reason: 'Its owner asked for it.',
    })
    await tabs.walk(page, `/archive/url?url=${encoded(`${site.url}second`)}`)
    await page.getByRole('heading', { name: 'Taken down', exact: true }).waitFor()
    await page.getByRole('cell', { name: 'Its owner asked for it.' }).first().waitFor()
  })

  test('the forecast is compared with fixed periods, and another budget is slid to by key', async () => {
    await tabs.walk(page, '/watches/900/compare')
    await page
      .getByText(/^A visit every 1 day would have caught [\d.]+ of [\d.]+ changes/)
      .waitFor()
    await page.getByRole('slider', { name: 'Fixed period' }).focus()
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight')
    await page.getByText(/^A visit every 15 day/).waitFor()
    await page.getByRole('heading', { name: 'All fixed periods' }).waitFor()
    await tabs.walk(page, '/watch-budget')
    const slider = page.getByRole('slider', { name: 'Visits a day' })
    await slider.focus()
    const figures = page.locator('dl.figures').first()
    const inForce = await figures.innerText()
    await page.keyboard.press('End')
    await page.getByText('16.0 a day').first().waitFor()
    assert.notEqual(await figures.innerText(), inForce)
    await page.getByRole('heading', { name: 'Forecast accuracy' }).waitFor()
  })

  test('a watch shows its forecast, its marks in time and a calendar that keys walk through', async () => {
    await tabs.walk(page, '/watches/900')
    await page.getByRole('heading', { name: 'Captures, changes and losses' }).waitFor()
    const label = await page.locator('.time-line svg[role=img]').first().getAttribute('aria-label')
    assert.match(label!, /Change found: 9, .*Failed: 1/)
    const day = page.locator('.heat-day[tabindex="0"]')
    await day.focus()
    const newest = await day.getAttribute('aria-label')
    await page.keyboard.press('ArrowLeft')
    assert.notEqual(await day.getAttribute('aria-label'), newest)
    await page.getByRole('heading', { name: 'Forecast', exact: true }).waitFor()
    await tabs.walk(page, '/watches/900/metrics')
    await page.getByRole('table', { name: 'Years' }).waitFor()
  })

  const paths = (): string[] => [
    '/archive',
    '/captures',
    '/watch-budget',
    '/watches/900',
    '/watches/900/metrics',
    `/archive/url?url=${encoded(site.url)}`,
    `/archive/diff?url=${encoded(site.url)}&before=previous&after=latest`,
    `/archive/url?url=${encoded(`${site.url}second`)}`,
    `/archive/replay?url=${encoded(`${site.url}never`)}`,
  ]

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing in the archive in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, paths())
    })
  }

  test('no screen of the archive scrolls sideways at 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(page, [...paths(), `/archive/replay?url=${encoded(site.url)}`]))

  test('nothing complains, and only this machine was called', async () => {
    const origin = await askStation<{ port: number }>(tabs.station, '/archive/replay')
    const replay = new RegExp(`^http://c-\\d+\\.minga\\.localhost:${origin.port}/`)
    const isOwn = (url: string): boolean =>
      /^(data|blob|about):/.test(url) || replay.test(url) || url.startsWith(tabs.named)
    assert.deepEqual([...new Set(tabs.requested.filter((url) => !isOwn(url)))], [])
    // What the archived page tried is refused by its own policy, which the browser says aloud.
    const own = tabs.complaints.filter(
      (text) => !/Refused to connect|connect-src|fetch/i.test(text),
    )
    assert.deepEqual(own, [])
  })
})
