// Goal: questions in the words of Wayback and pywb are understood as they mean them, and bad ones are
// refused with their parameter. Method: examples, and answers compared with plain filters over arrays.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { threadMs } from '@minga/testkit'
import * as fc from 'fast-check'
import { searchKey } from './cdxj.ts'
import { byDistance, chooseRows, writeRows } from './cdx-query-answer.ts'
import { hostRanges, parseCdxQuery, type CdxRow, type KeyRange } from './cdx-query.ts'
import { collect } from '../test/sample-exchange.ts'

const ask = (query: string): ReturnType<typeof parseCdxQuery> =>
  parseCdxQuery(new URLSearchParams(query))

function row(url: string, timestamp: string, changes: Partial<CdxRow['entry']> = {}): CdxRow {
  const facts = { mime: 'text/html', status: '200', digest: 'sha256:a', length: 1, offset: 0 }
  const entry = { url, timestamp, ...facts, filename: 'f.warc.gz', ...changes }
  return { key: searchKey(url), entry, resumeKey: `after ${timestamp}` }
}

async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

const isIn = (ranges: KeyRange[], url: string): boolean =>
  ranges.some(({ low, high }) => searchKey(url) >= low && searchKey(url) < high)

test('an address matches itself, its beginnings, its host or its domain', () => {
  const urls = [
    'http://example.org/a',
    'https://www.example.org/a',
    'http://example.org/ab',
    'http://example.org/b',
    'http://sub.example.org/a',
    'http://example.org:8080/a',
    'http://example.organic/a',
    'http://notexample.org/a',
  ]
  const found = (query: string): string[] => urls.filter((url) => isIn(ask(query).ranges, url))
  assert.deepEqual(found('url=http://example.org/a'), urls.slice(0, 2))
  assert.deepEqual(found('url=example.org/a'), urls.slice(0, 2))
  assert.deepEqual(found('url=example.org/a*'), urls.slice(0, 3))
  assert.deepEqual(found('url=example.org/a&matchType=prefix'), urls.slice(0, 3))
  assert.deepEqual(found('url=example.org&matchType=host'), urls.slice(0, 4))
  assert.deepEqual(found('url=example.org:8080&matchType=host'), [urls[5]])
  const domain = urls.slice(0, 6)
  assert.deepEqual(found('url=example.org&matchType=domain'), domain)
  assert.deepEqual(found('url=*.example.org'), domain)
  assert.throws(() => hostRanges('a b'), /names no host/)
})

test('what cannot be asked is refused with its parameter', () => {
  for (const [query, parameter] of [
    ['', 'url'],
    ['url=ftp://a.test/', 'url'],
    ['url=a.test&matchType=near', 'matchType'],
    ['url=a.test&from=201', 'from'],
    ['url=a.test&to=yesterday', 'to'],
    ['url=a.test&limit=ten', 'limit'],
    ['url=a.test&limit=-10001', 'limit'],
    ['url=a.test&limit=-1&sort=reverse', 'limit'],
    ['url=a.test&sort=random', 'sort'],
    ['url=a.test&sort=closest', 'sort=closest'],
    ['url=a.test*&closest=2026', 'closest'],
    ['url=a.test&output=xml', 'output'],
    ['url=a.test&fl=timestamp,colour', 'fl'],
    ['url=a.test&filter=statuscode', 'filter'],
    ['url=a.test&filter=colour:red', 'filter'],
    ['url=a.test&collapse=digest:many', 'collapse'],
    ['url=a.test&page=-1', 'page'],
    ['url=a.test&pageSize=0', 'pageSize'],
    [`url=a.test${'&filter=status:200'.repeat(21)}`, 'filter'],
  ]) {
    const isThat = (error: { code: string; message: string }): boolean =>
      error.code === 'MINGA_BAD_CDX_QUERY' && error.message.includes(` ${parameter} `)
    assert.throws(() => ask(query!), isThat, query)
  }
})

test('filters match whole values, parts of them or texts, and may be turned round', async () => {
  const rows = ['200', '404', '301', '500', '-'].map((status, i) =>
    row('http://a.test/', `2026010${i + 1}000000`, {
      status,
      mime: i === 0 ? 'text/html' : 'text/plain',
    }),
  )
  const statuses = async (...filters: string[]): Promise<string[]> => {
    const given = new URLSearchParams({ url: 'a.test' })
    for (const filter of filters) given.append('filter', filter)
    const chosen = await collect(chooseRows(each(rows), parseCdxQuery(given)))
    return chosen.map(({ entry }) => entry.status)
  }
  assert.deepEqual(await statuses('statuscode:200'), ['200'])
  assert.deepEqual(await statuses('statuscode:20'), [])
  assert.deepEqual(await statuses('status:[23]..'), ['200', '301'])
  assert.deepEqual(await statuses('~status:0'), ['200', '404', '301', '500'])
  assert.deepEqual(await statuses('!statuscode:200', '!=mimetype:text/html'), [
    '404',
    '301',
    '500',
    '-',
  ])
  assert.deepEqual(await statuses('=mimetype:text/.*'), [])
  assert.deepEqual(await statuses('mime:text/.*', '!status:\\d+'), ['-'])
})

