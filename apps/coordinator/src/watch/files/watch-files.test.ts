// Goal: what is exported comes back as it was, and a bad file says where it is bad. Method: random
// watches through each format and back; hand-made broken and foreign files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { watchRequest } from '@minga/protocol'
import { csvOf, readCsv } from './csv-file.ts'
import { jsonOf, readJson } from './watch-files.ts'
import { opmlOf, readOpml } from './opml-file.ts'
import type { WatchEntry } from './watch-entry.ts'

const url = fc
  .tuple(fc.constantFrom('https://a.example/', 'http://b.example:81/x?'), fc.webSegment())
  .map(([start, end]) => `${start}${end}`)
/** What XML can carry. */
const text = fc
  .string({ unit: 'grapheme', maxLength: 30 })
  .map((value) => value.replaceAll(/[^\P{Cc}\t\n]/gu, '').replaceAll(/[\u{fffe}\u{ffff}]/gu, ''))
const word = text.filter((value) => value !== '')
const oneLine = word.filter((value) => !/[\t\n]/.test(value))
const list = fc.array(word, { maxLength: 3 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null })

const entry: fc.Arbitrary<WatchEntry> = fc.record({
  name: fc.oneof(oneLine, fc.constantFrom('=1+1', "'=x", '"quoted", twice', '-')),
  subject: fc.constantFrom('page', 'site', 'list'),
  urls: fc.uniqueArray(url, { minLength: 1, maxLength: 4 }),
  feeds: fc.uniqueArray(url, { maxLength: 2 }),
  sitemaps: fc.uniqueArray(url, { maxLength: 2 }),
  category: orNull(fc.integer({ min: 0, max: 999 })),
  observations: text,
  isActive: fc.boolean(),
  periodMs: orNull(fc.integer({ min: 60_000, max: 10 ** 12 })),
  policy: orNull(word),
  importance: fc.double({ min: 0.001, max: 1_000, noNaN: true }),
  budgetShare: orNull(fc.double({ min: 0, max: 1, noNaN: true })),
  floorMs: orNull(fc.integer({ min: 60_000, max: 10 ** 12 })),
  threshold: fc.double({ min: 0, max: 1, noNaN: true }),
  includeSelectors: list,
  excludeSelectors: fc.oneof(list, fc.constantFrom<string[][]>(['[href]', '["a"]'], ['a\nb'])),
  scope: fc.constantFrom('page', 'prefix', 'host', 'domain', 'any'),
  include: fc.array(text, { maxLength: 3 }),
  exclude: list,
  maxPages: orNull(fc.integer({ min: 1, max: 10 ** 9 })),
  maxBytes: orNull(fc.integer({ min: 1, max: 10 ** 15 })),
  maxTimeS: orNull(fc.integer({ min: 1, max: 10 ** 9 })),
  delayMs: fc.integer({ min: 0, max: 86_400_000 }),
  politeness: fc.constantFrom('constant', 'density', 'tenfold', 'adaptive'),
  delayMinMs: fc.integer({ min: 250, max: 86_400_000 }),
})

/** What reading the requests of a file comes to. */
const parsed = (read: ReturnType<typeof readJson>): unknown =>
  read.entries.map(({ request }) => watchRequest.parse(request))

const FORMATS = [
  { name: 'JSON', write: jsonOf, read: readJson },
  { name: 'CSV', write: csvOf, read: readCsv },
  { name: 'OPML', write: opmlOf, read: readOpml },
] as const

for (const { name, write, read } of FORMATS) {
  test(`watches go through ${name} and back without a loss`, () => {
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 5 }), (entries) => {
        const there = read(write(entries))
        assert.deepEqual(there.problems, [])
        assert.deepEqual(
          parsed(there),
          entries.map((one) => watchRequest.parse(one)),
        )
      }),
      { seed: 4, numRuns: 300 },
    )
  })

  test(`any text at all is read as ${name} without an exception`, () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (junk) => {
        for (const given of [junk, `url\n${junk}`, `<opml><body>${junk}</body></opml>`]) {
          assert.ok(Array.isArray(read(given).entries))
        }
      }),
      { seed: 4, numRuns: 300 },
    )
  })
}

test('a CSV of addresses alone is enough, and a bad line is reported by its number', () => {
  const { entries, problems } = readCsv(
    'URL,Name,colour\r\nhttps://a.test/,"Multi\r\nline",red\r\nhttps://b.test/ab"c,x\r\n\r\nhttps://d.test/\r\n',
  )
  assert.deepEqual(
    entries.map(({ line, request }) => [line, request]),
    [
      [2, { urls: ['https://a.test/'], name: 'Multi\r\nline' }],
      [6, { urls: ['https://d.test/'] }],
    ],
  )
  assert.deepEqual(
    problems.map(({ line, code }) => [line, code]),
    [
      [4, 'MINGA_BAD_WATCH_FILE'],
      [1, 'MINGA_BAD_WATCH_FILE'],
    ],
  )
  assert.match(readCsv('name\nPress').problems[0]!.message, /No column is called url/)
})

test("a feed reader's OPML becomes watches of pages with feeds, in their folders", () => {
  const { entries, problems } = readOpml(`<?xml version="1.0"?>
<opml version="1.1"><head><title>Mine</title></head><body>
  <outline text="Science">
    <outline text="A &amp; B" type="rss" xmlurl="https://a.test/feed" htmlUrl="https://a.test/"/>
    <outline title="Only a feed" type="rss" xmlUrl="https://b.test/rss"/>
  </outline>
  <outline text="A bookmark" type="link" url="https://c.test/"/>
  <outline text="Nothing"/>
</body></opml>`)
  assert.deepEqual(
    entries.map(({ line, request, folders }) => [line, request, folders]),
    [
      [
        4,
        { name: 'A & B', urls: ['https://a.test/'], feeds: ['https://a.test/feed'] },
        ['Science'],
      ],
      [
        5,
        { name: 'Only a feed', urls: ['https://b.test/rss'], feeds: ['https://b.test/rss'] },
        ['Science'],
      ],
      [7, { name: 'A bookmark', urls: ['https://c.test/'] }, []],
    ],
  )
  assert.deepEqual(
    problems.map(({ line, message }) => [line, message]),
    [[8, 'The outline has neither an xmlUrl nor a url.']],
  )
})

test('a file of any other format is rejected with a clear error', () => {
  assert.match(readJson('{"watches":1}').problems[0]!.message, /no list of watches/)
  assert.match(readJson('{').problems[0]!.message, /no JSON/)
  assert.deepEqual(readJson('[1,{"urls":["https://a.test/"]}]').problems, [
    { line: 1, code: 'MINGA_BAD_WATCH_FILE', message: 'The entry is no object.' },
  ])
  assert.ok(readOpml('this is not xml').problems.length > 0)
  assert.deepEqual(
    readOpml('<opml><body/></opml>').problems[0]!.message,
    'There is no outline in it.',
  )
  assert.deepEqual(readCsv('').problems[0]!.message, 'There is no row.')
})
