// Goal: the index answers every common question exactly, in small steps and on both databases. Method: captures
// put into real stores, answers over real HTTP compared with plain filters over the same captures.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, test } from 'node:test'
import { cdxjTimestamp, searchKey } from '@minga/archive'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { openPeople } from '../../../test/accounts/people-fixture.ts'
import { DAY_MS, openArchive } from '../../../test/archive/archive-fixture.ts'

const T = Date.UTC(2026, 0, 1)
const URLS = [
  'http://a.test/',
  'https://a.test/',
  'http://a.test/b',
  'http://a.test/b/c?y=2&x=1',
  'http://sub.a.test/',
  'http://a.test:8080/',
  'http://b.test/',
  `http://c.test/${'long/'.repeat(400)}1`,
  `http://c.test/${'long/'.repeat(400)}2`,
]
const CAPTURES = URLS.flatMap((url, i) =>
  [0, 1, 2, 3].map((day) => ({
    url,
    capturedAt: T + day * DAY_MS + i * 1_000,
    status: day === 3 ? 404 : 200,
    digest: `sha256:${Math.floor(day / 2)}`,
  })),
)
const inOrder = CAPTURES.map(({ url, capturedAt }) => ({ key: searchKey(url), url, capturedAt }))
  .toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : a.capturedAt - b.capturedAt))
  .map(({ url, capturedAt }) => `${url} ${cdxjTimestamp(capturedAt)}`)

for (const engine of ENGINES) {
  describe(`The index on ${engine.name}`, { skip: engine.skip }, async () => {
    const archive = await openArchive({ engine })
    await archive.keepRows(...CAPTURES)
    const ask = async (query: string): Promise<string[]> => {
      const text = await archive.text(`/cdx?fl=original,timestamp&${query}`)
      return text.split('\n').filter((line) => line !== '')
    }
    const isOfA = (line: string): boolean => /\/\/(sub\.)?a\.test[:/]/.test(line)

    test('answers for an address, a prefix, a host and a domain in order', async () => {
      const only = (isWanted: (line: string) => boolean): string[] => inOrder.filter(isWanted)
      assert.deepEqual(
        await ask('url=http://a.test/'),
        only((line) => /^https?:\/\/a\.test\/ /.test(line)),
      )
      assert.deepEqual(
        await ask('url=a.test/b*'),
        only((line) => line.includes('//a.test/b')),
      )
      assert.deepEqual(
        await ask('url=a.test&matchType=host'),
        only((line) => line.includes('//a.test/')),
      )
      assert.deepEqual((await ask('url=*.a.test')).toSorted(), only(isOfA).toSorted())
      const long = URLS.at(-1)!
      assert.deepEqual(
        await ask(`url=${long}`),
        only((line) => line.startsWith(`${long} `)),
      )
      assert.deepEqual(await ask('url=http://nowhere.test/'), [])
    })

    test('answers for a time, from the end, backwards and by distance', async () => {
      const all = await ask('url=http://b.test/')
      assert.equal(all.length, 4)
      assert.deepEqual(await ask('url=http://b.test/&from=20260102&to=20260103'), all.slice(1, 3))
      assert.deepEqual(await ask('url=http://b.test/&limit=-2'), all.slice(-2))
      assert.deepEqual(await ask('url=http://b.test/&sort=reverse'), all.toReversed())
      assert.deepEqual(await ask('url=http://b.test/&sort=reverse&limit=1'), all.slice(-1))
      const [first, second, third, fourth] = all
      const near = await ask('url=http://b.test/&sort=closest&closest=20260103')
      assert.deepEqual(near, [third, second, fourth, first])
      const domain = await ask('url=*.a.test')
      assert.deepEqual(await ask('url=*.a.test&sort=reverse'), domain.toReversed())
      assert.deepEqual(await ask('url=*.a.test&limit=-5'), domain.slice(-5))
    })

    test('filters and collapses as it goes', async () => {
      assert.equal((await ask('url=*.a.test&filter=statuscode:404')).length, 6)
      assert.deepEqual(
        (await ask('url=http://b.test/&collapse=digest')).map((line) => line.slice(-14, -6)),
        ['20260101', '20260103'],
      )
    })

    test('continues where an answer ended, forwards and backwards', async () => {
      for (const sort of ['', '&sort=reverse']) {
        const whole = await ask(`url=*.a.test${sort}`)
        const parts: string[] = []
        let resume = ''
        for (;;) {
          const query = `url=*.a.test${sort}&limit=7&showResumeKey=true${resume}`
          const text = await archive.text(`/cdx?fl=original,timestamp&${query}`)
          const [lines = '', key] = text.split('\n\n')
          parts.push(...lines.split('\n').filter((line) => line !== ''))
          if (key === undefined) break
          resume = `&resumeKey=${key.trim()}`
        }
        assert.deepEqual(parts, whole)
      }
      const bad = await archive.get('/cdx?url=a.test&resumeKey=nonsense')
      assert.equal(bad.status, 400)
      assert.match(await bad.text(), /MINGA_BAD_CDX_QUERY/)
    })

    test('comes in pages of addresses that together are the whole', async () => {
      const whole = await ask('url=*.a.test')
      const pages = Number(await archive.text('/cdx?url=*.a.test&pageSize=2&showNumPages=true'))
      assert.equal(pages, 3)
      const parts: string[][] = []
      for (let page = 0; page <= pages; page++) {
        parts.push(await ask(`url=*.a.test&pageSize=2&page=${page}`))
      }
      assert.deepEqual(parts.flat(), whole)
      assert.deepEqual(parts.at(-1), [])
      const json = await archive.json('/cdx?url=*.a.test&pageSize=2&showNumPages=true&output=json')
      assert.deepEqual(json, [['numpages'], ['3']])
    })

    test('has a capture as soon as it is kept', async () => {
      await archive.keepRows({ url: 'http://new.test/', capturedAt: T })
      assert.deepEqual(await ask('url=new.test'), ['http://new.test/ 20260101000000'])
      await archive.keepRows({ url: 'http://new.test/', capturedAt: T - DAY_MS })
      assert.equal((await ask('url=new.test'))[0], 'http://new.test/ 20251231000000')
    })

    test('streams an answer of more rows than it reads at once, over more addresses too', async () => {
      const many = Array.from({ length: 5_000 }, (_, i) => ({
        url: `http://many.test/${i % 4_500}`,
        capturedAt: T + i,
      }))
      await archive.keepRows(...many)
      const lines = await ask('url=many.test&matchType=host')
      assert.equal(lines.length, 5_000)
      assert.equal(new Set(lines).size, 5_000)
      const late = await ask(`url=many.test&matchType=host&from=2027`)
      assert.deepEqual(late, [])
    })
  })
}

