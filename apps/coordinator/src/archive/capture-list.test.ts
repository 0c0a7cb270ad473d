// Goal: captures of a collection of any size are listed by the page and filtered, and what was kept can be taken
// out whole. Method: rows and records in real stores of both kinds, every answer compared with what was put in.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { readRecords } from '@minga/archive'
import type { ArchiveSizes, CapturePage, Tombstone } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openArchive, type TestArchive } from '../../test/archive/archive-fixture.ts'

const T = Date.UTC(2026, 0, 1)
const MINUTE_MS = 60_000
const ROWS = 12_000

/** Every tenth is an image, every hundredth missing, every fiftieth unchanged. */
async function keepMany(archive: TestArchive): Promise<void> {
  for (let at = 0; at < ROWS; at += 4_000) {
    await archive.keepRows(
      ...Array.from({ length: 4_000 }, (_, i) => ({
        url: `http://many.test/${at + i === 77 ? 'needle' : at + i}`,
        capturedAt: T + (at + i) * MINUTE_MS,
        mime: (at + i) % 10 === 0 ? 'image/png' : 'text/html',
        status: (at + i) % 100 === 1 ? 404 : 200,
        kind: (at + i) % 50 === 2 ? ('revisit' as const) : ('response' as const),
        payloadBytes: 100,
      })),
    )
  }
}

async function listed(archive: TestArchive, query: string): Promise<CapturePage> {
  return archive.json<CapturePage>(`/api/archive/captures?collectionId=0&${query}`)
}

for (const engine of ENGINES) {
  const options = { skip: engine.skip }

  test(
    `captures are listed by the page, newest first, none twice and none left out (${engine.name})`,
    options,
    async () => {
      const archive = await openArchive({ engine })
      await keepMany(archive)
      const seen = new Set<number>()
      let after = ''
      let last = Number.POSITIVE_INFINITY
      do {
        const page = await listed(archive, `limit=500${after}`)
        for (const { id } of page.captures) {
          assert.ok(id < last)
          last = id
          seen.add(id)
        }
        after = page.next === null ? '' : `&after=${page.next}`
      } while (after !== '')
      assert.equal(seen.size, ROWS)
      const oldest = await listed(archive, 'order=oldest&limit=1')
      assert.equal(oldest.captures[0]!.url, 'http://many.test/0')

      const images = await listed(archive, 'type=image&limit=500')
      assert.ok(images.captures.every(({ mime }) => mime === 'image/png'))
      assert.equal(images.captures.length, 500)
      const missing = await listed(archive, 'status=4&limit=500')
      assert.equal(missing.captures.length, ROWS / 100)
      assert.equal(missing.next, null)
      const found = await listed(archive, 'text=NEEDLE')
      assert.deepEqual(
        found.captures.map(({ url }) => url),
        ['http://many.test/needle'],
      )
      const early = await listed(archive, `kind=revisit&from=${T}&to=${T + 99 * MINUTE_MS}`)
      assert.equal(early.captures.length, 2)
      const percent = await listed(archive, 'text=%25')
      assert.deepEqual(percent.captures, [])

      const sizes = await archive.json<ArchiveSizes>('/api/archive/sizes')
      assert.equal(sizes.captures, ROWS)
      assert.equal(sizes.revisits, ROWS / 50)
      assert.equal(sizes.savedBytes, (ROWS / 50) * 100)
      assert.equal(sizes.storedBytes, ROWS * 10)
      await archive.keepRows({ url: 'http://many.test/new', capturedAt: T, payloadBytes: 7 })
      const more = await archive.json<ArchiveSizes>('/api/archive/sizes?collectionId=0')
      assert.equal(more.payloadBytes, ROWS * 100 + 7)
    },
  )

  test(
    `captures of one address go on where a page ended, and addresses are searched by what their captures are (${engine.name})`,
    options,
    async () => {
      const archive = await openArchive({ engine })
      const url = 'http://often.test/'
      await archive.keepRows(
        ...Array.from({ length: 7 }, (_, i) => ({
          url,
          capturedAt: T + i * MINUTE_MS,
          status: i === 3 ? 500 : 200,
        })),
        { url: 'http://often.test/logo', capturedAt: T, mime: 'image/svg+xml' },
      )
      const path = `/api/archive/captures?url=${encodeURIComponent(url)}&limit=3`
      const first = await archive.json<CapturePage>(path)
      const second = await archive.json<CapturePage>(`${path}&after=${first.next}`)
      const third = await archive.json<CapturePage>(`${path}&after=${second.next}`)
      const minutes = [first, second, third].flatMap(({ captures }) =>
        captures.map(({ capturedAt }) => (capturedAt - T) / MINUTE_MS),
      )
      assert.deepEqual(minutes, [6, 5, 4, 3, 2, 1, 0])
      assert.equal(third.next, null)
      const search = async (query: string): Promise<string[]> => {
        const { urls } = await archive.json<{ urls: { url: string }[] }>(
          `/api/archive/search?q=often&${query}`,
        )
        return urls.map((one) => one.url)
      }
      assert.deepEqual(await search('type=image'), ['http://often.test/logo'])
      assert.deepEqual(await search('status=5'), [url])
      assert.deepEqual(await search(`from=${T + MINUTE_MS}`), [url])
      assert.equal((await archive.get('/api/archive/captures?after=nonsense')).status, 400)
    },
  )

  test(
    `a record, an index and a whole collection are taken out, and tombstones are listed (${engine.name})`,
    options,
    async () => {
      const archive = await openArchive({ engine })
      const { station } = archive
      const web = {
        'http://press.test/': { body: '<title>Front</title><a href="/b">b</a>' },
        'http://press.test/b': { body: '<title>Second</title>' },
      }
      const { id } = await station.crawl({ seeds: ['http://press.test/'] }, web)
      const record = await archive.get(
        `/api/captures/record?url=${encodeURIComponent('http://press.test/b')}`,
      )
      assert.equal(record.headers.get('content-type'), 'application/warc')
      const types: string[] = []
      for await (const item of readRecords(Buffer.from(await record.arrayBuffer()))) {
        assert.ok(!('damage' in item))
        types.push(item.type)
      }
      assert.deepEqual(types, ['warcinfo', 'response'])

      const cdxj = await archive.text(`/api/archive/collections/${id}/cdxj`)
      assert.equal(cdxj.trim().split('\n').length, 3)
      const wacz = await archive.get(`/api/archive/collections/${id}/wacz`)
      assert.match(wacz.headers.get('content-disposition')!, /collection-\d+\.wacz/)
      const bytes = Buffer.from(await wacz.arrayBuffer())
      assert.equal(bytes.subarray(0, 2).toString(), 'PK')
      assert.ok(bytes.includes('datapackage.json') && bytes.includes('"title":"Front"'))
      assert.equal((await archive.get('/api/archive/collections/99/wacz')).status, 404)

      await station.post('/takedowns', { urls: ['http://press.test/b'], reason: 'They asked.' })
      const stones = await archive.json<Tombstone[]>(
        `/api/archive/tombstones?url=${encodeURIComponent('http://press.test/b')}`,
      )
      assert.deepEqual(
        stones.map(({ reason }) => reason),
        ['They asked.'],
      )
      assert.ok(
        !gunzipSync(
          Buffer.from(
            await (
              await archive.get(
                `/api/captures/record?url=${encodeURIComponent('http://press.test/')}`,
              )
            ).arrayBuffer(),
          ),
        ).includes('Second'),
      )
    },
  )
}
