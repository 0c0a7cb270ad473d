// Goal: every list filters, sorts, exports and acts on many rows at once, keeps that in the address, and stays
// quick with 100,000 rows; the palette, the time zone, paper and a broken screen behave. Method: a real
// station and Debian's Chromium; lists too long to make are answered in the browser's place.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, before, describe, test } from 'node:test'
import type { Page, Route } from 'playwright-core'
import { busyMsPerFrame, MANY, manyKeys } from './long-list.ts'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

/** Without a graphics card and on a slow core, with two dialogs to open in every row. */
const FRAME_MAX_MS = 40

describe('lists and the frame of the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page

  before(async () => {
    tabs = await startTabs('--no-agent')
    for (const [host, reason] of [
      ['*.one.example', 'spam'],
      ['*.two.example', 'the owner asked'],
      ['*.ten.example', '=HYPERLINK("x")'],
    ]) {
      await askStation(tabs.station, '/abuse/hosts', { hosts: [host], action: 'deny', reason })
    }
    page = await tabs.visit('/abuse', { withKey: true })
  })
  after(() => tabs?.end())

  const hosts = () => page.getByRole('table', { name: 'Hosts denied by name' })
  const names = () => hosts().locator('tbody code').allTextContents()
  /** The station sorts: the heading says so before the rows have come. */
  const namesBecome = async (expected: string[]): Promise<void> => {
    for (const [i, name] of expected.entries()) {
      await hosts().locator('tbody tr').nth(i).locator('code').getByText(name).waitFor()
    }
    assert.deepEqual(await names(), expected)
  }

  test('a list is narrowed down and sorted, the address says so, and going back undoes it', async () => {
    await page
      .getByRole('search', { name: 'Hosts denied by name' })
      .getByRole('searchbox')
      .fill('owner asked')
    await hosts().getByText('*.one.example').waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['*.two.example'])
    assert.match(page.url(), /[?&]hosts\.q=owner\+asked/)
    await page.getByRole('button', { name: 'Clear filters' }).click()
    const heading = hosts().getByRole('columnheader', { name: 'Host' })
    await heading.getByRole('button').press('Enter')
    await hosts().locator('th[aria-sort="ascending"]').waitFor()
    await heading.getByRole('button').press('Enter')
    await hosts().locator('th[aria-sort="descending"]').waitFor()
    await namesBecome(['*.two.example', '*.ten.example', '*.one.example'])
    await page.goBack()
    await hosts().locator('th[aria-sort="ascending"]').waitFor()
    await namesBecome(['*.one.example', '*.ten.example', '*.two.example'])
    const other = await tabs.visit('/abuse?hosts.q=nothing+like+this', { withKey: true })
    await other.getByText('No match.').waitFor()
    await other.getByRole('button', { name: 'Clear filters' }).first().click()
    await other.getByText('*.ten.example').first().waitFor()
    await other.close()
  })

  test('columns are chosen, and the address keeps them', async () => {
    const tools = page.getByRole('search', { name: 'Hosts denied by name' })
    await tools.getByRole('button', { name: 'Columns' }).click()
    await page.getByRole('dialog').getByLabel('Who').click()
    await page.keyboard.press('Escape')
    await hosts().getByRole('columnheader', { name: 'Who' }).waitFor({ state: 'detached' })
    assert.match(page.url(), /hosts\.cols=host/)
  })

  test('what is filtered is exported, and no stranger’s text is a formula', async () => {
    const tools = page.getByRole('search', { name: 'Hosts denied by name' })
    const exported = async (kind: RegExp): Promise<string> => {
      await tools.getByRole('button', { name: 'Export' }).click()
      const coming = page.waitForEvent('download')
      await page.getByRole('dialog').getByRole('button', { name: kind }).click()
      return readFile(await (await coming).path(), 'utf8')
    }
    const csv = await exported(/CSV/)
    assert.match(csv, /^host,effect,reason,madeBy,since\r\n/)
    assert.match(csv, /"'=HYPERLINK\(""x""\)"/)
    const lines = (await exported(/JSON Lines/)).trimEnd().split('\n')
    assert.equal(lines.length, 3)
    assert.equal((JSON.parse(lines[1]!) as { reason: string }).reason, '=HYPERLINK("x")')
  })

  test('an act on all chosen rows asks first, and says what was done', async () => {
    await hosts().getByRole('checkbox', { name: 'Choose row 1' }).click()
    await hosts().getByRole('checkbox', { name: 'Choose row 2' }).click()
    const bar = page.getByRole('region', { name: 'Chosen rows' })
    await bar.getByText('2 chosen').waitFor()
    await bar.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await bar.getByText('2 done').waitFor()
    await hosts().getByText('*.one.example').waitFor({ state: 'detached' })
    assert.deepEqual(await names(), ['*.two.example'])
  })

  test('a long action can be watched and stopped: failures are reported with their code, the rest stays unchanged', async () => {
    const many = Array.from({ length: 12 }, (_, i) => `many${i + 10}.example`)
    const denial = { hosts: many, action: 'deny', reason: 'by the dozen' }
    await askStation(tabs.station, '/abuse/hosts', denial)
    let asked = 0
    const held = Promise.withResolvers<void>()
    await page.route('**/api/abuse/hosts/forget', async (route) => {
      asked++
      const error = { code: 'MINGA_BAD_HOST', message: 'This one stays.' }
      if (asked === 1) return route.fulfill({ status: 400, json: { error } })
      if (asked === 3) await held.promise
      return route.continue()
    })
    await tabs.walk(page, '/abuse?hosts.q=dozen')
    await hosts().getByText('many10.example').waitFor()
    await hosts().getByRole('checkbox', { name: 'Choose all rows shown' }).click()
    const bar = page.getByRole('region', { name: 'Chosen rows' })
    await bar.getByText('12 chosen').waitFor()
    await bar.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await bar.getByText('3 of 12…').waitFor()
    await bar.getByRole('progressbar').waitFor()
    await bar.getByRole('button', { name: 'Stop' }).click()
    await bar.getByText('Stopping…').waitFor()
    held.resolve()
    await bar.getByText('2 done').waitFor()
    await bar.getByText('Stopped: 9 were not changed.').waitFor()
    await bar.getByText('1 failed and stays chosen:').waitFor()
    await bar.getByText('MINGA_BAD_HOST').waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.unroute('**/api/abuse/hosts/forget')
    await bar.getByText('10 chosen').waitFor()
    await bar.getByRole('button', { name: 'Withdraw' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Withdraw' }).click()
    await bar.getByText('10 done').waitFor()
    await bar.getByRole('button', { name: 'Close' }).click()
    await page.getByText('No match.').waitFor()
  })

  test('all that match are chosen over every page, also those that were not read', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => `page${i + 100}.example`)
    const denial = { hosts: rows, action: 'deny', reason: 'by the page' }
    await askStation(tabs.station, '/abuse/hosts', denial)
    await tabs.walk(page, '/abuse?hosts.q=by+the+page')
    await page.getByText('100 of 250 rows').waitFor()
    await hosts().getByRole('checkbox', { name: 'Choose row 1', exact: true }).click()
    const bar = page.getByRole('region', { name: 'Chosen rows' })
    await bar.getByRole('button', { name: 'Choose all 250 that match' }).click()
    await bar.getByText('250 chosen').waitFor()
    await bar.getByRole('button', { name: 'Clear selection' }).click()
    await bar.waitFor({ state: 'detached' })
    await askStation(tabs.station, '/abuse/hosts/forget', { hosts: rows })
  })

  test('a list that is not read to its end says so', async () => {
    await page.route('**/api/load-tests?*', endlessTests)
    await tabs.walk(page, '/load-tests')
    await page.getByText('Only the first 10,000 were read; there are more.').waitFor()
    await page.unroute('**/api/load-tests?*')
  })

  test('the palette finds screens by a few letters, and its actions change the page', async () => {
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Go to a screen or do something' })
    await box.fill('lead')
    await page.getByRole('option', { name: /Leaderboard/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/leaderboard/)
    await page.getByRole('button', { name: /Search or jump/ }).click()
    await box.fill('utc')
    await page.keyboard.press('Enter')
    await page.locator('.palette').waitFor({ state: 'detached' })
    assert.equal(await page.getByLabel('Time zone').inputValue(), 'utc')
    await page.keyboard.press('Control+k')
    await box.fill('7')
    await page.getByRole('option', { name: 'Go to collection 7' }).waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.keyboard.press('Escape')
  })

  test('letters jump, and the question mark shows which', async () => {
    await page.locator('main').focus()
    await page.keyboard.press('?')
    await page.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('s')
    await page.waitForURL(/\/config/)
  })

  test('the time zone holds for every time, and after a reload', async () => {
    await tabs.open(page, '/abuse')
    await hosts()
      .getByText(/\d\d:\d\d UTC/)
      .first()
      .waitFor()
    await page.getByLabel('Time zone').selectOption('local')
    await hosts().getByText(/UTC/).first().waitFor({ state: 'detached' })
  })

  test('settings say where they come from, are found by text, and mistakes are reported at once', async () => {
    await tabs.walk(page, '/config?q=cacheMs')
    const setting = page.getByRole('article', { name: 'cacheMs' })
    await setting.getByText('Default').waitFor()
    assert.equal(await page.getByRole('article').count(), 1)
    await setting.getByLabel(/cacheMs/).fill('-5')
    await setting.getByText('This is out of range.').waitFor()
    await setting.getByLabel(/cacheMs/).fill('60000')
    await setting.getByRole('button', { name: 'Change' }).click()
    await setting.locator('.mark', { hasText: 'Changed' }).waitFor()
    await page.getByLabel('Search the settings').fill('')
    await page.getByText('Only what differs from the default').click()
    await page.getByText(/^\d of \d+ settings$/).waitFor()
    assert.match(page.url(), /differs=yes/)
  })

  test('100,000 rows scroll without jank, with few of them in the page', async () => {
    tabs.madeUp.add('/api/keys')
    await page.route('**/api/keys', (route) => route.fulfill({ json: manyKeys() }))
    await tabs.walk(page, '/keys')
    const table = page.getByRole('table', { name: 'Your keys' })
    await table.waitFor()
    assert.equal(await table.getAttribute('aria-rowcount'), String(MANY + 1))
    const perFrameMs = await busyMsPerFrame(page, FRAME_MAX_MS)
    const rows = await table.locator('tbody tr:not(.gap)').count()
    console.log(
      `# a frame of scrolling costs ${perFrameMs.toFixed(1)} ms of a core; ${rows} rows in the page`,
    )
    assert.ok(rows < 100, `${rows} rows are in the page`)
    assert.ok(perFrameMs < FRAME_MAX_MS, `a frame costs ${perFrameMs} ms`)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await table.locator(`tr[aria-rowindex="${MANY + 1}"]`).waitFor()
    await page.getByRole('searchbox').fill('key 99999')
    // It is among the last, which are shown already: the search is done when nothing is next to it.
    await table.locator('tbody tr').nth(1).waitFor({ state: 'detached' })
    assert.equal(await table.getByText('key 99999').count(), 1)
  })

  test('on paper there is no navigation, and the whole table', async () => {
    await page.unroute('**/api/keys')
    await page.route('**/api/keys', (route) => route.fulfill({ json: manyKeys().slice(0, 300) }))
    await tabs.open(page, '/keys')
    await page.emulateMedia({ media: 'print' })
    const rows = page.locator('tbody tr:not(.gap)')
    await rows.nth(299).waitFor({ state: 'attached' })
    assert.equal(await rows.count(), 300)
    assert.equal(await page.locator('#areas').isVisible(), false)
    assert.equal(await page.locator('.list-tools').isVisible(), false)
    await page.emulateMedia({ media: 'screen' })
  })

  test('a list of the station is read as it is scrolled, and exported as a whole', async () => {
    await page.route('**/api/batches/page?*', manyBatches)
    await tabs.walk(page, '/requests')
    await page.getByText('100 of 950 rows').waitFor()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await page.getByText('200 of 950 rows').waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const coming = page.waitForEvent('download')
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /JSON Lines/ })
      .click()
    const text = await readFile(await (await coming).path(), 'utf8')
    assert.equal(text.trimEnd().split('\n').length, 950)
    await page.getByLabel('State', { exact: true }).selectOption('ended')
    await page.getByText('No match.').waitFor()
    await page.unroute('**/api/batches/page?*')
  })

  test('a screen that breaks leaves the rest of the page, and can be tried again', async () => {
    await page.unroute('**/api/keys')
    await page.route('**/api/keys', (route) =>
      route.fulfill({ json: [{ id: 'key_1', scopes: 5 }] }),
    )
    await tabs.walk(page, '/keys')
    await page.getByRole('heading', { name: 'This screen crashed' }).waitFor()
    await page.unroute('**/api/keys')
    tabs.madeUp.delete('/api/keys')
    await page.getByRole('link', { name: 'Overview' }).click()
    await page.getByRole('heading', { name: 'This screen crashed' }).waitFor({ state: 'detached' })
  })

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on lists and settings in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, [
        '/abuse',
        '/config',
        '/keys',
        '/requests',
        '/accounts',
        '/money',
      ])
    })
  }

  test('nothing scrolls sideways on a telephone, and the menu shows the areas there', async () => {
    await tabs.assertFitsTelephone(page, [
      '/abuse',
      '/config',
      '/keys',
      '/requests',
      '/accounts',
      '/money',
    ])
    await page.setViewportSize({ width: 360, height: 740 })
    assert.equal(await page.locator('#areas').isVisible(), false)
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.locator('#areas').getByRole('link', { name: 'Archive' }).click()
    await page.waitForURL(/\/archive/)
    assert.equal(await page.locator('#areas').isVisible(), false)
    // Made-up refusals, and the screen that made-up keys break, are this file's own.
    const others = tabs.complaints.filter((one) => !/hosts\/forget|join is not/.test(one))
    assert.deepEqual(others, [])
    const elsewhere = tabs.requested.filter(
      (url) => !url.startsWith(tabs.station.url) && !/^(data|blob):/.test(url),
    )
    assert.deepEqual(elsewhere, [])
  })
})

