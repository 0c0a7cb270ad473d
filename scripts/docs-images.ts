/**
 * `npm run docs:images`: the pictures of the documents, taken from a running demo, so that they never show
 * a page that is no more. Light, 1280 pixels wide, in English, in UTC.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { smallerPng } from './docs/smaller-png.ts'

const ROOT = join(import.meta.dirname, '..')
const MINGA = join(ROOT, 'apps/minga/bin/minga.mjs')
const OUT = join(ROOT, 'docs/images')
const CHROMIUM = process.env['MINGA_TEST_CHROMIUM'] ?? '/usr/bin/chromium'
const SIZE = { width: 1_280, height: 800 }
const BYTES_MAX = 150_000
/** Until the demo says that every screen has something to show; a busy machine takes longer. */
const PLAY_MS = 240_000
const SETTLE_MS = 1_500
const SCREEN_MS = 60_000
const LOOK_EVERY_MS = 250
const SQL = 'SELECT host, count(*) AS captures\nFROM captures\nGROUP BY host ORDER BY captures DESC'

interface Shot {
  name: string
  path: string
  /** Done first. */
  act?: (page: Page) => Promise<void>
  /** To be seen before the picture is taken. */
  text?: string
}

interface Station {
  url: string
  key: string
  data: string
  child: ChildProcess
}

type Ask = <T>(path: string) => Promise<T>

