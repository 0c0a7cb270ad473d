// Goal: the made-up parts of the demo are whole and the same at every start. Method: each is made by itself and read
// by the code that the station reads real ones with.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { OperatorPlaces } from '@minga/partition'
import { systemClock } from '@minga/protocol'
import { readDumpBody, type Revision } from '@minga/wiki'
import { GeoIpDatabase } from '../../../coordinator/src/station/geoip.ts'
import { DemoFolder } from './demo-folder.ts'
import { countriesFile, placesText } from './open-demo.ts'
import { demoWikiDump } from './demo-wiki-dump.ts'
import { wikiReply } from './demo-wiki-site.ts'
import { demoWiki } from './demo-wiki.ts'
import { openLine } from './line.ts'
import { changedAt, headline, livingBody, livingFeed, LIVING_PAGES } from './living-pages.ts'

const UNTIL = Date.UTC(2030, 0, 1)
const ORIGIN = 'http://wiki.valley.test'

test('the wiki of the demo has some thousand revisions, in order, by several editors, without a flaw', () => {
  const made = (): string =>
    demoWikiDump(demoWiki({ begunAt: UNTIL }), { origin: ORIGIN, until: UNTIL })
  const dump = made()
  const revisions: Revision[] = []
  let pages = 0
  for (const item of readDumpBody(Buffer.from(dump))) {
    assert.notEqual(item.type, 'trouble')
    if (item.type === 'page') pages++
    if (item.type === 'revision') revisions.push(item.revision)
  }
  assert.equal(pages, 36)
  assert.ok(revisions.length > 2_000 && revisions.length < 5_000)
  assert.ok(new Set(revisions.map(({ user }) => user)).size >= 6)
  assert.ok(revisions.every(({ at }) => at < UNTIL))
  const byPage = Map.groupBy(revisions, ({ pageId }) => pageId)
  for (const [, own] of byPage) {
    assert.ok(own.every(({ at }, i) => i === 0 || at > own[i - 1]!.at))
  }
  assert.equal(dump, made())
})

test('the wiki of the demo tells whole histories in portions, and edits when their time has come', () => {
  const wiki = demoWiki({ begunAt: UNTIL })
  const [page] = wiki.pages
  const numbersAt = (now: number): number[] => {
    const numbers: number[] = []
    for (let from: string | undefined = ''; from !== undefined;) {
      const asked = `prop=info|revisions&pageids=${page!.id}&rvprop=ids|content&rvlimit=20&rvdir=newer`
      const more = from === '' ? '' : `&rvcontinue=${from}`
      const url = new URL(`${ORIGIN}/w/api.php?${asked}${more}`)
      const answer = JSON.parse(wikiReply({ wiki, origin: ORIGIN, now }, url)!.body) as WikiAnswer
      numbers.push(...answer.query.pages[0]!.revisions.map(({ revid }) => revid))
      from = answer.continue?.rvcontinue
    }
    return numbers
  }
  const known = page!.revisions.filter(({ at }) => at <= UNTIL).map(({ id }) => id)
  assert.ok(known.length > 20)
  assert.deepEqual(numbersAt(UNTIL), known)
  const coming = page!.revisions[known.length]!
  assert.deepEqual(numbersAt(coming.at), [...known, coming.id])
})

interface WikiAnswer {
  continue?: { rvcontinue: string }
  query: { pages: { revisions: { revid: number }[] }[] }
}

test('the file of countries tells the country of each line to the station', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'minga-demo-'))
  const opened = await DemoFolder.open(folder)
  const file = await opened.put('countries.mmdb', countriesFile())
  const geoip = await GeoIpDatabase.open({ file, clock: systemClock, onBroken: assert.fail })
  const addresses = ['127.0.0.1', '127.51.0.9', '127.59.0.9', '127.35.0.9', '::1']
  assert.deepEqual(addresses.map(geoip.countryOf), ['PE', 'PE', 'BO', 'PT', null])
  assert.deepEqual(addresses.map(geoip.asnOf), [64_500, 64_501, 64_502, 64_503, null])
  assert.deepEqual(await readFile(file), countriesFile())
  await rm(folder, { recursive: true })
})

test('the list of places has no line that does not count', () => {
  const places = new OperatorPlaces('places.txt', placesText().trimEnd().split('\n'))
  assert.deepEqual(places.faults, [])
  assert.notEqual(places.find('joao-porto', null), null)
  assert.notDeepEqual(
    places.find('library.valley.test', null),
    places.find('school.valley.test', null),
  )
})

test('a living page says the same within its period and something else after it', () => {
  for (const page of LIVING_PAGES) {
    const at = changedAt(page, UNTIL)
    const next = at + (page.everyMs ?? 3_600_000)
    assert.equal(livingBody(page, at, 'x'), livingBody(page, next - 1, 'x'))
    const isSame = livingBody(page, at, 'x') === livingBody(page, next, 'x')
    assert.equal(isSame, page.everyMs === null, page.title)
  }
})

test('the feed of a page names its latest state', () => {
  const [page] = LIVING_PAGES
  const feed = livingFeed(page!, 'http://www.valley.test', UNTIL)
  assert.ok(feed.includes(headline(page!, UNTIL / page!.everyMs!)))
})

test('a line arrives from its own address and ends with its far end', async () => {
  const callers: (string | undefined)[] = []
  const station = createServer((socket) => {
    callers.push(socket.remoteAddress)
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nhi')
  })
  await new Promise<void>((resolve) => station.listen(0, '127.0.0.1', resolve))
  const { port } = station.address() as { port: number }
  const line = await openLine(`http://127.0.0.1:${port}`, '127.35.0.1')
  try {
    assert.equal(await (await fetch(line.url)).text(), 'hi')
    // Where the system lends no such address, the line arrives from the usual one.
    assert.match(callers[0]!, /^127\.(35\.0\.1|0\.0\.1)$/)
  } finally {
    line.close()
    station.close()
  }
})

test('what the demo has done is known to the next start', async () => {
  const data = await mkdtemp(join(tmpdir(), 'minga-demo-'))
  try {
    const first = await DemoFolder.open(data)
    await first.keepStart(UNTIL, 4_711)
    await first.keepDone('wiki')
    await first.keepPassword('killa', 'secret')
    const second = await DemoFolder.open(data)
    assert.equal(second.begunAt, UNTIL)
    assert.equal(second.port, 4_711)
    assert.equal(second.isDone('wiki'), true)
    assert.equal(second.isDone('books'), false)
    assert.equal(second.passwordOf('killa'), 'secret')
  } finally {
    await rm(data, { recursive: true })
  }
})