/** 950 batches, newest first; none has ended. */
async function manyBatches(route: Route): Promise<void> {
  const asked = new URL(route.request().url()).searchParams
  const newest = Number(asked.get('cursor') ?? 950)
  const count = asked.get('state') === 'ended' ? 0 : Math.min(Number(asked.get('limit')), newest)
  const counts = { total: 2, open: 2, captured: 0, failed: 0, denied: 0, cancelled: 0 }
  const rows = Array.from({ length: count }, (_, i) => ({
    id: `bat_${newest - 1 - i}`,
    state: 'running',
    priority: 'normal',
    ...counts,
    fromCache: 0,
    bytes: 0,
    createdAt: newest - 1 - i,
    endedAt: null,
  }))
  const isLast = count === 0 || newest === count
  const next = isLast ? null : String(newest - count)
  await route.fulfill({ json: { rows, next, total: asked.has('cursor') ? null : count && 950 } })
}

/** As many load tests as are asked for, and always more behind them. */
async function endlessTests(route: Route): Promise<void> {
  const asked = new URL(route.request().url()).searchParams
  const newest = Number(asked.get('before') ?? 10_000_000)
  const bears = { p95Ms: 1_000, errorRate: 0.01 }
  const rows = Array.from({ length: Number(asked.get('limit')) }, (_, i) => ({
    id: `load_${newest - 1 - i}`,
    host: `site${newest - 1 - i}.test`,
    state: 'finished',
    reason: null,
    plan: {
      urls: ['http://site.test/'],
      visitorsMax: 8,
      stepMs: 1_000,
      thinkMs: 0,
      answerMsMax: 1_000,
      bears,
      ceilings: { ...bears, requestsPerSecond: 1, bytes: 1, durationMs: 1 },
    },
    proof: null,
    createdAt: newest - 1 - i,
    startedAt: null,
    endedAt: null,
    live: null,
    steps: [],
  }))
  await route.fulfill({ json: rows })
}