async function startDemo(data: string): Promise<Station> {
  const child = spawn(process.execPath, [MINGA, 'up', '--demo', '--port', '0', '--data', data], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const address = await heard(child, 'stdout', /(https?:\S+)\/#sign-in=[\w-]+\n/)
  await heard(child, 'stderr', /demo: every screen has something to show/)
  const file = JSON.parse(await readFile(join(data, 'station.json'), 'utf8')) as { apiKey: string }
  return { url: address[1]!, key: file.apiKey, data, child }
}

function heard(
  child: ChildProcess,
  stream: 'stdout' | 'stderr',
  wanted: RegExp,
): Promise<RegExpExecArray> {
  return new Promise((resolve, reject) => {
    let text = ''
    const timer = setTimeout(
      () => reject(new Error(`not heard in time: ${wanted}\n${text}`)),
      PLAY_MS,
    )
    child.once('exit', () => reject(new Error(`the demo ended: ${text}`)))
    child[stream]!.on('data', (chunk: Buffer) => {
      text += String(chunk)
      const found = wanted.exec(text)
      if (found === null) return
      clearTimeout(timer)
      resolve(found)
    })
  })
}

/** The addresses of single things, by their names: numbers differ from run to run. */
async function shotsOf(ask: Ask): Promise<Shot[]> {
  const watches = await ask<{ id: number; name: string; url: string }[]>('/watches')
  const queries = await ask<{ id: string; queries: string[] }[]>('/queries')
  const watch = watches.find(({ name }) => name === 'Weather')?.id
  const news = watches.find(({ name }) => name === 'News')?.url ?? ''
  const { wikis } = await ask<{ wikis: { wiki: string }[] }>('/wikis')
  const wiki = encodeURIComponent(wikis[0]?.wiki ?? '')
  const query = queries.find((one) => one.queries.includes('read-aloud'))?.id
  return [
    { name: 'overview', path: '/', text: 'valley.test' },
    { name: 'collection', path: '/collections/1', text: 'valley.test' },
    { name: 'archive', path: `/archive/url?url=${encodeURIComponent(news)}`, text: 'valley.test' },
    { name: 'agents', path: '/devices', text: 'joao-porto' },
    { name: 'placement', path: '/placement', text: 'killa-attic' },
    { name: 'watches', path: '/watches', text: 'Opening hours' },
    { name: 'watch', path: `/watches/${watch}`, text: 'Weather' },
    {
      name: 'wiki',
      path: `/wikis/${wiki}/page?title=The%20valley`,
      text: 'Killa',
    },
    {
      name: 'sql',
      path: `/sql#${new URLSearchParams({ sql: SQL }).toString()}`,
      act: (page) => page.getByRole('button', { name: 'Ask', exact: true }).click(),
      text: 'museum.valley.test',
    },
    { name: 'query', path: `/queries/${query}`, text: 'read-aloud' },
    { name: 'settings', path: '/config', text: 'strategy' },
  ]
}

async function shoot(page: Page, url: string, { name, path, act, text }: Shot): Promise<string> {
  await page.goto(url + path)
  await page.locator('main h1').first().waitFor({ state: 'attached', timeout: SCREEN_MS })
  await page.locator('.skeleton').first().waitFor({ state: 'detached', timeout: SCREEN_MS })
  await act?.(page)
  if (text !== undefined) await shown(page, text)
  await page.waitForTimeout(SETTLE_MS)
  const trouble = page.locator('main .banner.error').first()
  if (await trouble.isVisible()) throw new Error(`${name}: ${await trouble.innerText()}`)
  return keep(page, name)
}

/** As a reader sees it: choices of a closed list do not count. */
async function shown(page: Page, text: string): Promise<void> {
  for (let waitedMs = 0; waitedMs < SCREEN_MS; waitedMs += LOOK_EVERY_MS) {
    if ((await page.locator('main').innerText()).includes(text)) return
    await page.waitForTimeout(LOOK_EVERY_MS)
  }
  throw new Error(`${page.url()} does not show ${text}`)
}

async function keep(page: Page, name: string): Promise<string> {
  const file = join(OUT, `${name}.png`)
  const png = smallerPng(await page.screenshot({ animations: 'disabled', caret: 'hide' }))
  if (png.length > BYTES_MAX)
    throw new Error(`${name}.png has ${png.length} bytes, more than ${BYTES_MAX}`)
  await writeFile(file, png)
  return `${name}.png ${Math.round(png.length / 1_000)} kB`
}

/** A volunteer's own page is another program's: one more agent joins for the picture. */
async function shootAgent(page: Page, { url, data }: Station, token: string): Promise<string> {
  const folder = ['--data', join(data, 'demo/picture-agent'), '--name', 'the attic']
  const args = ['agent', 'join', url, '--token', token, '--page-port', '0', ...folder]
  const child = spawn(process.execPath, [MINGA, ...args, '--allow-private-addresses'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  try {
    const [, own] = await heard(child, 'stderr', /(http:\/\/127\.0\.0\.1:\d+)\/\n/)
    await page.goto(`${own}/`)
    await page.locator('h1').first().waitFor({ timeout: SCREEN_MS })
    await page.waitForTimeout(SETTLE_MS)
    return await keep(page, 'agent-page')
  } finally {
    await ended(child)
  }
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGINT')
  await exited
}

async function takeAll(station: Station): Promise<void> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--no-first-run'],
  })
  const failed: string[] = []
  try {
    const context = await browser.newContext({
      viewport: SIZE,
      locale: 'en',
      timezoneId: 'UTC',
      colorScheme: 'light',
      reducedMotion: 'reduce',
    })
    const page = await context.newPage()
    const headers = { authorization: `Bearer ${station.key}`, 'content-type': 'application/json' }
    const ask: Ask = async (path) =>
      (await fetch(`${station.url}/api${path}`, { headers })).json() as never
    await page.goto(`${station.url}/#key=${station.key}`)
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    const tried = async (name: string, take: () => Promise<string>): Promise<void> => {
      try {
        // Once more: a busy machine may have missed a moment.
        process.stderr.write(`docs/images/${await take().catch(take)}\n`)
      } catch (error) {
        failed.push(`${name}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    for (const shot of await shotsOf(ask))
      await tried(shot.name, () => shoot(page, station.url, shot))
    const invited = await fetch(`${station.url}/api/join-tokens`, {
      method: 'POST',
      headers,
      body: '{}',
    })
    const { token } = (await invited.json()) as { token: string }
    await tried('agent-page', () => shootAgent(page, station, token))
  } finally {
    await browser.close()
  }
  if (failed.length > 0) throw new Error(`not taken:\n  ${failed.join('\n  ')}`)
}

const data = await mkdtemp(join(tmpdir(), 'minga-images-'))
const station = await startDemo(data)
try {
  await takeAll(station)
} finally {
  await ended(station.child)
  await rm(data, { recursive: true, force: true })
}
