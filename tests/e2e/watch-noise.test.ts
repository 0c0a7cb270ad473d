// Goal: a running station misses no real change and is not alarmed by noise, however soon after a visit a page is
// edited. Method: the real program visits pages that change by themselves at every fetch and are edited from a
// tenth of a second to some seconds after each visit; its word is judged by the edits that the web really made.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ForecastView, NoiseRegionView, VisitView, WatchDetail } from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import { NoisyPage, NOISES, type Noise } from '../../packages/forecast/test/detect/noisy-page.ts'
import { startChangingWeb, type ChangingWeb } from '../changing-web.ts'
import {
  askStation,
  buildPage,
  launchBrowser,
  skipWithoutChromium,
  startStation,
  type Station,
} from './page-station.ts'
import { Tabs } from './page-tabs.ts'
import { mingaOutput } from './run-minga.ts'

const PAGES_PER_NOISE = 4
const ROUNDS = 4
const ROUND_MS = 3_700
/** A double fetch follows within seconds of the fetch before it; the next visit is weeks away. */
const TWIN_MS = 10_000
/** On a slow machine a double fetch comes too late to teach anything, and another visit is needed. */
const LESSONS_MAX = 5
const LOOK_EVERY_MS = 100
/** Without text, or with text of a form that is never compared. */
const UNLEARNT: ReadonlySet<Noise> = new Set(['none', 'nonce', 'timestamp'])
const EDIT_FIRST_MS = 100
const EDIT_LAST_MS = 3_500
const random = seededRandom(17)

class WatchedPage {
  readonly noise: Noise
  readonly #page: NoisyPage
  id = 0
  #awaitsVisit = false
  #edits = 0
  /** Of each visit: how often the page was edited since the one before. */
  readonly seen: number[] = []
  /** Visits before this one taught the noise of the page. */
  judgedFrom = 1

  constructor(noise: Noise) {
    this.noise = noise
    this.#page = new NoisyPage(noise, random)
  }

  awaitVisit(): void {
    this.#awaitsVisit = true
  }

  /** The first fetch of a round is the visit; the fetches after it are twins. */
  html(): string {
    if (this.#awaitsVisit) {
      this.#awaitsVisit = false
      this.seen.push(this.#edits)
      this.#edits = 0
      if (random.chance(0.6)) setTimeout(() => this.#edit(), this.#distanceMs())
    }
    return this.#page.html(Date.now())
  }

  /** As likely in each magnitude of time. */
  #distanceMs(): number {
    return EDIT_FIRST_MS * (EDIT_LAST_MS / EDIT_FIRST_MS) ** random.next()
  }

  #edit(): void {
    this.#edits += 1
    this.#page.edit()
  }
}

const pages = NOISES.flatMap((noise) =>
  Array.from({ length: PAGES_PER_NOISE }, () => new WatchedPage(noise)),
)
let web: ChangingWeb
let station: Station

before(async () => {
  web = await startChangingWeb((host, path) => {
    const page = pages[Number(host.split('.').at(-1)) - 2]
    return path === '/' && page !== undefined ? { body: page.html() } : undefined
  })
  station = await startStation('--allow-private-addresses')
})
after(async () => {
  await station?.stop()
  await web?.close()
})

const rest = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

async function visit(some: readonly WatchedPage[]): Promise<void> {
  while ((await twins()) === 'out') await rest(LOOK_EVERY_MS)
  for (const page of some) page.awaitVisit()
  const ids = some.map(({ id }) => id)
  const { startedAt } = await askStation<{ startedAt: number }>(station, '/watches/run', { ids })
  for (let looks = 0; looks < 200; looks++) {
    const { left } = await askStation<{ left: number }>(
      station,
      `/watches/run?startedAt=${startedAt}`,
    )
    if (left === 0) return
    await rest(LOOK_EVERY_MS)
  }
  assert.fail('the round does not end')
}

type Twins = 'none' | 'planned' | 'out'

/** Whether double fetches are on their way, or will follow soon. */
async function twins(): Promise<Twins> {
  const [next] = await askStation<ForecastView[]>(station, '/watches/forecast?limit=1')
  if (next?.plan?.text === 'a visit is under way') return 'out'
  return (next?.nextVisitAt ?? 0) < Date.now() + TWIN_MS ? 'planned' : 'none'
}

/** Noise that a reader sees is ignored only after repeated evidence. */
async function learnNoise(): Promise<void> {
  let unlearnt = pages
  for (let lessons = 0; unlearnt.length > 0; await rest(LOOK_EVERY_MS)) {
    const learnt = await Promise.all(unlearnt.map(isLearnt))
    unlearnt = unlearnt.filter((_, index) => !learnt[index])
    if (unlearnt.length === 0 || (await twins()) !== 'none') continue
    const names = unlearnt.map(({ noise }) => noise).join(', ')
    assert.ok(++lessons <= LESSONS_MAX, `${names} is not learnt`)
    await visit(unlearnt)
  }
  for (const page of pages) page.judgedFrom = page.seen.length
}

async function isLearnt({ id, noise }: WatchedPage): Promise<boolean> {
  if (UNLEARNT.has(noise)) return true
  const regions = await askStation<NoiseRegionView[]>(station, `/watches/${id}/noise`)
  return regions.some(({ state }) => state === 'ignored')
}

const visitsOf = async ({ id }: WatchedPage): Promise<VisitView[]> =>
  (await askStation<VisitView[]>(station, `/watches/${id}/visits?limit=100`)).toReversed()

