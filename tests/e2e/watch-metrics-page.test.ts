// Goal: the figures of watches can be read, compared and reached by keyboard, in three languages and both
// colours. Method: a real station over a folder with a made-up past, and Debian's Chromium.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { openStore } from '@minga/store'
import type { Page } from 'playwright-core'
import type {
  PastVisit,
  PastWatch,
  MetricsFixtureOperations,
} from '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts'
import { skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const FIXTURE = new URL(
  '../../apps/coordinator/test/watch/metrics/metrics-fixture.ts',
  import.meta.url,
)
const DAY_MS = 86_400_000
const PATHS = ['/watch-groups', '/watches/1/metrics', '/watches/1/compare', '/growth']

/** Every other day for two months, changed at every third visit. */
function pastVisits(): PastVisit[] {
  const now = Date.now()
  return Array.from({ length: 30 }, (_, i): PastVisit => {
    const at = now - (30 - i) * 2 * DAY_MS
    if (i === 0) return { at, outcome: 'first', bytes: 50_000 }
    if (i === 7) return { at, outcome: 'failed' }
    return i % 3 === 0
      ? { at, outcome: 'changed', bytes: 50_000 }
      : { at, outcome: 'unchanged', bytes: 500 }
  })
}

const watch = (id: number, name: string, rate: number): PastWatch => ({
  id,
  name,
  urls: [{ url: `https://w${id}.example/`, rate, visits: pastVisits() }],
})

describe('figures of watches on the page', { skip: skipWithoutChromium }, () => {
  let folder: string
  let tabs: Tabs
  let page: Page

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-figures-'))
    const store = await openStore<MetricsFixtureOperations>({
      data: folder,
      operations: FIXTURE.href,
      writer: 'main',
    })
    await store.call('putWatch', watch(1, 'Museum', 0.4))
    await store.call('putWatch', watch(2, 'Newspaper', 30))
    await store.close()
    tabs = await startTabs('--data', folder)
    page = await tabs.visit('/watch-groups')
  })
  after(async () => {
    await tabs?.end()
    if (folder !== undefined) await rm(folder, { recursive: true, force: true })
  })

  test('Lists, graphs, comparison, console: groups lead to the figures and graphs of a watch', async () => {
    const table = page.getByRole('table', { name: 'Original formula' })
    assert.equal(await table.getByRole('row').count(), 1 + 9)
    assert.equal(await page.getByRole('row', { name: /^Visits without a change/ }).count(), 1)
    await page.getByRole('link', { name: 'Newspaper', exact: true }).click()
    await page.getByRole('heading', { name: 'Newspaper' }).waitFor()
    const figures = await page.locator('dl.figures').first().innerText()
    assert.match(figures, /Changes lost\s+[\d.]+/)
    assert.match(figures, /Visits\s+30\b/)
    assert.equal(await page.getByRole('img').count(), 3)
    const legend = await page.locator('figcaption').first().innerText()
    assert.match(legend, /Change found.*Change lost \(expected\).*Visited, no change/s)
    await page.locator('summary').first().click()
    assert.ok((await page.locator('details table').first().locator('tbody tr').count()) > 5)
  })

  test('Lists, graphs, comparison, console: the fixed period slides by keyboard and another site is chosen', async () => {
    await tabs.walk(page, '/watches/1/compare')
    const row = page.getByRole('row', { name: /^Fixed/ })
    await row.waitFor()
    const slider = page.getByRole('slider', { name: 'Fixed period' })
    /** The answer to a slide is on its way for a moment; the former figures stay until then. */
    const visitsAt = async (
      period: string,
      isRight: (visits: number) => boolean,
    ): Promise<void> => {
      await page.getByRole('status').filter({ hasText: period }).waitFor()
      const shown = async (): Promise<number> =>
        Number(await row.getByRole('cell').nth(6).innerText())
      for (let tries = 0; tries < 100 && !isRight(await shown()); tries++)
        await page.waitForTimeout(50)
      assert.ok(isRight(await shown()), `${period}: ${await shown()} visits`)
    }
    await visitsAt('1 day', (visits) => visits >= 56 && visits <= 58)
    await slider.focus()
    for (let i = 0; i < 6; i++) await page.keyboard.press('ArrowRight')
    await visitsAt('15 day', (visits) => visits === 3)
    await page.getByLabel('Watch', { exact: true }).selectOption('Newspaper')
    await page.getByRole('heading', { name: 'Newspaper' }).waitFor()
    assert.ok(page.url().endsWith('/watches/2/compare'))
  })

  test('the growth of the archive has its figures, its graph and its collections', async () => {
    await tabs.open(page, '/growth')
    assert.match(await page.locator('dl.figures').first().innerText(), /Growth per day\s+[\d.]+ kB/)
    assert.equal(await page.getByRole('img').count(), 1)
    assert.equal(await page.getByRole('row', { name: /Museum/ }).count(), 1)
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on the figures of watches in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, PATHS)
    })
  }

  test('no screen of figures scrolls sideways at 360 pixels, in any language', () =>
    tabs.assertFitsTelephone(page, PATHS))

  test('Spanish and Portuguese readers get their own words, and nothing complains', async () => {
    for (const [locale, title] of [
      ['es', 'Grupos de vigilancias'],
      ['pt', 'Grupos de vigilâncias'],
    ] as const) {
      const other = await tabs.visit('/watch-groups', { locale })
      await other.getByRole('heading', { name: title }).waitFor()
    }
    assert.deepEqual(tabs.complaints, [])
  })
})
