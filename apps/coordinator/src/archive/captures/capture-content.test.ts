// Goal: what was captured comes back as it was sent, decoded or raw, at the time asked for; what is not
// there is explained. Method: crawled and imported captures read through the API.
import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { encodeRecord, recordExchange, recordId, warcDate } from '@minga/archive'
import { sampleExchange } from '../../../../../packages/archive/test/sample-exchange.ts'
import { temporaryFolder } from '../../../../../packages/store/test/contract-engines.ts'
import { readArchived, readContent } from './capture-content.ts'
import {
  assertRefused,
  openStation,
  START,
  type Content,
  type Page,
} from '../../../test/station-fixture.ts'

const station = await openStation()
const folder = temporaryFolder()
let made = 0
const newId = (): string => crypto.randomUUID()

async function importMembers(members: readonly Buffer[]): Promise<void> {
  const file = join(folder, `${++made}.warc.gz`)
  writeFileSync(file, Buffer.concat(members))
  assert.equal((await station.post('/archive/import', { file })).status, 200)
}

function refusal({ status, body }: Content, statusAndCode: string, sentence: RegExp): void {
  assertRefused({ status, body: JSON.parse(String(body)) }, statusAndCode, sentence)
}

async function crawled(name: string, page: Page): Promise<string> {
  const seed = `http://${name}.test/`
  await station.crawl({ seeds: [seed] }, { [seed]: page })
  return seed
}

test('a body comes back decoded, or raw, or as its head, and never as a page of the station', async () => {
  const body = gzipSync('<script>alert(1)</script>')
  const headers: [string, string][] = [
    ['Content-Encoding', 'gzip'],
    ['X-Twice', 'a'],
    ['X-Twice', 'b'],
  ]
  const url = await crawled('forms', { body, headers })
  const decoded = await station.content(url)
  assert.equal(String(decoded.body), '<script>alert(1)</script>')
  assert.equal(decoded.headers['content-type'], 'application/octet-stream')
  assert.equal(decoded.headers['x-minga-mime'], 'text/html')
  assert.equal(decoded.headers['x-minga-status'], '200')
  assert.ok(Date.parse(String(decoded.headers['x-minga-captured-at'])) >= START)
  assert.deepEqual((await station.content(url, '&form=raw')).body, body)
  const head = String((await station.content(url, '&form=headers')).body)
  assert.match(head, /^HTTP\/1\.1 200\r\n/)
  assert.match(head, /X-Twice: a\r\nX-Twice: b\r\n/)
  assert.ok(head.endsWith('\r\n\r\n'))
})

test('a body that cannot be decoded comes back together with the problem', async () => {
  const cut = brotliCompressSync('x'.repeat(5_000)).subarray(0, 8)
  const url = await crawled('cut', { body: cut, headers: [['Content-Encoding', 'br']] })
  const { status, headers } = await station.content(url)
  assert.equal(status, 200)
  assert.match(String(headers['x-minga-problem']), /\w/)
  const odd = await crawled('odd', { body: 'x', headers: [['Content-Encoding', 'ünknown']] })
  assert.equal((await station.content(odd)).status, 200)
})

test('of several versions the nearest earlier one is shown', async () => {
  const url = 'http://versions.test/'
  const versions = ['one', 'two', 'three'].map((body, i) =>
    sampleExchange({ url, capturedAt: START + i * 60_000, body: Buffer.from(body) }),
  )
  await importMembers(versions.flatMap((exchange) => recordExchange(exchange, newId).members))
  const at = async (time: number): Promise<string> =>
    String((await station.content(url, `&at=${time}`)).body)
  assert.equal(await at(START), 'one')
  assert.equal(await at(START + 119_999), 'two')
  assert.equal(await at(START + 120_000), 'three')
  assert.equal(String((await station.content(url)).body), 'three')
  const early = await station.content(url, `&at=${START - 1}`)
  refusal(early, '404 MINGA_NO_SUCH_CAPTURE', /the earliest is of 20260506000000/)
})

