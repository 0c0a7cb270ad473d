// Goal: what is handed on is whole, safe to open, and says whose work it is. Method: cells that break naive writers,
// read back by a strict reader of CSV, by JSON and by DuckDB.
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Revision, SiteInfo } from '../model.ts'
import { writeParquet } from './export-parquet.ts'
import { pageUrlOf, REVISION_COLUMNS, revisionRow, type ExportTable } from './export-table.ts'
import { csvOf, jsonlOf } from './export-text.ts'
import { openAsk } from '../../test/metrics/history-fixture.ts'

const SITE: SiteInfo = {
  name: 'Example',
  dbName: null,
  base: 'https://wiki.example/wiki/Main_Page',
  generator: null,
  language: 'es',
  case: 'first-letter',
  namespaces: [],
  apiUrl: null,
  articlePath: '/wiki/$1',
  rvLimit: 50,
  rights: { text: 'CC BY-SA 4.0', url: null },
}

const REVISION: Revision = {
  pageId: 1,
  revId: 5,
  parentId: 0,
  at: Date.parse('2004-06-22T23:59:59Z'),
  user: 'Zoë "Z" O’Neil, jr.',
  userId: null,
  editor: 'registered',
  isMinor: true,
  size: 12,
  sha1: null,
  comment: '=HYPERLINK("http://evil.example")\nsecond line',
  parsedComment: null,
  tags: ['mobile edit', 'undo'],
  hidden: [],
  isSuppressed: false,
  slots: [],
}

function tableOf(revisions: readonly Revision[]): ExportTable {
  return {
    columns: REVISION_COLUMNS,
    rows: revisions.map((revision) => revisionRow(revision, 'A/B Ñ')),
    attribution: { source: 'https://wiki.example', at: 0, licence: 'CC BY-SA 4.0' },
    pageUrl: (title) => pageUrlOf(SITE, title),
  }
}

async function joined(pieces: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const piece of pieces) text += piece
  return text
}

/** RFC 4180 to the letter; anything else is a mistake. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]]
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  let at = 0
  while (at < text.length) {
    cell.lastIndex = at
    const found = cell.exec(text)
    assert.ok(found, `no cell at ${at}`)
    rows.at(-1)!.push((found[1] ?? found[2] ?? '').replaceAll('""', '"'))
    if (found[3] === '\r\n') rows.push([])
    at = cell.lastIndex
  }
  return rows.slice(0, -1)
}

test('CSV has every cell in its place, no formula, and the attribution in every row', async () => {
  const [head, row, ...others] = readCsv(await joined(csvOf(tableOf([REVISION]))))
  assert.deepEqual(others, [])
  const cells = Object.fromEntries(head!.map((name, i) => [name, row![i]]))
  assert.deepEqual(cells, {
    pageid: '1',
    title: 'A/B Ñ',
    revid: '5',
    parentid: '0',
    timestamp: '2004-06-22T23:59:59.000Z',
    user: 'Zoë "Z" O’Neil, jr.',
    userid: '',
    editor: 'registered',
    minor: 'true',
    size: '12',
    sha1: '',
    comment: '\'=HYPERLINK("http://evil.example")\nsecond line',
    tags: 'mobile edit|undo',
    source: 'https://wiki.example',
    page_url: 'https://wiki.example/wiki/A/B_%C3%91',
    licence: 'CC BY-SA 4.0',
  })
})

test('any comment survives CSV, except that it cannot begin a formula', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({
        unit: fc.constantFrom('=', '+', '-', '@', '"', "'", ',', '\r', '\n', '\t', 'a'),
      }),
      async (comment) => {
        const [, row] = readCsv(await joined(csvOf(tableOf([{ ...REVISION, comment }]))))
        const read = row![REVISION_COLUMNS.findIndex(({ name }) => name === 'comment')]!
        assert.doesNotMatch(read, /^[=+\-@\t\r]/)
        assert.ok(read === comment || read === `'${comment}`)
      },
    ),
    { numRuns: 200, seed: 6 },
  )
})

test('JSON lines keep types and carry the attribution', async () => {
  const lines = (await joined(jsonlOf(tableOf([REVISION, REVISION])))).trimEnd().split('\n')
  assert.equal(lines.length, 2)
  const line = JSON.parse(lines[0]!)
  assert.deepEqual([line.minor, line.userid, line.tags], [true, null, ['mobile edit', 'undo']])
  assert.deepEqual([line.source, line.licence], ['https://wiki.example', 'CC BY-SA 4.0'])
  assert.equal(line.timestamp, '2004-06-22T23:59:59.000Z')
})

test('Parquet is read back by DuckDB with its types, its rows and its licence', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-export-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, "it's.parquet")
  const revisions = Array.from({ length: 60_000 }, (_, i) => ({
    ...REVISION,
    revId: i,
    tags: i % 2 ? [] : ['undo'],
  }))
  assert.equal(await writeParquet(tableOf(revisions), { file, partsFolder: folder }), 60_000)
  const { ask, connection } = await openAsk()
  const [row] = await ask(
    `SELECT count(*)::INTEGER AS n, max(revid)::INTEGER AS revid, max(epoch_ms(timestamp))::DOUBLE AS at,
       count(*) FILTER (list_contains(tags, 'undo'))::INTEGER AS undo, any_value(page_url) AS page FROM read_parquet($1)`,
    [file],
  )
  const page = 'https://wiki.example/wiki/A/B_%C3%91'
  assert.deepEqual(row, { n: 60_000, revid: 59_999, at: REVISION.at, undo: 30_000, page })
  const metadata = await ask(
    `SELECT decode(key) AS k, decode(value) AS v FROM parquet_kv_metadata($1)`,
    [file],
  )
  assert.ok(metadata.some(({ k, v }) => k === 'licence' && v === 'CC BY-SA 4.0'))
  connection.closeSync()
})

test('a page has its address by the wiki’s own path, or next to the main page', () => {
  assert.equal(pageUrlOf(SITE, 'Talk:C$1 & co'), 'https://wiki.example/wiki/Talk:C%241_%26_co')
  const short = { ...SITE, articlePath: null, base: 'https://wiki.example/w/index.php/Main' }
  assert.equal(pageUrlOf(short, 'A B'), 'https://wiki.example/w/index.php/A_B')
  const plain = { ...SITE, articlePath: null, base: 'https://wiki.example/index.php?title=Main' }
  assert.equal(pageUrlOf(plain, 'A B'), 'https://wiki.example/index.php?title=A_B')
  assert.equal(pageUrlOf({ ...SITE, base: '' }, 'A B'), null)
})
