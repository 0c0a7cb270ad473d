// Goal: the demo fills every screen with real data by itself, on this machine alone, every screen is whole, and an
// empty station shows the first steps. Method: the real `minga up --demo`, asked over its API and walked in Debian's Chromium, screen after
// screen in the order in which they fill; how long it takes is a matter of the machine, what comes is not.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CaptureDiff, CollectionStatus, QueryView, VisitView } from '@minga/protocol'
import type { Page } from 'playwright-core'
import { askStation, skipWithoutChromium, type Station } from './page-station.ts'
import { IN_MOTION, startTabs, type Tabs } from './page-tabs.ts'
import { sweepScreens } from './sweep-screens.ts'

/** Only spent when something is missing. */
const PATIENCE_MS = 180_000
const LOOK_EVERY_MS = 1_000

interface Shown {
  path: string
  /** In the text of the screen, as a reader sees it. */
  text: RegExp
}

/** In the order in which the demo brings them. */
const SCREENS: readonly Shown[] = [
  { path: '/', text: /valley\.test/ },
  { path: '/collections', text: /museum\.valley\.test/ },
  { path: '/collections/1', text: /library\.valley\.test/ },
  { path: '/captures', text: /valley\.test/ },
  { path: '/devices', text: /joao-porto/ },
  { path: '/accounts', text: /reader-app/ },
  { path: '/config', text: /partitioned/ },
  { path: '/watches', text: /Opening hours/ },
  { path: '/alerts', text: /Atom|feed/i },
  { path: '/wikis', text: /valley/ },
  { path: '/requests', text: /bat_/ },
  { path: '/neutrality', text: /three countries/ },
  { path: '/abuse', text: /casino\.valley\.test/ },
  { path: '/money', text: /for the demo|4\.99/ },
  { path: '/tables', text: /reviews/ },
  { path: '/sql', text: /reviews/ },
  { path: '/queries', text: /read-aloud/ },
  { path: '/tasks', text: /read-aloud|import/i },
  { path: '/events', text: /joao-porto|collection/i },
  { path: '/placement', text: /killa-attic/ },
  { path: '/versions', text: /school/ },
  { path: '/load-tests', text: /archive\.valley\.test/ },
  { path: '/leaderboard', text: /Killa|João/ },
]

/** What the last acts bring, as the API has it: until then the demo has the processor to itself. */
const LAST: readonly Shown[] = [
  { path: '/watches', text: /"changes":[1-9]/ },
  { path: '/wikis/overview', text: /valley/ },
  { path: '/queries', text: /read-aloud/ },
  { path: '/load-tests', text: /archive\.valley\.test/ },
  { path: '/archive/versions?limit=50', text: /school/ },
  { path: '/place/state', text: /killa-attic/ },
  { path: '/leaderboard/days?days=30', text: /Killa|João/ },
]

async function until<T>(look: () => Promise<T | null>, what: string): Promise<T> {
  const deadlineMs = performance.now() + PATIENCE_MS
  for (;;) {
    const found = await look()
    if (found !== null) return found
    assert.ok(performance.now() < deadlineMs, `waited in vain for ${what}`)
    await sleep(LOOK_EVERY_MS)
  }
}

async function filled(station: Station): Promise<void> {
  for (const { path, text } of LAST) {
    const look = async (): Promise<true | null> =>
      text.test(JSON.stringify(await askStation(station, path))) || null
    await until(look, `${path} (${text})`)
  }
}

/** Walks from screen to screen until each has had something to show. */
async function assertAllShow(tabs: Tabs, page: Page, screens: readonly Shown[]): Promise<void> {
  let empty = [...screens]
  const deadlineMs = performance.now() + PATIENCE_MS
  while (empty.length > 0) {
    const still: Shown[] = []
    for (const shown of empty) {
      await tabs.walk(page, shown.path)
      if (!shown.text.test(await page.locator('main').innerText())) still.push(shown)
    }
    empty = still
    const names = empty.map(({ path, text }) => `${path} (${text})`).join(', ')
    assert.ok(empty.length === 0 || performance.now() < deadlineMs, `nothing to see on ${names}`)
    // To look without a pause would take from the demo the processor that fills it.
    if (empty.length > 0) await sleep(LOOK_EVERY_MS)
  }
}

/** Visits that found no change although what they captured differs, without any watch's mask, from before. */
async function missedBy(station: Station, id: number): Promise<string[]> {
  const visits = await askStation<VisitView[]>(station, `/watches/${id}/visits?limit=100`)
  const ofPage = visits.filter(({ url, captureId }) => captureId !== null && !url.endsWith('xml'))
  const missed: string[] = []
  for (const [i, { url, at, outcome }] of ofPage.entries()) {
    const former = ofPage[i + 1]
    if (former === undefined || outcome === 'changed') continue
    const span = `before=${timestampOf(former.at)}&after=${timestampOf(at)}`
    const path = `/captures/diff?url=${encodeURIComponent(url)}&raw=1&${span}`
    const { changed, content } = await askStation<CaptureDiff>(station, path)
    if (changed) missed.push(`${url} ${span}: ${outcome}, but ${content} of its content differs`)
  }
  return missed
}

/** As the archive writes it, to the second. */
const timestampOf = (at: number): string =>
  new Date(at).toISOString().replaceAll(/[-:T]|\..*$/g, '')

