// Goal: what is taken down is in no file and no answer any more, and everything else is as it was.
// Method: a station on both databases with crawled and imported captures; every file is searched.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  encodeRecord,
  isTombstone,
  readRecordAt,
  readRecords,
  referenceOf,
  sha256Label,
  verifyRecords,
} from '@minga/archive'
import type { CaptureRow, TakedownAnswer, TakedownView } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, openStation, type TestStation } from '../../../test/station-fixture.ts'
import { filesWith } from '../../../test/archive/takedown/traces-fixture.ts'

const SECRET = 'the street where Ana lives'
const SITE = 'http://paper.test'
const page = (text: string): { body: string } => ({
  body: `<html><head><title>About ${text}</title></head><body><p>${text}</p></body></html>`,
})
const WEB = {
  [`${SITE}/`]: page('Nothing of interest'),
  [`${SITE}/ana`]: page(SECRET),
  [`${SITE}/other`]: page('Something else'),
}

async function crawled(changes: Parameters<typeof openStation>[0] = {}): Promise<TestStation> {
  const station = await openStation(changes)
  await station.crawl({ seeds: Object.keys(WEB), scope: 'page' }, WEB)
  return station
}

async function take(station: TestStation, request: object): Promise<TakedownAnswer> {
  const { status, body } = await station.post('/takedowns', {
    reason: 'Ana asked for it',
    ...request,
  })
  assert.equal(status, 200, JSON.stringify(body))
  return body as TakedownAnswer
}

async function assertWholeFile(station: TestStation, file: string): Promise<number> {
  const bytes = await readFile(join(station.data, 'archive', file))
  for await (const finding of verifyRecords(bytes)) assert.notEqual(finding.severity, 'error')
  let stones = 0
  for await (const item of readRecords(bytes))
    if (!('damage' in item) && isTombstone(item)) stones++
  return stones
}

interface Foreign {
  type: 'response' | 'revisit'
  url: string
  date: string
  body: string
  refersTo?: { url: string; date: string }
}

const WORDS = 'words that stay'

/** A record as other tools write it, of one payload for each address. */
function foreign({ type, url, date, body, refersTo }: Foreign): Buffer {
  const payload = url.endsWith('/one') ? WORDS : SECRET
  const profile = 'http://netpreserve.org/warc/1.1/revisit/identical-payload-digest'
  return encodeRecord({
    type,
    headers: [
      ['WARC-Record-ID', `<urn:uuid:${crypto.randomUUID()}>`],
      ['WARC-Target-URI', url],
      ['WARC-Date', date],
      ['WARC-Payload-Digest', sha256Label([Buffer.from(payload)])],
      ['Content-Type', 'application/http; msgtype=response'],
      ...(refersTo === undefined
        ? []
        : ([
            ['WARC-Profile', profile],
            ['WARC-Refers-To-Target-URI', refersTo.url],
            ['WARC-Refers-To-Date', refersTo.date],
          ] as const)),
    ],
    block: [Buffer.from(`HTTP/1.1 200 OK\r\nX-Title: ${payload}\r\n\r\n${body}`)],
  })
}

