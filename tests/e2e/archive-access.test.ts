// Goal: what a crawl captured is shown in a browser as it was, each version as one moment, on an origin of its
// own. Method: a small site that changes, two crawls of it, the site gone, and Chromium with the station's player.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { askStation, replayedFrame, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, type Tabs } from './page-tabs.ts'

const PATIENCE_MS = 60_000

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20"/></svg>'

interface Site {
  url: string
  /** What its first page says now. */
  headline: string
  server: Server
}

async function startSite(): Promise<Site> {
  const site = { url: '', headline: 'First edition', server: null as unknown as Server }
  site.server = createServer((request, response) => {
    const answer = (type: string, body: string): unknown =>
      response.writeHead(200, { 'content-type': type }).end(body)
    if (request.url === '/') {
      return answer(
        'text/html; charset=utf-8',
        `<!doctype html><title>${site.headline}</title><link rel="stylesheet" href="/style.css">
         <h1>${site.headline}</h1><img src="/picture.svg" alt=""><a href="/second">Second page</a>
         <p id="script"></p><script>document.getElementById('script').textContent = 'it ran'</script>`,
      )
    }
    if (request.url === '/second') {
      return answer('text/html', '<!doctype html><title>Second</title><h1>Second page</h1>')
    }
    if (request.url === '/style.css') return answer('text/css', 'h1 { color: rgb(1, 2, 3) }')
    if (request.url === '/picture.svg') return answer('image/svg+xml', PICTURE)
    return response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => site.server.listen(0, '127.0.0.1', resolve))
  site.url = `http://127.0.0.1:${(site.server.address() as { port: number }).port}/`
  return site
}

describe('the archive in a browser', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let site: Site
  let replay: string
  let operator: Page | undefined
  let versions: number[]

  before(async () => {
    site = await startSite()
    tabs = await startTabs('--allow-private-addresses')
    const first = await collect('host')
    site.headline = 'Second edition'
    // The moments of HTTP are seconds: two captures within one would be one.
    await sleep(1_100)
    const second = await collect('prefix')
    versions = [first, second]
    // What is shown from now on can only come from the archive.
    site.server.close()
    site.server.closeAllConnections()
    const origin = await askStation<{ port: number }>(tabs.station, '/archive/replay')
    replay = `http://127.0.0.1:${origin.port}`
  })
  after(async () => {
    await tabs?.end()
    site?.server.close()
  })

  async function collect(scope: string): Promise<number> {
    const request = { seeds: [site.url], scope, delayMs: 0 }
    const { id } = await askStation<{ id: number }>(tabs.station, '/collections', request)
    const until = performance.now() + PATIENCE_MS
    while (performance.now() < until) {
      const { state } = await askStation<{ state: string }>(tabs.station, `/collections/${id}`)
      if (state === 'finished') return id
      await sleep(100)
    }
    throw new Error('The crawl did not end.')
  }

  test('WARC write, index, replay by URL+date: each version is replayed as one moment, with its style, picture, script and links', async () => {
    for (const [i, headline] of ['First edition', 'Second edition'].entries()) {
      const page = await tabs.blank()
      await page.goto(`${replay}/view/version/${versions[i]}/1/${site.url}`)
      const frame = await replayedFrame(page)
      await frame.locator('h1', { hasText: headline }).waitFor()
      await frame.waitForFunction(
        `document.querySelector('img')?.complete && document.querySelector('img').naturalWidth > 0`,
      )
      assert.equal(
        await frame.evaluate(`getComputedStyle(document.querySelector('h1')).color`),
        'rgb(1, 2, 3)',
      )
      assert.equal(await frame.locator('#script').textContent(), 'it ran')
      await frame.locator('a').click()
      await frame.locator('h1', { hasText: 'Second page' }).waitFor()
      await page.context().close()
    }
  })

  test('a capture is replayed by its address and time', async () => {
    const moment = await askStation<{ timestamp: string }>(
      tabs.station,
      `/archive/moment?url=${encodeURIComponent(site.url)}`,
    )
    const page = await tabs.blank()
    const policies: string[] = []
    page.on('response', (response) => {
      const policy = response.headers()['content-security-policy']
      if (/mp_\//.test(response.url()) && policy !== undefined) policies.push(policy)
    })
    await page.goto(`${replay}/view/${moment.timestamp}/${site.url}`)
    const frame = await replayedFrame(page)
    await frame.locator('h1', { hasText: 'Second edition' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    assert.match(policies[0]!, /^default-src 'self'/)
    assert.ok(!policies.some((policy) => policy.includes('ws:')))
    await page.context().close()
  })

  test('a raw view runs and loads nothing', async () => {
    const page = await tabs.blank()
    await page.goto(`${replay}/raw/20260101000000/${site.url}`)
    await page.locator('h1', { hasText: 'First edition' }).waitFor()
    assert.equal(await page.locator('#script').textContent(), '')
    assert.equal(await page.evaluate('window.origin'), 'null')
    await page.context().close()
  })

  /** The key comes with the first address and stays with the page. */
  async function openPage(path: string): Promise<Page> {
    operator ??= await tabs.visit('/', { withKey: true })
    await tabs.walk(operator, path)
    return operator
  }

  test('the page finds an address, shows its days and captures, and keeps it as a favourite', async () => {
    const page = await openPage('/archive')
    await page.getByLabel('Search for').fill('second')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('link', { name: 'Second', exact: true }).waitFor()
    await page.getByLabel('Of the collection').selectOption(String(versions[1]))
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('link', { name: 'Second', exact: true }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByLabel('Search for').fill(site.url)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Second edition' }).waitFor()
    await page.getByRole('link', { name: /2 captures, 1 changes/ }).waitFor()
    const captures = page.getByRole('link', { name: /^Replay the capture of/ })
    await captures.nth(2).waitFor()
    assert.equal(await captures.count(), 3)
    const raw = page.getByRole('link', { name: /^Raw view/ }).first()
    const address = (await raw.getAttribute('href'))!
    assert.match(address, /^http:\/\/c-\d+\.minga\.localhost:\d+\/pass\/[\w-]+\/raw\//)
    const view = await page.context().newPage()
    assert.equal((await view.goto(address))!.status(), 200)
    await view.close()
    await page.getByLabel('Nearest to').fill('2020-05-06')
    await page.getByRole('heading', { name: 'First edition' }).waitFor()
    await page.getByRole('button', { name: 'Add to favourites' }).click()
    await page.getByRole('button', { name: 'Favourite', pressed: true }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('link', { name: 'Archive' }).first().click()
    await page
      .getByRole('button', { name: `Remove ${site.url}` })
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Forget all searches' }).click()
    await page.getByText('None yet.', { exact: true }).waitFor()
  })

  test('the page shows what changed between two captures, word by word', async () => {
    const page = await openPage(`/archive/url?url=${encodeURIComponent(site.url)}`)
    await page
      .getByRole('link', { name: /^Changes up to/ })
      .first()
      .click()
    await page.getByRole('heading', { name: 'It changed' }).waitFor()
    assert.equal((await page.locator('.diff del').first().textContent())!.trim(), 'First')
    assert.equal((await page.locator('.diff ins').first().textContent())!.trim(), 'Second')
    await page.getByText('no watch that you can read has this address').waitFor()
    const watch = { name: 'Editions', urls: [site.url], excludeSelectors: ['h1', 'title'] }
    await askStation(tabs.station, '/watches', watch)
    await page.reload()
    await page
      .getByRole('link', { name: /^Compared with the settings of the watch “Editions”/ })
      .waitFor()
    assert.equal(await page.locator('.diff').count(), 0, 'only what it leaves out has changed')
    await page.getByRole('link', { name: 'Compare everything' }).click()
    await page.locator('.diff ins').first().waitFor()
    await page.getByRole('link', { name: 'Compare like the watch' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
  })

  test('the page lists versions, compares two and browses the documents of one', async () => {
    const page = await openPage('/versions')
    await page.getByRole('checkbox').nth(1).check()
    await page.getByRole('checkbox').nth(0).check()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByRole('heading', { name: 'Compare two versions' }).waitFor()
    await page.getByRole('link', { name: 'Second edition' }).waitFor()
    const counts = await page.locator('.figures dd').allTextContents()
    assert.deepEqual(counts.slice(0, 3), ['0', '0', '1'])
    assert.deepEqual(await axeFindings(page), [])
    await page.locator('main a[href^="/versions/"]').first().click()
    await page.getByRole('link', { name: 'Replay this version' }).waitFor()
    await page.getByRole('link', { name: 'Second', exact: true }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
  })

  test('an address that is not archived has what is near, and is collected at a press', async () => {
    const missing = `${site.url}never`
    const page = await openPage(`/archive/url?url=${encodeURIComponent(missing)}`)
    await page.getByRole('heading', { name: 'Not archived' }).waitFor()
    await page.getByRole('link', { name: 'Second', exact: true }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.getByRole('button', { name: 'Collect it now' }).click()
    await page.waitForURL(/\/collections\/\d+$/)
  })

  test('the archive speaks Spanish and Portuguese', async () => {
    const page = await openPage('/archive')
    for (const [language, word] of [
      ['es', 'Archivo'],
      ['pt', 'Arquivo'],
    ] as const) {
      await page.locator('.settings select').first().selectOption(language)
      await page.getByRole('heading', { name: word, exact: true }).waitFor()
    }
  })

  test('nothing of all this asked any other machine than this one', () => {
    const strange = tabs.requested.filter(
      (url) =>
        !/^(data|blob|about):/.test(url) &&
        !url.startsWith(replay) &&
        !/^http:\/\/(c-\d+|view)\.minga\.localhost:/.test(url) &&
        !url.startsWith(tabs.station.url),
    )
    assert.deepEqual([...new Set(strange)], [])
  })
})
