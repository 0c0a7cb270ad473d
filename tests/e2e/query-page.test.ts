// Goal: users can import a file, run a query and watch it, ask SQL, and find what failed, all on the page, in three
// languages and both colours. Method: a real station with two workers, generated books, and Debian's Chromium.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { writeBooks, type BooksFacts } from '@minga/lake'
import type { QueryView } from '@minga/protocol'
import type { Download, Page } from 'playwright-core'
import { askStation, axeFindings, skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const HOSTILE = '<img src=x onerror=document.title=1>'
const CITIES = `name,people\nLima,10000000\nQuito,2000000\n"${HOSTILE}",7\nnobody,none\n`
/** In place of the 500 of the public set, so that some books have enough reviews. */
const POPULAR = '40'

describe('queries on the page', { skip: skipWithoutChromium }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'minga-query-page-'))
  let tabs: Tabs
  let page: Page
  let books: BooksFacts
  let asked = ''

  before(async () => {
    books = await writeBooks({ folder, seed: 81, reviews: 2_000, popular: Number(POPULAR) })
    tabs = await startTabs('--no-agent', '--workers', '2')
    page = await tabs.visit('/queries', { withKey: true })
  })
  after(async () => {
    await tabs?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test('before anything was asked the page says how to begin, and what is not there has a code', async () => {
    await page.getByText('No queries yet').waitFor()
    await page.getByRole('link', { name: 'books-1' }).waitFor()
    await tabs.walk(page, '/tasks')
    await page.getByText('minga up --workers 2').waitFor()
    await tabs.walk(page, `/queries/${randomUUID()}`)
    await page.getByText('MINGA_NO_SUCH_QUERY').waitFor()
    await tabs.walk(page, '/tables/nowhere')
    await page.getByText('MINGA_UNKNOWN_TABLE').waitFor()
  })

  test('a file is sent up, looked at and imported; what it holds is shown as text', async () => {
    await tabs.walk(page, '/tables')
    const buffer = Buffer.from(CITIES)
    const file = { name: 'Cities 2026.csv', mimeType: 'text/csv', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('Cities 2026.csv has arrived.').waitFor()
    await page.getByLabel('Type: people').selectOption('integer')
    const preview = page.locator('.import-preview')
    await preview.getByText('value left empty').waitFor()
    await page.getByLabel('What cannot be read: people').selectOption('drop')
    await preview.getByText('row rejected').waitFor()
    await preview.getByText('The file has 4 rows; 3 would be imported.').waitFor()
    const rejected = preview.getByRole('row', { name: /people:not-a-number/ })
    await rejected.getByText('line 5').waitFor()
    await rejected.getByText('none', { exact: true }).waitFor()
    await preview.locator('summary').first().click()
    await preview.getByText(HOSTILE).first().waitFor()
    assert.deepEqual(await axeFindings(page), [])
    await page.setViewportSize({ width: 360, height: 740 })
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 360)
    await page.setViewportSize({ width: 1_280, height: 800 })
    assert.equal(await page.getByLabel('Name of the table').inputValue(), 'cities_2026')
    await page.getByLabel('Name of the table').fill('cities')
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('heading', { name: 'Import into cities', level: 1 }).waitFor()
    await page.locator('.summary .mark', { hasText: 'Done' }).waitFor()
    await page.getByText('people:not-a-number').waitFor()
    await tabs.walk(page, '/tables/cities')
    await page.getByText(HOSTILE).first().waitFor()
    assert.equal(await page.locator('main img').count(), 0)
    assert.notEqual(await page.title(), '1')
  })

  test('shipped queries are explained, asked and watched until all is done, and equal the answer of the API', async () => {
    await tabs.walk(page, '/queries/new?of=books-1,books-4')
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByText('Choose this input.').first().waitFor()
    for (const [name, path] of [
      ['books', books.booksPath],
      ['reviews', books.reviewsPath],
    ] as const) {
      const input = page.getByRole('group', { name: `Input ${name}` })
      await input.getByLabel('a file of yours').check()
      await input.locator('input[type=file]').setInputFiles(path)
      await input.getByText('has arrived').waitFor()
    }
    await page.getByLabel('least').fill(POPULAR)
    await page.getByRole('button', { name: 'Show the plan' }).click()
    const stages = page.locator('.plan-node.stage')
    await stages.first().waitFor()
    const count = await stages.count()
    await page.getByRole('button', { name: 'Ask', exact: true }).click()
    await page.getByRole('heading', { name: 'books-1, books-4', level: 1 }).waitFor()
    await page.locator('.summary .mark', { hasText: 'Done' }).waitFor()
    await page.locator(`.plan-node.stage.done >> nth=${count - 1}`).waitFor()
    await stages.first().focus()
    await page.keyboard.press('Enter')
    await page.getByText('What a task does (SQL)').waitFor()
    asked = new URL(page.url()).pathname.split('/').at(-1)!
    await page.getByRole('button', { name: 'books-4', exact: true }).click()
    const cells = page.locator('.answer-table tbody tr')
    await cells.first().waitFor()
    const shown = await cells.evaluateAll((rows) =>
      (rows as unknown as { children: { textContent: string }[] }[]).map((row) =>
        [...row.children].map(({ textContent }) => textContent),
      ),
    )
    assert.deepEqual(shown, await resultOf('books-4'))
    await page.getByRole('button', { name: 'Plot' }).click()
    assert.equal(await page.locator('.quick-plot rect').count(), shown.length)
  })

  /** Of a file without quotes: titles of well-reviewed books have none in this seed. */
  async function resultOf(name: string): Promise<string[][]> {
    const lines = (await fileOf(name)).trimEnd().split('\n').slice(1)
    return lines.map((line) => {
      const comma = line.lastIndexOf(',')
      return [
        line.slice(0, comma).replaceAll(/^"|"$/g, '').replaceAll('""', '"'),
        line.slice(comma + 1),
      ]
    })
  }

  async function fileOf(name: string): Promise<string> {
    const { url, key } = tabs.station
    const response = await fetch(`${url}/api/queries/${asked}/results/${name}`, {
      headers: { authorization: `Bearer ${key}` },
    })
    return response.text()
  }

  async function textOf(download: Download): Promise<string> {
    return readFileSync(await download.path(), 'utf8')
  }

  test('a result is taken along as the file that the API gives', async () => {
    await tabs.walk(page, `/queries/${asked}`)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: /^Download CSV/ }).click(),
    ])
    assert.equal(await textOf(download), await fileOf('books-1'))
    // Followed once more, by another client that saw it.
    const again = await fetch(download.url())
    assert.equal(again.status, 403)
    assert.match(await again.text(), /MINGA_STALE_TICKET/)
  })

  test('a file that is not what it says is refused before anything is imported', async () => {
    await tabs.walk(page, '/tables')
    const buffer = Buffer.from('PAR1 and nothing else')
    const file = { name: 'torn.parquet', mimeType: 'application/octet-stream', buffer }
    await page.locator('input[type=file]').setInputFiles(file)
    await page.getByText('MINGA_BAD_INPUT').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Import', exact: true }).count(), 0)
  })

  test('SQL is completed, asked by the keyboard, exported and shared; what is wrong is said with its code', async () => {
    await tabs.walk(page, '/sql')
    const text = page.getByRole('textbox', { name: 'Question' })
    await text.fill('SELECT name, people FROM cit')
    await page.getByRole('button', { name: 'cities Table' }).waitFor()
    await text.press('Control+Space')
    assert.equal(await text.inputValue(), 'SELECT name, people FROM cities')
    await text.press('Control+Enter')
    await page.getByText('3 rows in').waitFor()
    assert.equal(await page.getByText(HOSTILE).count(), 1)
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download CSV' }).click(),
    ])
    assert.match(await textOf(download), /^name,people\nLima,10000000\n/)
    await text.fill('SELECT nothing FROM cities')
    await text.press('Control+Enter')
    await page.getByText('MINGA_BAD_SQL').waitFor()
    await page.getByText(/Binder Error.*nothing/).waitFor()
    assert.match(page.url(), /#sql=SELECT/)
    await page.getByText('Save or share').click()
    await page.getByLabel('Name', { exact: true }).fill('Broken <b>one</b>')
    await page.getByRole('button', { name: 'Save as new' }).click()
    await page.getByText('Saved.').waitFor()
    await tabs.walk(page, '/queries')
    await page.getByRole('button', { name: 'Remove Broken <b>one</b>' }).click()
    await page.getByText('Nothing is saved yet').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('link', { name: 'Broken <b>one</b>' }).click()
    assert.equal(await text.inputValue(), 'SELECT nothing FROM cities')
  })

  test('a task that cannot be done is found with its SQL and asked again; workers are drained and resumed', async () => {
    const failing = {
      name: 'failing',
      about: 'Names as numbers',
      inputs: { cities: { table: 'cities' } },
      from: {
        step: 'project',
        from: { step: 'scan', input: 'cities' },
        columns: { n: 'CAST(name AS INTEGER)' },
      },
      output: { columns: ['n'], order: [{ column: 'n' }] },
    }
    const { url, key } = tabs.station
    const response = await fetch(`${url}/api/queries`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: randomUUID(), queries: [failing] }),
    })
    const { id } = (await response.json()) as QueryView
    await tabs.walk(page, `/queries/${id}`)
    await page.getByRole('heading', { name: 'Why it failed' }).waitFor()
    await page.locator('.sql-text', { hasText: 'CAST(name AS INTEGER)' }).first().waitFor()
    await page.getByRole('link', { name: 'See the task' }).click()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    await page.locator('.task-error summary').click()
    await page.locator('.task-error pre', { hasText: 'COPY' }).waitFor()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.getByRole('heading', { name: 'failing', level: 1 }).waitFor()
    assert.notEqual(new URL(page.url()).pathname, `/queries/${id}`)

    await tabs.walk(page, '/workers')
    await page
      .getByRole('button', { name: /^Drain / })
      .first()
      .click()
    await page.getByText('Drained: gets no more tasks').waitFor()
    const workers = await askStation<{ isDrained: boolean }[]>(tabs.station, '/workers')
    assert.equal(workers.filter(({ isDrained }) => isDrained).length, 1)
    await page.getByRole('button', { name: /^Resume / }).click()
    await page.getByText('Drained: gets no more tasks').waitFor({ state: 'detached' })
  })

  const paths = (): string[] => [
    '/queries',
    '/queries/new?of=books-1',
    '/queries/new?saved=new',
    `/queries/${asked}`,
    '/sql',
    '/tables',
    '/tables/cities',
    '/tasks',
    '/workers',
  ]

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on queries in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      await tabs.assertAccessible(page, paths())
    })
  }

  test('queries fit a telephone in three languages, nothing is asked elsewhere and nothing complains', async () => {
    await tabs.assertFitsTelephone(page, paths())
    for (const url of tabs.requested) {
      assert.ok(url.startsWith(tabs.station.url) || url.startsWith('blob:'), url)
    }
    assert.deepEqual(tabs.complaints, [])
  })
})