for (const engine of ENGINES) {
  const options = { skip: engine.skip }

  test(
    `a capture that is taken down is in no file and no answer, and the others are as they were (${engine.name})`,
    options,
    async () => {
      const station = await crawled({ engine })
      const before = await station.captures()
      const { file } = before[0]!
      const { size } = await stat(join(station.data, 'archive', file))
      await station.post('/archive/index')
      assert.ok((await filesWith(station.data, SECRET)).includes(file))

      const { captures } = await take(station, { urls: [`${SITE}/ana`] })
      assert.deepEqual(
        captures.map(({ url }) => url),
        [`${SITE}/ana`],
      )

      const audited = await station.store.call('readAudit', {
        after: 0,
        limit: 1_000,
      })
      const { act, actor, subject, details } = audited.at(-1)!
      assert.deepEqual([act, actor], ['takedown:requested', 'operator'])
      assert.match(subject, /^captures \d+$/)
      assert.equal(details['reason'], 'Ana asked for it')

      assert.equal((await stat(join(station.data, 'archive', file))).size, size)
      assert.equal(await assertWholeFile(station, file), 3)
      assert.deepEqual(await filesWith(station.data, SECRET), [])
      assert.deepEqual(
        await station.captures(),
        before.filter(({ url }) => url !== `${SITE}/ana`),
      )
      for (const { url } of before.filter((each) => each.url !== `${SITE}/ana`)) {
        assert.equal((await station.content(url)).status, 200)
      }
      const index = await readFile(join(station.data, 'archive/index.cdxj'), 'utf8')
      assert.ok(!index.includes('/ana') && index.includes('/other'))
      assert.equal((await station.content(`${SITE}/ana`)).status, 410)
      const search = await station.get('/archive/search?by=title&q=street')
      assert.deepEqual((search.body as { urls: unknown[] }).urls, [])
    },
  )

  test(
    `what only refers to the removed payload goes too, and the payload is kept whole when it comes again (${engine.name})`,
    options,
    async () => {
      const station = await openStation({ engine })
      const copy = `${SITE}/copy`
      const web = { ...WEB, [copy]: WEB[`${SITE}/ana`] }
      await station.crawl({ seeds: [`${SITE}/ana`], scope: 'page' }, web)
      await station.crawl({ seeds: [copy], scope: 'page' }, web)
      const kindOf = async (url: string): Promise<string[]> =>
        (await station.captures(`?url=${encodeURIComponent(url)}`)).map(({ kind }) => kind)
      assert.deepEqual(await kindOf(copy), ['revisit'])

      const { captures } = await take(station, { urls: [`${SITE}/ana`] })
      assert.deepEqual(captures.map(({ url }) => url).toSorted(), [`${SITE}/ana`, copy])
      assert.deepEqual(await kindOf(copy), [])
      assert.deepEqual(await filesWith(station.data, SECRET), [])

      // Other seeds make it another collection.
      await station.crawl({ seeds: [copy, SITE], scope: 'page' }, web)
      assert.deepEqual(await kindOf(copy), ['response'])
    },
  )

  test(
    `a revisit is led to another response with its payload when the one it refers to goes (${engine.name})`,
    options,
    async () => {
      const station = await openStation({ engine })
      const url = `${SITE}/one`
      const response = { url, body: WORDS }
      const earlier = foreign({ ...response, date: '2020-01-01T00:00:00Z', type: 'response' })
      const later = foreign({ ...response, date: '2020-01-02T00:00:00Z', type: 'response' })
      const refersTo = { url, date: '2020-01-02T00:00:00Z' }
      const date = '2020-01-03T00:00:00Z'
      const folder = await mkdtemp(join(tmpdir(), 'minga-revisit-'))
      const file = join(folder, 'old.warc.gz')
      const second = foreign({ url, body: '', date, type: 'revisit', refersTo })
      await writeFile(file, Buffer.concat([earlier, later, second]))
      await station.post('/archive/import', { file })
      await rm(folder, { recursive: true })
      const rows = (): Promise<CaptureRow[]> => station.captures(`?url=${encodeURIComponent(url)}`)
      const [first, , before] = (await rows()) as [CaptureRow, CaptureRow, CaptureRow]
      assert.notEqual(before.recordId, first.recordId)

      const at = Date.parse('2020-01-02T00:00:00Z')
      const { captures } = await take(station, { urls: [url], versions: 'at', at })
      assert.equal(captures.length, 1)
      const [, after] = (await rows()) as [CaptureRow, CaptureRow]
      assert.equal(after.recordId, first.recordId)
      const record = await readRecordAt(
        join(station.data, 'archive', after.file),
        after.offset,
        after.length,
      )
      assert.deepEqual(referenceOf(record.headers), {
        id: first.recordId,
        url,
        at: first.capturedAt,
      })
      assert.equal(String((await station.content(url)).body), WORDS)
    },
  )

  test(`of a repaired capture its former record goes too (${engine.name})`, options, async () => {
    const station = await openStation({ engine })
    const url = `${SITE}/ana`
    const date = (day: number): string => `2020-01-0${day}T00:00:00Z`
    const refersTo = (day: number) => ({ url, date: date(day) })
    const folder = await mkdtemp(join(tmpdir(), 'minga-revisit-'))
    const file = join(folder, 'old.warc.gz')
    const chain = [
      foreign({ url, body: SECRET, date: date(1), type: 'response' }),
      foreign({ url, body: '', date: date(2), type: 'revisit', refersTo: refersTo(1) }),
      foreign({ url, body: '', date: date(3), type: 'revisit', refersTo: refersTo(2) }),
    ]
    await writeFile(file, Buffer.concat(chain))
    await station.post('/archive/import', { file })
    await rm(folder, { recursive: true })
    const rows = await station.captures(`?url=${encodeURIComponent(url)}`)
    assert.equal((await filesWith(station.data, SECRET)).length, 2)
    await take(station, { urls: [url], versions: 'all' })
    assert.deepEqual(await filesWith(station.data, SECRET), [])
    for (const name of new Set(rows.map((row) => row.file))) await assertWholeFile(station, name)
    const asked = { before: Number.MAX_SAFE_INTEGER, limit: 10 }
    const listed = await station.store.call('listTakedowns', asked)
    assert.deepEqual(listed.map(({ kind }) => kind).toSorted(), ['response', 'revisit', 'revisit'])
  })

  test(
    `what is blocked is not kept when the same bytes come again, other bytes are (${engine.name})`,
    options,
    async () => {
      const station = await crawled({ engine })
      await take(station, { urls: [`${SITE}/ana`], block: true })
      const ofAna = async (): Promise<CaptureRow[]> =>
        station.captures(`?url=${encodeURIComponent(`${SITE}/ana`)}`)
      await station.crawl({ seeds: [`${SITE}/ana`], scope: 'page' }, WEB)
      assert.deepEqual(await ofAna(), [])
      assert.deepEqual(await filesWith(station.data, SECRET), [])
      const changed = { ...WEB, [`${SITE}/ana`]: page('She has moved') }
      await station.crawl({ seeds: [`${SITE}/ana`, SITE], scope: 'page' }, changed)
      assert.equal((await ofAna()).length, 1)
    },
  )

  test(
    `new captures are found after the newest was taken down (${engine.name})`,
    options,
    async () => {
      const station = await crawled({ engine })
      await station.get('/archive/search?by=host&q=paper.test')
      const last = (await station.captures()).at(-1)!
      await take(station, { urls: [last.url] })
      const url = `${SITE}/later`
      await station.crawl({ seeds: [url], scope: 'page' }, { [url]: page('Later') })
      const search = await station.get('/archive/search?by=url&q=later')
      assert.equal((search.body as { urls: unknown[] }).urls.length, 1)
    },
  )
}

