// Goal: users can extract and import them on the page, slide through the history of a page, see what
// changed and who wrote it, compare pages and editors; whatever names and texts strangers chose stays text. Method: a
// real station with an agent, a fake wiki in a process of its own, a dump with hostile names, and Debian's Chromium.
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import {
  corpusSite,
  historyCorpus,
  startFakeWikiProcess,
  type FakeWikiProcess,
  type WikiOperation,
} from '@minga/testkit'
import { writeDump, type Revision } from '@minga/wiki'
import type { Page } from 'playwright-core'
import { skipWithoutChromium } from './page-station.ts'
import { startTabs, SWEPT_COLOURS, type Tabs } from './page-tabs.ts'

const REVISIONS = 12
const DAY_MS = 86_400_000
const EDITORS = ['Ada', 'Bo', 'Chen']

/** Each revision adds a line of its own; the third one is by Chen. */
const LLAMA: WikiOperation[] = Array.from({ length: REVISIONS }, (_, i) => ({
  do: 'edit',
  title: 'Llama',
  user: EDITORS[i % 3]!,
  comment: `line ${i}`,
  at: new Date(Date.UTC(2020, 0, 1) + i * DAY_MS).toISOString().replace('.000', ''),
  text: Array.from({ length: i + 1 }, (__, n) => `The llama number ${n} grazes.`).join('\n'),
}))
const ALPACA: WikiOperation[] = [
  { do: 'edit', title: 'Alpaca', user: 'Ada', text: 'An alpaca.', at: '2020-02-01T00:00:00Z' },
]

const HOSTILE = {
  title: 'Evil <img src=x onerror="window.hit=1">',
  user: '<script>window.hit=1</script>',
  comment: '"><svg onload="window.hit=1">',
  text: '<img src=x onerror="window.hit=1"><script>window.hit=1</script>\n== {{constructor}} ==',
}

/** A page of the corpus under a name, by an editor and with texts that want to be more than text. */
async function writeHostileDump(file: string): Promise<void> {
  const corpus = [...historyCorpus({ seed: 4, pages: 6, revisions: 60, rawBytes: 60_000 })]
  const hostile = corpus.pop()!
  const encoded = new TextEncoder().encode(HOSTILE.text)
  const revisions = [...hostile.revisions()].map((revision, i): Revision => {
    const slots = revision.slots.map((slot) => ({
      ...slot,
      text: i === 0 ? encoded : slot.text,
      ...(i === 0 ? { sha1: null, size: encoded.length } : {}),
    }))
    const { user, comment } = HOSTILE
    return { ...revision, user, comment, slots, ...(i === 0 ? { sha1: null } : {}) }
  })
  const pages = [
    ...corpus.map(({ page, revisions: all }) => ({ page, revisions: all() })),
    { page: { ...hostile.page, title: HOSTILE.title }, revisions },
  ]
  const attribution = { source: 'https://corpus.example/', at: 0, licence: 'CC BY-SA 4.0' }
  const pieces: Uint8Array[] = []
  for await (const piece of writeDump({ site: corpusSite(), pages, attribution })) {
    pieces.push(piece)
  }
  await writeFile(file, Buffer.concat(pieces))
}

