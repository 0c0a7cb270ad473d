/**
 * Tabs on the page of a station. A tab of its own costs a second of a core (Chromium makes a window,
 * the page is compiled again), loading half of one, a link inside the page next to nothing: tests
 * keep the tabs of who they play, and walk from screen to screen.
 */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { readFileSync } from 'node:fs'
import { ApiAnswers } from '@minga/testkit'
import type { Browser, BrowserContextOptions, Page, Request, Response } from 'playwright-core'
import {
  buildPage,
  launchBrowser,
  axeFindings,
  startStation,
  type Station,
} from './page-station.ts'

/** Generous: it is only spent when something is broken. */
const PATIENCE_MS = 60_000
const LONG = process.env['MINGA_LONG'] === '1'
const BOTH_COLOURS = ['light', 'dark'] as const
/** For states that only one test reaches: either colour shows what axe can find. */
export const COLOURS = LONG ? BOTH_COLOURS : (['dark'] as const)
/** For screens as they open: by default `sweep-screens.ts` has judged each of them already. */
export const SWEPT_COLOURS = LONG ? BOTH_COLOURS : []
/** Skeletons and marks of what is under way would be painted sixty times a second as long as they are there. */
const AT_REST = { reducedMotion: 'reduce' } as const
/** For tabs that also show that nothing waits for a movement to end. */
export const IN_MOTION = { reducedMotion: 'no-preference' } as const
/** A telephone, in the languages of the page; by default the sweep has the other languages. */
const TELEPHONE = { width: 360, height: 740 }
const DESK = { width: 1_280, height: 800 }
const LANGUAGES = LONG ? ['es', 'pt', 'en'] : ['en']

const openApi = new URL('../../apps/coordinator/openapi.json', import.meta.url)
const answers = new ApiAnswers(JSON.parse(readFileSync(openApi, 'utf8')) as never)

interface TabOptions extends BrowserContextOptions {
  /** Lets the tab write, as the address does that the station prints. */
  withKey?: boolean
}

export class Tabs {
  readonly station: Station
  /** Everything any tab asked for. */
  readonly requested: string[] = []
  /** Errors of scripts and policies, and answers that are not what the document says. */
  readonly complaints: string[] = []
  /** Paths that a test answers itself: the document says nothing about these answers. */
  readonly madeUp = new Set<string>()
  readonly #browser: Browser
  readonly #pending = new WeakMap<Page, PendingRequests>()

  constructor(station: Station, browser: Browser) {
    this.station = station
    this.#browser = browser
  }

  /** By a name of one site with the names of replay: browsers of tests block what other sites store in frames. */
  get named(): string {
    return this.station.url.replace('127.0.0.1', 'minga.localhost')
  }

  #isOurs(url: string): boolean {
    return [this.station.url, this.named].some((own) => url.startsWith(own))
  }

  async end(): Promise<void> {
    await this.#browser.close()
    await this.station.stop()
  }

  /** A tab with a session of its own, at a path of the station or a whole address. */
  async visit(path: string, { withKey = false, ...options }: TabOptions = {}): Promise<Page> {
    const page = await this.blank(options)
    await this.open(page, withKey ? `${path}#key=${this.station.key}` : path)
    return page
  }

  /** An empty one, for what is not the page of the station. */
  async blank(options: BrowserContextOptions = {}): Promise<Page> {
    const context = await this.#browser.newContext({
      locale: 'en',
      viewport: DESK,
      ...AT_REST,
      ...options,
    })
    context.setDefaultTimeout(PATIENCE_MS)
    const page = await context.newPage()
    this.#listen(page)
    return page
  }

  #listen(page: Page): void {
    const pending = new PendingRequests()
    this.#pending.set(page, pending)
    page.on('request', (request) => {
      this.requested.push(request.url())
      // A stream of events stays open as long as its screen.
      if (!/\/(events|stream)\b/.test(request.url())) pending.add(request)
    })
    page.on('requestfinished', (request) => pending.delete(request))
    page.on('requestfailed', (request) => pending.delete(request))
    page.on('pageerror', (error) => {
      // The player stops where a browser lends pages in frames no storage; the screen around it says so.
      const isFramed = page.frames().some((frame) => frame.url().includes('.localhost:'))
      const isOfPlayer = isFramed && error.message.includes('Access is denied for this document')
      if (!isOfPlayer) this.complaints.push(String(error))
    })
    page.on('console', (message) => {
      // A refusal of the station is an answer, and the screen says so.
      const isRefusal = message.text().startsWith('Failed to load resource')
      // Archived pages have their own origin, and their own errors.
      const isOurs = this.#isOurs(message.location().url)
      if (message.type() === 'error' && isOurs && !isRefusal) this.complaints.push(message.text())
    })
    page.on('response', (response) => void this.#holdToDocument(response))
  }

  /** What the station answers its page is what its document says. */
  async #holdToDocument(response: Response): Promise<void> {
    const { origin, pathname } = new URL(response.url())
    const isApi = this.#isOurs(origin) && /^\/api\/(?!v1\b)/.test(pathname)
    const isJson = response.headers()['content-type']?.startsWith('application/json') ?? false
    if (!isApi || !isJson || !response.ok() || this.madeUp.has(pathname)) return
    // A tab that has gone on keeps no answers.
    const body: unknown = await response.json().catch(() => undefined)
    if (body === undefined) return
    const seen = { method: response.request().method(), path: pathname, status: response.status() }
    const misfits = answers.misfits({ ...seen, body }) ?? ['is not in the document']
    this.complaints.push(...misfits.map((misfit) => `${seen.method} ${pathname}: ${misfit}`))
  }

  /** Loads an address; the tab keeps its key and its session. */
  async open(page: Page, path: string): Promise<void> {
    await page.goto(new URL(path, this.station.url).href)
    await page.locator('main h1').first().waitFor({ state: 'attached' })
    await this.settle(page)
  }

  /**
   * Goes to a screen as a link of the page does, without loading. The same screen at another address goes by way
   * of a place that is not there: it begins again, and its former heading is not taken for the new one.
   */
  async walk(page: Page, path: string): Promise<void> {
    const isSame = await page.evaluate<boolean>(`(${SHOWS_SAME})(${JSON.stringify(path)})`)
    // A screen that was still on its way out stays when its address comes back, heading and all.
    const hasArrived = !isSame && (await go(page, path, DIRECT_MS).then(isTrue, isFalse))
    for (const to of hasArrived ? [] : ['/not-a-screen', path]) await go(page, to, PATIENCE_MS)
    await this.settle(page)
  }

  /** What was asked for has come and is laid out. */
  async settle(page: Page): Promise<void> {
    const pending = this.#pending.get(page)!
    const deadlineMs = performance.now() + PATIENCE_MS
    let isWhole: boolean
    do {
      await pending.none(deadlineMs - performance.now())
      isWhole = await page.evaluate<boolean>(`(${LAID_OUT})(${PATIENCE_MS})`)
      assert.ok(performance.now() < deadlineMs, `${page.url()} waits for answers in vain`)
      // A screen that was fetched itself asks only when it is there.
    } while (pending.size > 0 || !isWhole)
  }

  async assertAccessible(page: Page, paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      await this.walk(page, path)
      assert.deepEqual(await axeFindings(page), [], path)
    }
  }

  /** Nothing scrolls sideways, in any language. */
  async assertFitsTelephone(page: Page, paths: readonly string[]): Promise<void> {
    await page.setViewportSize(TELEPHONE)
    for (const path of paths) {
      await this.walk(page, path)
      for (const language of LANGUAGES) {
        await page.locator('.settings select').first().selectOption(language)
        await page.locator(`html[lang="${language}"]`).waitFor({ state: 'attached' })
        await this.settle(page)
        const width = await page.evaluate('document.documentElement.scrollWidth')
        assert.equal(width, TELEPHONE.width, `${language} ${path}`)
      }
    }
    await page.setViewportSize(DESK)
  }
}