test('a tombstone says what was there, why it went, who asked and when', async () => {
  const station = await crawled()
  const [ana] = await station.captures(`?url=${encodeURIComponent(`${SITE}/ana`)}`)
  await take(station, { urls: [`${SITE}/ana`], block: true })
  const headers = { authorization: 'Bearer the key of writers' }
  const { body } = await station.inject({ url: '/api/takedowns', headers })
  const [stone, ...others] = body as TakedownView[]
  assert.deepEqual(others, [])
  const { url, capturedAt, digest, file, kind } = ana!
  const { id: _, askedAt, doneAt, by, ...said } = stone!
  assert.deepEqual(said, {
    url,
    capturedAt,
    digest,
    file,
    kind,
    reason: 'Ana asked for it',
    isBlocked: true,
    state: 'done',
  })
  assert.ok(by !== '' && doneAt! >= askedAt)
})

test('of several versions it must be said which; an earlier one stays readable, the removed one is gone', async () => {
  const station = await crawled()
  await station.clock.advance(60_000)
  const again = { ...WEB, [`${SITE}/ana`]: page('Nothing about her any more') }
  await station.crawl({ seeds: [`${SITE}/ana`], scope: 'page' }, again)
  const url = `${SITE}/ana`
  const [first, second] = await station.captures(`?url=${encodeURIComponent(url)}`)
  const body = { urls: [url], reason: 'asked' }
  assertRefused(await station.post('/takedowns', body), '409 MINGA_UNCLEAR_TAKEDOWN', /2 versions/)

  await take(station, { urls: [url], versions: 'at', at: first!.capturedAt })
  assert.deepEqual(await station.captures(`?url=${encodeURIComponent(url)}`), [second])
  assert.deepEqual(await filesWith(station.data, SECRET), [])
  const at = (capture: CaptureRow): string => `&at=${capture.capturedAt}`
  assert.equal((await station.content(url, at(second!))).status, 200)
  assert.equal((await station.content(url, at(first!))).status, 410)
  const moment = new Date(first!.capturedAt).toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const gone = await station.inject({ url: `/memento/${moment}/${url}` })
  assertRefused(gone, '410 MINGA_TAKEN_DOWN', /Ana asked for it/)
})

