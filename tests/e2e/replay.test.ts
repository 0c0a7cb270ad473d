// Goal: what we export is shown by the tool that people use to look at web archives. Method: crawl the
// demo web, export a WACZ, open it in ReplayWeb.page inside headless Chromium with the web switched off.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { cdxjTimestamp } from '@minga/archive'
import type { CaptureRow, ReplayAccess } from '@minga/protocol'
import { OLD_PAGES, writeOldArchive } from '../../apps/minga/test/old-archive-fixture.ts'
import {
  askStation,
  launchBrowser,
  replayedFrame,
  skipWithoutChromium,
  startStation,
} from './page-station.ts'
import { startDemoWeb } from '../../apps/minga/src/demo/demo-web.ts'
import { mingaOutput } from './run-minga.ts'

const REPLAY = fileURLToPath(new URL('../../node_modules/replaywebpage/', import.meta.url))
const PATIENCE_MS = 20_000

test(
  'an exported page shows its text, style and image in ReplayWeb.page',
  { skip: skipWithoutChromium },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'minga-replay-'))
    const wacz = join(folder, 'site.wacz')
    const seed = await collect(folder, wacz)
    const server = await serve(wacz)
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      await page.goto(`${addressOf(server)}/?url=${encodeURIComponent(seed)}`)
      const frame = await replayedFrame(page)
      const title = await frame.locator('h1').textContent({ timeout: PATIENCE_MS })
      assert.equal(title, 'The valley')
      await frame.waitForFunction(IMAGE_IS_SHOWN, undefined, { timeout: PATIENCE_MS })
      assert.ok((await frame.evaluate<number>('document.styleSheets.length')) > 0)
      const link = frame.locator('a[href*="/page/"]').first()
      const name = await link.textContent()
      await link.click()
      await frame.locator('h1', { hasText: name ?? '' }).waitFor({ timeout: PATIENCE_MS })
    } finally {
      await browser.close()
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test(
  'every revisit of an old archive shows its page in ReplayWeb.page when it was repaired',
  { skip: skipWithoutChromium },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'minga-replay-'))
    const data = join(folder, 'data')
    const wacz = join(folder, 'site.wacz')
    await writeOldArchive(data)
    await mingaOutput('archive', 'export', '--wacz', wacz, '--data', data)
    const server = await serve(wacz)
    const browser = await launchBrowser()
    try {
      const page = await browser.newPage()
      for (const { url, capturedAt } of OLD_PAGES.slice(1, 4)) {
        const moment = new URLSearchParams({ url, ts: cdxjTimestamp(capturedAt) })
        await page.goto(`${addressOf(server)}/?${moment.toString()}`)
        const frame = await replayedFrame(page)
        const title = await frame.locator('h1').textContent({ timeout: PATIENCE_MS })
        assert.equal(title, 'The same words', cdxjTimestamp(capturedAt))
      }
    } finally {
      await browser.close()
      server.close()
      server.closeAllConnections()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)

test(
  'a page that first came as a duplicate and was found unchanged is replayed by its station',
  { skip: skipWithoutChromium },
  async () => {
    const web = createServer((_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>The same words</h1>'),
    )
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const station = await startStation('--allow-private-addresses')
    const browser = await launchBrowser()
    try {
      for (const path of ['/same2', '/same1', '/same1']) {
        const url = `${addressOf(web)}${path}`
        await askStation(station, '/requests', { url, maxAgeS: 0 })
      }
      const url = `${addressOf(web)}/same1`
      const [capture] = await askStation<CaptureRow[]>(station, '/captures?limit=1')
      const { origin, pass } = await askStation<ReplayAccess>(
        station,
        `/archive/replay?collectionId=${capture?.collectionId}`,
      )
      const page = await browser.newPage()
      await page.goto(`${origin}/pass/${pass}/view/20990101000000/${url}`)
      const frame = await replayedFrame(page)
      const title = await frame.locator('h1').textContent({ timeout: PATIENCE_MS })
      assert.equal(title, 'The same words')
    } finally {
      await browser.close()
      await station.stop()
      web.close()
      web.closeAllConnections()
    }
  },
)

const IMAGE_IS_SHOWN = `(() => {
  const image = document.querySelector('img')
  return image !== null && image.complete && image.naturalWidth > 0
})()`

/** Answers the seed. The web is gone afterwards: what is shown can only come from the file. */
async function collect(folder: string, wacz: string): Promise<string> {
  const web = await startDemoWeb()
  const data = join(folder, 'data')
  const names = web.resolve.flatMap((override) => ['--resolve', override])
  const scope = ['--scope', 'host', '--delay', '0', '--allow-private-addresses']
  await mingaOutput('crawl', web.seed, '--data', data, ...scope, ...names, '--json')
  web.close()
  await mingaOutput('archive', 'export', '--wacz', wacz, '--data', data)
  return web.seed
}

/** The player, its service worker and the WACZ, by byte ranges as the player asks for it. */
async function serve(wacz: string): Promise<Server> {
  const script = 'text/javascript'
  const files: Record<string, [type: string, bytes: Buffer]> = {
    '/ui.js': [script, readFileSync(join(REPLAY, 'ui.js'))],
    '/replay/sw.js': [script, readFileSync(join(REPLAY, 'sw.js'))],
    '/site.wacz': ['application/wacz', readFileSync(wacz)],
  }
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1')
    if (pathname === '/') files['/'] = ['text/html', playerOf(searchParams)]
    const [type, bytes] = files[pathname] ?? ['text/plain', Buffer.from('')]
    if (!(pathname in files)) return void response.writeHead(404).end()
    const range = /^bytes=(\d*)-(\d*)$/.exec(request.headers.range ?? '')
    const { start, end } = rangeOf(range, bytes.length)
    response.writeHead(range ? 206 : 200, {
      'content-type': type,
      'accept-ranges': 'bytes',
      'content-length': end - start,
      ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${bytes.length}` } : {}),
    })
    response.end(request.method === 'HEAD' ? undefined : bytes.subarray(start, end))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

function rangeOf(range: RegExpExecArray | null, size: number): { start: number; end: number } {
  const [, from = '', to = ''] = range ?? []
  if (from === '') return { start: to === '' ? 0 : Math.max(0, size - Number(to)), end: size }
  return { start: Number(from), end: to === '' ? size : Math.min(Number(to) + 1, size) }
}

function playerOf(asked: URLSearchParams): Buffer {
  const shown = (asked.get('url') ?? '').replaceAll('"', '&quot;')
  return Buffer.from(
    `<!doctype html><title>replay</title><script src="/ui.js"></script>
     <replay-web-page source="/site.wacz" url="${shown}" ts="${asked.get('ts') ?? ''}" replayBase="/replay/"
       embed="replayonly" style="display:block;height:600px"></replay-web-page>`,
  )
}

function addressOf(server: Server): string {
  const address = server.address()
  assert.ok(address !== null && typeof address === 'object')
  return `http://127.0.0.1:${address.port}`
}