describe('wikis on the page', { skip: skipWithoutChromium }, () => {
  let tabs: Tabs
  let page: Page
  let wiki: FakeWikiProcess
  let folder: string
  let dump: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'minga-wiki-page-'))
    dump = join(folder, 'corpus.xml')
    await writeHostileDump(dump)
    wiki = await startFakeWikiProcess({ history: [...LLAMA, ...ALPACA] })
    tabs = await startTabs('--allow-private-addresses')
    page = await tabs.visit('/wikis', { withKey: true })
  })
  after(async () => {
    await tabs?.end()
    await wiki?.close()
    await rm(folder, { recursive: true, force: true })
  })

  const key = (): string => new URL(wiki.url).host
  const at = (path: string): string => `/wikis/${encodeURIComponent(key())}${path}`
  const llama = (query = ''): string => at(`/page?title=Llama${query}`)
  const evil = (query = ''): string =>
    `/wikis/corpus.example/page?title=${encodeURIComponent(HOSTILE.title)}${query}`

  test('without a wiki the page says how to add one, and what is missing in the form', async () => {
    await page.getByText('No wiki yet').waitFor()
    await page.getByText('minga wiki add').waitFor()
    await page.getByRole('button', { name: 'Extract it' }).click()
    await page.getByText('Enter the address or the title of a page.').waitFor()
  })

  test('pages are extracted by the form, and the task tells what the wiki does not have', async () => {
    await page.getByLabel('Address or title').fill(wiki.apiUrl)
    await page.getByText('pages by title').click()
    await page.getByLabel('Titles').fill('Llama\nAlpaca\nNobody')
    await page.getByText('Limits and etiquette').click()
    await page.getByLabel('Pause between requests').fill('0')
    await page.getByRole('button', { name: 'Extract it' }).click()
    const card = page.getByRole('region', { name: 'Task 1' })
    await card.locator('.mark.info', { hasText: 'done' }).waitFor()
    await card.getByText('Nobody').waitFor()
    await card.getByText('2 of 2 pages').waitFor()
    await card.getByRole('button', { name: 'Try again' }).waitFor()
    await card.getByRole('link', { name: 'Close' }).click()
    await page.getByRole('link', { name: 'Test Wiki' }).waitFor()
  })

  test('a dump on the machine of the station is imported, and one that is not there is said', async () => {
    const file = page.getByLabel('File on the machine of the station')
    await file.fill(join(folder, 'nowhere.xml'))
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('MINGA_NO_SUCH_DUMP').waitFor()
    await file.fill(dump)
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByRole('link', { name: 'corpus.example', exact: true }).first().waitFor()
  })

  test('pages of a wiki are searched, and a span of time narrows its editors', async () => {
    await tabs.walk(page, at(''))
    await page.getByRole('heading', { name: 'Test Wiki', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Alpaca', exact: true }).waitFor()
    await page.getByPlaceholder('Title').fill('lla')
    await page.getByRole('link', { name: 'Alpaca', exact: true }).waitFor({ state: 'detached' })
    await page.getByLabel('From', { exact: true }).fill('2020-01-03')
    await page.getByLabel('Until', { exact: true }).fill('2020-01-03')
    await page.waitForURL(/from=2020-01-03&until=2020-01-03/)
    await page.getByRole('link', { name: 'Ada' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Chen' }).waitFor()
    await page.getByRole('button', { name: 'All time' }).click()
    await page.getByRole('button', { name: 'Verify every file' }).click()
    await page.getByText('nothing is damaged').waitFor()
    await page.getByRole('link', { name: 'Llama', exact: true }).click()
    await page.getByRole('heading', { name: 'Llama', level: 1 }).waitFor()
  })

  test('the slider goes through all revisions by keyboard, and an address keeps the one it shows', async () => {
    await tabs.walk(page, llama())
    await page.getByText(`Revision ${REVISIONS} of ${REVISIONS}`).first().waitFor()
    const slider = page.getByRole('slider', { name: 'Revision' })
    await slider.press('Home')
    await page.getByText(`Revision 1 of ${REVISIONS}`).first().waitFor()
    const text = page.locator('.wikitext')
    await text.filter({ hasText: /^The llama number 0 grazes\.$/ }).waitFor()
    await slider.press('ArrowRight')
    await slider.press('ArrowRight')
    await text.filter({ hasText: /number 2 grazes\.$/ }).waitFor()
    const link = page.getByRole('link', { name: /^Link to revision/ })
    const rev = new URL((await link.getAttribute('href'))!, tabs.station.url).searchParams.get(
      'rev',
    )
    await page.waitForURL((url) => url.searchParams.get('rev') === rev)
    await tabs.open(page, llama(`&rev=${rev}`))
    await page.getByText(`Revision 3 of ${REVISIONS}`).first().waitFor()
    await page.getByText('line 2', { exact: true }).first().waitFor()
    await page.getByRole('button', { name: /Play/ }).click()
    await page.getByText(`Revision 5 of ${REVISIONS}`).first().waitFor()
    await page.getByRole('button', { name: /Pause/ }).click()
  })

  test('changes are shown by word and by line, under each other and side by side, to any other revision', async () => {
    await tabs.walk(page, llama('&view=diff'))
    const diff = page.getByRole('table', { name: 'Changes' })
    await diff.locator('ins').filter({ hasText: 'number 11' }).waitFor()
    assert.equal(await diff.locator('del').count(), 0)
    await page.getByLabel('Layout').selectOption('by-side')
    await page.locator('.wiki-diff.beside ins').first().waitFor()
    await page.getByLabel(/^By/).selectOption('line')
    await page.getByLabel('Compared with').selectOption('other')
    await page.getByRole('slider', { name: 'another revision' }).press('Home')
    await page.getByText(/^Words: 66 added, 0 removed, 0 moved\.$/).waitFor()
    assert.equal(await diff.locator('td.added').count(), REVISIONS - 1)
  })

  test('each word has its author, and an editor is shown with what is left of their work', async () => {
    await tabs.walk(page, llama('&view=authors'))
    const shares = page.getByRole('table', { name: 'Share of each author' })
    await shares.getByRole('button', { name: 'Ada' }).click()
    const panel = page.getByRole('complementary', { name: 'About Ada' })
    await panel.getByText('24 of 24').waitFor()
    const authored = page.getByLabel('Text with its authors')
    await authored.press('ArrowRight')
    await page.getByText(/^(Ada|Bo|Chen), .*\(revision \d+\)$/).waitFor()
    await panel.getByRole('link', { name: 'All edits of this editor' }).click()
    await page.getByRole('heading', { name: 'Ada', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Alpaca', exact: true }).waitFor()
  })

  test('pages stand side by side, with the editors that they share', async () => {
    await tabs.walk(page, at('/compare'))
    await page.getByText('No page is chosen').waitFor()
    await page.getByRole('button', { name: 'Add Llama' }).click()
    await page.getByRole('button', { name: 'Add Alpaca' }).click()
    await page.getByText(/1 editors in common/).waitFor()
    const figures = page.getByRole('table', { name: 'Figures' })
    await figures.getByRole('row', { name: /^Reverts 0 0$/ }).waitFor()
    await page.getByRole('button', { name: 'Remove Alpaca' }).click()
    await page.getByText(/editors in common/).waitFor({ state: 'detached' })
  })

  test('XSS: a hostile title, user name, comment and text stay text on every screen of wikis', async () => {
    const editor = `/wikis/corpus.example/editor?name=${encodeURIComponent(HOSTILE.user)}`
    await tabs.walk(page, '/wikis/corpus.example?q=evil')
    await page.getByRole('link', { name: HOSTILE.title, exact: true }).waitFor()
    await tabs.walk(page, evil())
    await page.getByRole('heading', { name: HOSTILE.title, level: 1 }).waitFor()
    await page.getByText(HOSTILE.comment).first().waitFor()
    await page.getByRole('slider', { name: 'Revision' }).press('Home')
    await page
      .locator('.wikitext')
      .filter({ hasText: HOSTILE.text.split('\n')[0]! })
      .waitFor()
    await page.getByRole('button', { name: 'Authors' }).click()
    await page.locator('.authored').filter({ hasText: '<script>window.hit=1</script>' }).waitFor()
    await page.getByRole('slider', { name: 'Revision' }).press('ArrowRight')
    await page.getByRole('button', { name: 'Changes' }).click()
    await page.locator('.wiki-diff del').first().waitFor()
    await tabs.walk(page, editor)
    await page.getByRole('heading', { name: HOSTILE.user, level: 1 }).waitFor()
    assert.equal(await page.evaluate('window.hit'), undefined)
    assert.equal(await page.locator('main img, main script').count(), 0)
    assert.ok(!tabs.requested.some((url) => url.endsWith('/x')))
  })

  test('what is not here is said with its code', async () => {
    await tabs.walk(page, at('/page?title=Nowhere'))
    await page.getByText('MINGA_NO_SUCH_WIKI_PAGE').waitFor()
    await tabs.walk(page, '/wikis/nowhere.example')
    await page.getByText('MINGA_NO_SUCH_WIKI').waitFor()
    await tabs.walk(page, at('/editor?name=Nobody'))
    await page.getByText('MINGA_NO_SUCH_WIKI_EDITOR').waitFor()
  })

  const screens = (): string[] => [
    '/wikis?task=1',
    at(''),
    llama('&view=diff&side=by-side'),
    llama('&view=authors'),
    evil('&view=authors'),
    at('/editor?name=Ada'),
    '/wikis/corpus.example/compare?pages=10,17,24',
    at('/page?title=Nowhere'),
  ]

  for (const colorScheme of SWEPT_COLOURS) {
    test(`axe finds nothing on wikis in ${colorScheme} colours`, async () => {
      await page.emulateMedia({ colorScheme })
      // Colours differ where there is more than text: the others have been looked at in the light.
      const hasColours = (path: string): boolean => /wikis\/[^/]+$|view=|compare/.test(path)
      const paths = colorScheme === 'light' ? screens() : screens().filter(hasColours)
      await tabs.assertAccessible(page, paths)
    })
  }

  test('nothing scrolls sideways on a telephone in any language, nothing is asked elsewhere, nothing complains', async () => {
    await tabs.assertFitsTelephone(page, screens())
    const elsewhere = tabs.requested.filter((url) => !url.startsWith(tabs.station.url))
    assert.deepEqual(
      elsewhere.filter((url) => !/^(blob|data):/.test(url)),
      [],
    )
    assert.deepEqual(tabs.complaints, [])
  })
})