test('a prefix takes all below it and nothing next to it; a dry run takes nothing', async () => {
  const station = await crawled()
  const asked = { urls: [`${SITE}/a`], versions: 'prefix' }
  const planned = await take(station, { ...asked, dryRun: true })
  assert.deepEqual(
    planned.captures.map(({ url }) => url),
    [`${SITE}/ana`],
  )
  assert.equal((await station.content(`${SITE}/ana`)).status, 200)
  assert.deepEqual((await take(station, asked)).captures, planned.captures)
  assert.equal((await station.content(`${SITE}/other`)).status, 200)
  assert.equal((await station.content(`${SITE}/ana`)).status, 410)
})

test('only an operator may, a reason is needed, and what is not there is named', async () => {
  const station = await crawled()
  const payload = { urls: [`${SITE}/ana`], reason: 'asked' }
  const anybody = await station.inject({ method: 'POST', url: '/api/takedowns', payload })
  assert.equal(anybody.status, 401)
  assert.equal(
    (await station.post('/takedowns', { urls: [`${SITE}/ana`], reason: ' ' })).status,
    400,
  )
  const missing = await station.post('/takedowns', { ...payload, urls: [`${SITE}/nobody`] })
  assertRefused(missing, '404 MINGA_NO_SUCH_CAPTURE', /nobody/)
})

test('in files of other tools the request goes too, wherever it stands, and so does what was made of it', async (t) => {
  const station = await openStation()
  const folder = await mkdtemp(join(tmpdir(), 'minga-takedown-'))
  t.after(() => rm(folder, { recursive: true }))
  const record = (
    type: 'request' | 'response' | 'conversion',
    id: number,
    more: object,
    block: string,
  ) =>
    encodeRecord({
      type,
      headers: Object.entries({
        'WARC-Record-ID': `<urn:uuid:00000000-0000-4000-8000-00000000000${id}>`,
        'WARC-Date': '2020-01-01T00:00:00Z',
        'WARC-Target-URI': `${SITE}/ana`,
        ...more,
      }),
      block: [Buffer.from(block)],
    })
  const named = (id: number): string => `<urn:uuid:00000000-0000-4000-8000-00000000000${id}>`
  const http = 'application/http'
  const bytes = Buffer.concat([
    record('request', 1, { 'Content-Type': http }, `GET /ana HTTP/1.1\r\nX: ${SECRET}\r\n\r\n`),
    record(
      'response',
      2,
      { 'Content-Type': http, 'WARC-Concurrent-To': named(1) },
      `HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n${SECRET}`,
    ),
    record('conversion', 3, { 'Content-Type': 'text/plain', 'WARC-Refers-To': named(2) }, SECRET),
    record(
      'response',
      4,
      { 'Content-Type': http, 'WARC-Target-URI': `${SITE}/else` },
      'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nAnother page',
    ),
  ])
  const source = join(folder, 'theirs.warc.gz')
  await writeFile(source, bytes)
  const { body } = await station.post('/archive/import', { file: source })
  const { file } = body as { file: string }
  await take(station, { urls: [`${SITE}/ana`] })
  assert.equal(await assertWholeFile(station, file), 3)
  assert.deepEqual(await filesWith(station.data, SECRET), [])
  assert.equal((await station.content(`${SITE}/else`)).body.toString(), 'Another page')
})
