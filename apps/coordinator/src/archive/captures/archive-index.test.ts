// Goal: index.cdxj always says what the captures table says, and is written only when it must be.
// Method: indexes of a station's real crawls and imports, read line by line and compared with its rows.
import assert from 'node:assert/strict'
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { cdxjTimestamp, parseCdxjLine } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { sampleArchive } from '../../../../../packages/archive/test/sample-exchange.ts'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { cdxjEntryOf, writeArchiveIndex, type ArchiveIndex } from './archive-index.ts'
import { openStation } from '../../../test/station-fixture.ts'

const station = await openStation()
const file = join(station.data, 'archive', 'index.cdxj')

async function index(): Promise<ArchiveIndex> {
  return (await station.post('/archive/index')).body as ArchiveIndex
}

const places = (text: string): string[] =>
  text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('!'))
    .map((line) => {
      const entry = parseCdxjLine(line)!
      return `${entry.timestamp} ${entry.url} ${entry.filename} ${entry.offset} ${entry.length}`
    })

const placeOf = (row: CaptureRow): string =>
  `${cdxjTimestamp(row.capturedAt)} ${row.url} ${row.file} ${row.offset} ${row.length}`

test('an archive without captures has an empty index', async () => {
  assert.deepEqual(await index(), { file, captures: 0 })
  assert.deepEqual(places(readFileSync(file, 'utf8')), [])
})

test('every capture stands in the index at its place, crawled or imported', async () => {
  const web = { 'http://a.test/': { body: '<a href="/b">' }, 'http://a.test/b': { body: 'b' } }
  await station.crawl({ seeds: ['http://a.test/'] }, web)
  const source = join(temporaryFolder(), 'theirs.warc.gz')
  writeFileSync(source, sampleArchive([Buffer.from('1'), Buffer.from('2')]))
  await station.post('/archive/import', { file: source })
  assert.deepEqual(await index(), { file, captures: 5 })
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n').filter(Boolean)
  assert.deepEqual(lines, lines.toSorted())
  assert.deepEqual(places(text).toSorted(), (await station.captures()).map(placeOf).toSorted())
})

test('an index that is fresh is left alone, one that is missing or old is written', async () => {
  const { ino } = statSync(file)
  await index()
  assert.equal(statSync(file).ino, ino)
  rmSync(file)
  await index()
  const lines = places(readFileSync(file, 'utf8')).length
  await station.crawl({ seeds: ['http://c.test/'] }, {})
  await index()
  assert.equal(places(readFileSync(file, 'utf8')).length, lines + 2)
})

test('writers at the same time do not spoil each other', async () => {
  await station.crawl({ seeds: ['http://d.test/'] }, {})
  await Promise.all(Array.from({ length: 5 }, () => writeArchiveIndex(station.store, station.data)))
  const rows = await station.captures()
  assert.equal(places(readFileSync(file, 'utf8')).length, rows.length)
})

test('a reference is marked as one and a capture without a status has none', () => {
  const row = { kind: 'revisit', mime: 'text/html', status: 0, capturedAt: 0 } as CaptureRow
  assert.equal(cdxjEntryOf(row).mime, 'warc/revisit')
  assert.equal(cdxjEntryOf(row).status, '-')
})