test('WARC write, index, replay by URL+date: a capture of a crawl is found by address and time within a second, with the same digest', async () => {
  const archive = await openArchive()
  const url = 'http://row.test/'
  const pages = Array.from({ length: 500 }, (_, i) => ({
    url: `http://row.test/${i}`,
    capturedAt: T + i,
  }))
  await archive.keepRows(...pages)
  await archive.station.crawl({ seeds: [url] }, { [url]: { body: '<p>the bytes' } })
  const [capture] = await archive.station.captures(`?url=${url}`)
  let [line, fastestMs]: [string[], number] = [[], Infinity]
  // The fastest of three: other programs share the machine.
  for (let tries = 0; tries < 3; tries++) {
    const started = performance.now()
    const rows = await archive.json<string[][]>(
      `/cdx?url=${url}&output=json&fl=timestamp,digest&limit=-1`,
    )
    fastestMs = Math.min(fastestMs, performance.now() - started)
    line = rows[1]!
  }
  assert.ok(fastestMs < 1_000)
  assert.deepEqual(line, [cdxjTimestamp(capture!.capturedAt), capture!.digest])
  const memento = await archive.get(`/memento/${line[0]}/${url}`)
  const body = Buffer.from(await memento.arrayBuffer())
  assert.equal(String(body), '<p>the bytes')
  assert.equal(`sha256:${createHash('sha256').update(body).digest('hex')}`, capture!.digest)
})

test('Dedup at acquisition: two identical crawls leave one payload and a revisit that refers to it', async () => {
  const archive = await openArchive()
  const url = 'http://twice.test/'
  const web = { [url]: { body: '<p>the same' } }
  await archive.station.crawl({ seeds: [url] }, web)
  await archive.station.clock.advance(DAY_MS)
  await archive.station.crawl({ seeds: [url], scope: 'page' }, web)
  const rows = await archive.json<string[][]>(`/cdx?url=${url}&output=json&fl=mimetype,digest`)
  const [, first, second] = rows
  assert.deepEqual([first![0], second![0]], ['text/html', 'warc/revisit'])
  assert.equal(first![1], second![1])
})

test('beyond its own machine the archive answers those who may read captures', async () => {
  const people = await openPeople({ readOpenly: false, registration: 'operator' })
  const { token } = await people.person('reading', 'reader')
  const { token: volunteer } = await people.person('lending', 'volunteer')
  const statusOf = async (url: string, bearer?: string): Promise<number> => {
    const headers = { host: 'localhost', ...(bearer && { authorization: `Bearer ${bearer}` }) }
    return (await people.station.app.inject({ url, headers })).statusCode
  }
  for (const path of [
    '/cdx?url=a.test',
    '/memento/timegate/http://a.test/',
    '/memento/20260101000000/a.test',
  ]) {
    assert.equal(await statusOf(path), 401, path)
    assert.equal(await statusOf(path, volunteer), 403, path)
    assert.ok([200, 404].includes(await statusOf(path, token)), path)
  }
})