test('a filter that would run for hours elsewhere takes no time, or is refused', async () => {
  const long = row(`http://a.test/${'/a'.repeat(4_000)}`, '20260101000000')
  const query = ask(`url=a.test&filter=original:${encodeURIComponent('.*/.*/.*/.*\\.html')}`)
  const started = threadMs()
  assert.deepEqual(await collect(chooseRows(each([long]), query)), [])
  assert.ok(threadMs() - started < 1_000)
  assert.throws(() => ask('url=a.test&filter=original:(a%2B)%2B'), { code: 'MINGA_BAD_PATTERN' })
  assert.throws(() => ask('url=a.test&filter=original:a{300}'), { code: 'MINGA_BAD_PATTERN' })
})

test('collapsing keeps the first of neighbours that begin alike', async () => {
  const times = ['20260101000000', '20260101120000', '20260102000000', '20260201000000']
  const digests = ['a', 'a', 'b', 'a']
  const rows = times.map((time, i) => row('http://a.test/', time, { digest: digests[i]! }))
  const kept = async (collapse: string): Promise<number[]> => {
    const chosen = await collect(chooseRows(each(rows), ask(`url=a.test&${collapse}`)))
    return chosen.map((one) => rows.indexOf(one))
  }
  assert.deepEqual(await kept('collapse=timestamp:8'), [0, 2, 3])
  assert.deepEqual(await kept('collapse=timestamp:6'), [0, 3])
  assert.deepEqual(await kept('collapse=digest'), [0, 2, 3])
  assert.deepEqual(await kept('collapse=timestamp:6&collapse=digest'), [0])
  assert.deepEqual(await kept('collapse=urlkey'), [0])
})

test('limits count what is left after filters and collapsing', async () => {
  const numbers = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(numbers, fc.integer({ min: 0, max: 10 }), async (digests, limit) => {
      const rows = digests.map((digest) =>
        row('http://a.test/', '20260101000000', { digest: `${digest}` }),
      )
      const query = ask(`url=a.test&limit=${limit}&collapse=digest&filter=!=digest:0`)
      const expected = digests
        .filter((digest) => digest !== 0)
        .filter((digest, i, all) => digest !== all[i - 1])
        .slice(0, limit)
      const chosen = await collect(chooseRows(each(rows), query))
      assert.deepEqual(
        chosen.map(({ entry }) => Number(entry.digest)),
        expected,
      )
    }),
    { seed: 9 },
  )
})

test('answers are written as text, as JSON with a head, and as CDXJ', async () => {
  const rows = [row('http://a.test/', '20260101000000'), row('http://a.test/ü', '20260102000000')]
  const write = async (query: string): Promise<string> =>
    (await collect(writeRows(each(rows), ask(`url=a.test&${query}`)))).join('')
  assert.equal(
    await write(''),
    'test,a)/ 20260101000000 http://a.test/ text/html 200 sha256:a 1\n' +
      'test,a)/%C3%BC 20260102000000 http://a.test/ü text/html 200 sha256:a 1\n',
  )
  assert.deepEqual(JSON.parse(await write('output=json&fl=timestamp,url')), [
    ['timestamp', 'original'],
    ['20260101000000', 'http://a.test/'],
    ['20260102000000', 'http://a.test/ü'],
  ])
  assert.match(
    await write('output=cdxj'),
    /^test,a\)\/ 20260101000000 \{"url":"http:\/\/a\.test\/"/,
  )
  const cut = JSON.parse(await write('output=json&limit=2&showResumeKey=true')) as string[][]
  assert.deepEqual(cut.slice(-2), [[], ['after 20260102000000']])
  assert.match(await write('limit=2&showResumeKey=true'), /\n\nafter 20260102000000\n$/)
  assert.doesNotMatch(await write('limit=3&showResumeKey=true'), /after/)
  assert.deepEqual(
    JSON.parse((await collect(writeRows(each([]), ask('url=a.test&output=json')))).join('')),
    [['urlkey', 'timestamp', 'original', 'mimetype', 'statuscode', 'digest', 'length']],
  )
})

test('captures on both sides of a moment come by their distance from it', async () => {
  const moments = fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 20 })
  await fc.assert(
    fc.asyncProperty(moments, fc.integer({ min: 0, max: 50 }), async (times, at) => {
      const rows = times.map((time) => row('http://a.test/', String(time)))
      const timeOf = ({ entry }: CdxRow): number => Number(entry.timestamp)
      const sorted = rows.toSorted((a, b) => timeOf(a) - timeOf(b))
      const before = each(sorted.filter((one) => timeOf(one) <= at).toReversed())
      const after = each(sorted.filter((one) => timeOf(one) > at))
      const distance = (one: CdxRow): number => Math.abs(timeOf(one) - at)
      const merged = (await collect(byDistance(before, after, distance))).map(distance)
      assert.deepEqual(
        merged,
        rows.map(distance).toSorted((a, b) => a - b),
      )
    }),
    { seed: 9 },
  )
})