test('what was almost asked for is named', async () => {
  await crawled('www.names', { body: 'x' })
  for (const near of ['https://www.names.test/', 'http://names.test/', 'http://www.names.test']) {
    const content = await station.content(near)
    if (content.status === 200) continue
    refusal(content, '404 MINGA_NO_SUCH_CAPTURE', /but it has http:\/\/www\.names\.test\/ of 2026/)
  }
  const short = await station.content('names.test')
  refusal(short, '400 MINGA_BAD_ARCHIVE_URL', /Write it in full/)
})

test('an imported reference is followed by what it names, also in seconds and across files', async () => {
  const [url, other] = ['http://first.test/', 'http://second.test/']
  const capturedAt = START + 500
  const original = sampleExchange({ url, capturedAt, body: Buffer.from('the payload') })
  const recorded = recordExchange(original, newId)
  const revisit = encodeRecord({
    type: 'revisit',
    headers: [
      ['WARC-Record-ID', recordId(newId())],
      ['WARC-Date', warcDate(START + 9_000)],
      ['WARC-Target-URI', other],
      ['WARC-Profile', 'http://netpreserve.org/warc/1.0/revisit/identical-payload-digest'],
      ['WARC-Refers-To-Target-URI', url],
      ['WARC-Refers-To-Date', '2026-05-06T00:00:00Z'],
      ['WARC-Payload-Digest', 'sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'],
      ['Content-Type', 'application/http; msgtype=response'],
    ],
    block: [Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n')],
  })
  await importMembers([revisit])
  const lost = await station.content(other)
  refusal(lost, '404 MINGA_NO_SUCH_CAPTURE', /20260506000009 only refers to another/)
  await importMembers(recorded.members)
  const { body, headers } = await station.content(other)
  assert.equal(String(body), 'the payload')
  assert.equal(headers['x-minga-captured-at'], '2026-05-06T00:00:09.000Z')
})

test('a capture whose file is cut off or gone is an error with its file, not a wrong body', async (t) => {
  t.mock.method(process.stderr, 'write', () => true)
  const own = await openStation()
  await own.crawl({ seeds: ['http://a.test/'] }, { 'http://a.test/': { body: 'x'.repeat(500) } })
  const [row] = await own.captures('?url=http://a.test/')
  const file = join(own.data, 'archive', row!.file)
  truncateSync(file, row!.offset + 100)
  const cut = await own.content('http://a.test/')
  refusal(cut, '400 MINGA_UNREADABLE_RECORD', new RegExp(row!.file))
  rmSync(file)
  const gone = await own.content('http://a.test/')
  refusal(gone, '400 MINGA_UNREADABLE_RECORD', new RegExp(row!.file))
})

test('a bomb costs readers its limit in memory, and a download less, and says that it was cut', async () => {
  // A quarter of a gigabyte in a quarter of a megabyte: gzip joins members.
  const body = Buffer.concat(Array<Buffer>(16).fill(gzipSync(Buffer.alloc(2 ** 24))))
  const url = await crawled('bomb', { body, headers: [['Content-Encoding', 'gzip']] })
  const beforeKb = process.resourceUsage().maxRSS
  const held = await readArchived(station, { url, at: null })
  assert.equal(held.body.length, 64 * 1024 * 1024)
  assert.match(held.problem ?? '', /unpacks to more than 67108864 bytes/)
  await station.texts.flush()
  const sent = await readContent(station, { url, at: null })
  assert.match(sent.headers['x-minga-problem'] ?? '', /unpacks to more than 200 times/)
  let sentBytes = 0
  for await (const piece of sent.body as AsyncIterable<Buffer>) sentBytes += piece.length
  assert.equal(sentBytes, body.length * 200)
  const grownMb = (process.resourceUsage().maxRSS - beforeKb) / 1024
  assert.ok(grownMb < 300, `${grownMb} MB more`)
})