test('edits right after a visit are found and noise is not, judged by what the web did', async () => {
  for (const [index, page] of pages.entries()) {
    const url = `http://127.0.0.${index + 2}:${web.port}/`
    page.awaitVisit()
    const watch = { urls: [url], delayMs: 0, periodMs: 30 * 86_400_000 }
    page.id = (await askStation<WatchDetail>(station, '/watches', watch)).id
  }
  await learnNoise()
  for (let round = 0; round < ROUNDS; round++) {
    await rest(ROUND_MS)
    await visit(pages)
  }
  const counts = { edited: 0, found: 0, quiet: 0, alarms: 0, onlyNoise: 0 }
  const wrong: string[] = []
  for (const page of pages) {
    const visits = await visitsOf(page)
    assert.equal(visits.length, page.seen.length, `${page.noise}: every visit is one`)
    for (const [index, { outcome }] of visits.entries()) {
      if (index < page.judgedFrom) continue
      const isEdited = page.seen[index]! > 0
      const isFound = outcome === 'changed'
      counts[isEdited ? 'edited' : 'quiet'] += 1
      if (isFound) counts[isEdited ? 'found' : 'alarms'] += 1
      if (outcome === 'noise') counts.onlyNoise += 1
      if (isEdited !== isFound) wrong.push(`${page.noise}, visit ${index}: ${outcome}`)
    }
  }
  const said = `${JSON.stringify(counts)} ${wrong.join('; ')}`
  assert.ok(counts.edited > 50 && counts.quiet > 30 && counts.onlyNoise > 10, said)
  assert.ok(counts.found / counts.edited >= 0.98, said)
  assert.ok(counts.alarms / counts.quiet <= 0.02, said)
  await assertRestored(pages.find(({ noise }) => noise === 'quote')!)
})

/** The command line lists what is ignored, with a preview, and restores it. */
async function assertRestored({ id }: WatchedPage): Promise<void> {
  const there = [String(id), '--json', '--station', station.url, '--key', station.key]
  const noise = async (...args: string[]): Promise<NoiseRegionView[]> => {
    const said = await mingaOutput('watch', 'noise', ...there, ...args)
    return (JSON.parse(said) as { regions: NoiseRegionView[] }).regions
  }
  const [region] = await noise()
  assert.equal(region?.state, 'ignored')
  assert.match(region.preview, / and \w+$/)
  const restored = await noise('--restore', String(region.region))
  assert.deepEqual(
    restored.map(({ state }) => state),
    ['restored'],
  )
}

test('ignored regions are listed on the page, grey in a comparison, restored and forgotten by click', async (t) => {
  if (skipWithoutChromium !== false) return t.skip(skipWithoutChromium)
  const watched = await findNoisyPage()
  const regionsNow = (): Promise<NoiseRegionView[]> =>
    askStation(station, `/watches/${watched.id}/noise`)
  const count = (await regionsNow()).length
  assert.ok(count > 1, 'a page with several kinds of noise has several regions')
  await buildPage()
  const tabs = new Tabs(station, await launchBrowser())
  t.after(() => tabs.end())
  const page = await tabs.visit(`/watches/${watched.id}`, { withKey: true })
  const row = page.getByRole('row').filter({ hasText: 'Only noise' }).first()
  await row.getByRole('link', { name: /^Changes up to/ }).click()
  await page.getByRole('heading', { name: 'Only noise: no relevant difference' }).waitFor()
  await page.locator('.diff .ignored').getByText('ignored as noise').first().waitFor()
  assert.deepEqual(await page.evaluate(SHOWN_COLOURS), await page.evaluate(QUIET_COLOURS))
  await page.goBack()

  const section = page.locator('.watch-noise')
  await section.getByText(`${count} regions ignored as noise`).waitFor()
  await section.getByRole('button', { name: 'Show' }).click()
  const regions = section.getByRole('table', { name: 'Ignored regions' }).locator('tbody tr')
  await regions.first().waitFor()
  assert.equal(await regions.count(), count)
  const quote = regions.filter({ hasText: / and \w+/ }).first()
  await quote.getByRole('button', { name: 'Not noise' }).click()
  await regions.getByText('Counts: not noise').waitFor()
  // A visit may come at any time, and tells the region's last text and when it was seen.
  const statesNow = async (): Promise<[number, string][]> =>
    (await regionsNow()).map(({ region, state }) => [region, state])
  const restored = (await statesNow()).filter(([, state]) => state === 'restored')
  assert.equal(restored.length, 1)

  await section.getByRole('button', { name: 'Forget all' }).click()
  await section.waitFor({ state: 'detached' })
  // What a user restored stays restored: only what was learnt is forgotten.
  assert.deepEqual(await statesNow(), restored)
  assert.deepEqual(tabs.complaints, [])
})

/** Text and background of what differs in ignored lines, each once; other lines have them green and red. */
const SHOWN_COLOURS = `[...new Set(Array.from(
  document.querySelectorAll('.diff .ignored ins, .diff .ignored del'),
  (part) => [getComputedStyle(part).color, getComputedStyle(part).backgroundColor].join(' on '),
))]`
const QUIET_COLOURS = `(() => {
  const probe = document.body.appendChild(document.createElement('p'))
  probe.style.color = 'var(--quiet)'
  const { color, backgroundColor } = getComputedStyle(probe)
  probe.remove()
  return [[color, backgroundColor].join(' on ')]
})()`

/** A page with every kind of noise, of which a visit found nothing else. */
async function findNoisyPage(): Promise<WatchedPage> {
  for (const page of pages.filter(({ noise }) => noise === 'everything')) {
    const visits = await visitsOf(page)
    if (visits.some(({ outcome }) => outcome === 'noise')) return page
  }
  assert.fail('no visit found only noise')
}