/** For a screen whose heading does not change; others take a fraction of it. */
const DIRECT_MS = 5_000
const isTrue = (): boolean => true
const isFalse = (): boolean => false

const go = (page: Page, to: string, patienceMs: number): Promise<void> =>
  page.evaluate(`(${GO})(${JSON.stringify(to)}, ${patienceMs})`)

/** What a tab has asked for and not got yet: waiting for the last of it costs nothing. */
class PendingRequests {
  readonly #requests = new Set<Request>()
  readonly #ended = new EventEmitter()

  get size(): number {
    return this.#requests.size
  }

  add(request: Request): void {
    this.#requests.add(request)
  }

  delete(request: Request): void {
    this.#requests.delete(request)
    if (this.size === 0) this.#ended.emit('none')
  }

  /** Returns at the latest after this time. */
  async none(patienceMs: number): Promise<void> {
    if (this.size === 0) return
    const signal = AbortSignal.timeout(Math.max(0, Math.ceil(patienceMs)))
    await once(this.#ended, 'none', { signal }).catch(() => {})
  }
}

/** Whether this address is shown by the component that is on the screen now. Runs in the page. */
const SHOWS_SAME = `(to) => {
  const shownAt = (path) => __TSR_ROUTER__.getMatchedRoutes(path)[2]?.options.component
  return shownAt(new URL(to, location.href).pathname) === shownAt(location.pathname)
}`

/** Pushes an address and waits for a heading that is not the present one. Runs in the page. */
const GO = `(to, patienceMs) => new Promise((resolve, reject) => {
  const former = document.querySelector('main h1')
  const isThere = () => [...document.querySelectorAll('main h1')].some((heading) => heading !== former)
  const timer = setTimeout(() => reject(new Error('no screen at ' + to)), patienceMs)
  const seen = new MutationObserver(() => {
    if (!isThere()) return
    clearTimeout(timer)
    seen.disconnect()
    resolve()
  })
  seen.observe(document.body, { childList: true, subtree: true })
  history.pushState(null, '', to)
})`

/** Waits for what is being read, then for two frames: whether everything is there now. Runs in the page. */
const LAID_OUT = `(patienceMs) => new Promise((resolve) => {
  const isWhole = () => document.querySelector('.skeleton') === null
  const drawn = () => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(isWhole()))))
  if (isWhole()) return drawn()
  const timer = setTimeout(drawn, patienceMs)
  const seen = new MutationObserver(() => {
    if (!isWhole()) return
    clearTimeout(timer)
    seen.disconnect()
    drawn()
  })
  seen.observe(document.documentElement, { childList: true, subtree: true, attributeFilter: ['class'] })
})`

/** A station with these options, its page built, and a browser. */
export async function startTabs(...options: string[]): Promise<Tabs> {
  await buildPage()
  const browser = await launchBrowser()
  const station = await startStation(...options).catch(async (error: unknown) => {
    await browser.close()
    throw error
  })
  return new Tabs(station, browser)
}