describe('the demo', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs

  before(async () => {
    tabs = await startTabs('--demo')
  })
  after(() => tabs?.end())

  test('every screen fills by itself', async () => {
    await filled(tabs.station)
    const page = await tabs.visit('/', { withKey: true, ...IN_MOTION })
    await assertAllShow(tabs, page, SCREENS)
    assert.deepEqual(tabs.complaints, [])
    await page.context().close()
  })

  test('one collection runs or has run whole, one has ended and one rests', async () => {
    const states = await until(async () => {
      const all = await askStation<CollectionStatus[]>(tabs.station, '/collections')
      const crawls = all.filter(({ spec }) => spec.kind === 'crawl')
      const isThere = crawls.some(({ state }) => state === 'finished')
      return isThere && crawls.length === 3 ? crawls : null
    }, 'a collection to end')
    assert.deepEqual(
      states.filter(({ state }) => state === 'paused').map(({ spec }) => spec.seeds.length),
      [1],
    )
    assert.ok(states.some(({ captures }) => captures > 20))
  })

  test('pages that are watched are visited several times and found changed', async () => {
    interface Watch {
      id: number
      name: string
      subject: string
      visits: number
      changes: number
    }
    const watches = await until(async () => {
      const all = await askStation<Watch[]>(tabs.station, '/watches')
      // A site is gathered whole when it was found new, which takes longer than a look at a page.
      const pages = all.filter(({ subject }) => subject === 'page')
      const isSeen = pages.length > 0 && pages.every(({ visits }) => visits > 1)
      return isSeen && pages.some(({ changes }) => changes > 0) ? all : null
    }, 'changes')
    assert.equal(watches.length, 7)
    const pages = watches.filter(({ subject }) => subject === 'page')
    for (const { id, name } of pages) assert.deepEqual(await missedBy(tabs.station, id), [], name)
  })

  test('the wiki comes from a dump and from the wiki itself, as one', async () => {
    interface WikiTask {
      kind: string
      state: string
      progress: { pagesDone: number }
    }
    const task = await until(async () => {
      const all = await askStation<WikiTask[]>(tabs.station, '/wikis/tasks')
      return all.find(({ kind, state }) => kind === 'extract' && state !== 'running') ?? null
    }, 'the pages of the wiki')
    assert.deepEqual([task.state, task.progress.pagesDone], ['done', 6])
    const { wikis } = await askStation<{ wikis: { pages: number; gaps: number }[] }>(
      tabs.station,
      '/wikis',
    )
    assert.deepEqual(
      wikis.map(({ pages, gaps }) => [pages, gaps]),
      [[36, 0]],
    )
  })

  test('volunteers call from three countries, are audited and none of them is taken for a liar', async () => {
    interface Device {
      name: string
      country: string
      trust: { standing: { state: string; agreements: number } }
    }
    const devices = await until(async () => {
      const all = await askStation<Device[]>(tabs.station, '/devices')
      return all.some(({ trust }) => trust.standing.agreements > 0) ? all : null
    }, 'audits')
    const lent = devices.filter(({ name }) => name !== 'local-1')
    assert.deepEqual(lent.map(({ country }) => country).toSorted(), ['BO', 'PE', 'PT'])
    assert.ok(lent.every(({ trust }) => trust.standing.state === 'active'))
  })

  test('clients’ requests were delivered, failed and denied, and a query was answered', async () => {
    const { captures, failed, denied } = await until(async () => {
      const all = await askStation<CollectionStatus[]>(tabs.station, '/collections')
      return all.find(({ spec, queued }) => spec.kind === 'requests' && queued === 0) ?? null
    }, 'the requests of clients to end')
    assert.ok(captures > 12 && failed >= 2 && denied >= 1, `${captures} ${failed} ${denied}`)
    const queries = await askStation<QueryView[]>(tabs.station, '/queries')
    assert.ok(queries.some(({ state, kind }) => kind === 'query' && state === 'done'))
  })

  sweepScreens(() => tabs)

  test('nothing was asked of another machine', () => {
    const { origin, hostname } = new URL(tabs.station.url)
    // What was archived is replayed from names and a port of its own of the same machine.
    const isHere = (asked: URL): boolean =>
      asked.origin === origin ||
      asked.hostname === hostname ||
      asked.hostname.endsWith('.localhost')
    const outside = tabs.requested.filter((url) => {
      const asked = new URL(url)
      return /^https?:$/.test(asked.protocol) && !isHere(asked)
    })
    assert.deepEqual(outside, [])
  })
})

describe('an empty station', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page

  before(async () => {
    tabs = await startTabs('--no-agent')
    page = await tabs.visit('/', { withKey: true, ...IN_MOTION })
  })
  after(() => tabs?.end())

  test('shows three first steps, each with its means, and says what is wrong with an address', async () => {
    await page.getByRole('heading', { name: 'Three first steps' }).waitFor()
    await page.getByLabel('Address', { exact: true }).fill('javascript:alert(1)')
    await page.getByRole('button', { name: 'Collect', exact: true }).click()
    await page.getByText('Enter an address of the web').waitFor()
    await page.getByRole('button', { name: 'Create invitation' }).click()
    await page.getByText(/minga.agent join http.* --token/).waitFor()
  })

  test('is accessible and fits a telephone', async () => {
    await tabs.assertAccessible(page, ['/'])
    await tabs.assertFitsTelephone(page, ['/'])
  })

  test('ticks a step when it is done, and puts the rest away when asked to', async () => {
    await tabs.walk(page, '/')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('The answer has no rows yet').waitFor()
    await page.locator('.first-steps li.done', { hasText: 'Ask a question' }).waitFor()
    await page.getByLabel('Address', { exact: true }).fill('station.example/docs')
    await page.getByRole('button', { name: 'Collect', exact: true }).click()
    await page.locator('.first-steps li.done', { hasText: 'Collect a site' }).waitFor()
    await page.getByRole('button', { name: 'Do not show these steps again' }).click()
    await page.locator('.first-steps').waitFor({ state: 'detached' })
    assert.deepEqual(tabs.complaints, [])
  })
})
