// Goal: every kept capture is a whole record at its place in the archive, and a payload is kept once.
// Method: uploads of the agent's recorder; what is in the files is read back by the archive's reader.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  readRecordAt,
  referenceOf,
  verifyWarc,
  type Finding,
  type WarcRecord,
} from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import {
  leasedRequestsOf,
  openStation,
  type Page,
  type TestStation,
  type Web,
} from '../../test/station-fixture.ts'

const SAME = '<p>the same words under two addresses'

function recordOf({ data }: TestStation, row: CaptureRow): Promise<WarcRecord> {
  return readRecordAt(join(data, 'archive', row.file), row.offset, row.length)
}

async function problemsIn(station: TestStation): Promise<Finding[]> {
  const [{ file }] = (await station.captures()) as [CaptureRow]
  const findings: Finding[] = []
  for await (const finding of verifyWarc(join(station.data, 'archive', file)))
    findings.push(finding)
  return findings
}

for (const engine of ENGINES) {
  describe(`Kept captures on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine })

    test('are whole records of their own address, in a file that others can read', async () => {
      const web: Web = {
        'http://a.test/': { body: '<a href="/b">' },
        'http://a.test/b': { status: 500, body: 'broken' },
      }
      const { id } = await station.crawl({ seeds: ['http://a.test/'], retries: 0 }, web)
      const rows = await station.captures(`?collectionId=${id}`)
      assert.deepEqual(
        rows.map(({ url, status }) => [url, status]),
        [
          ['http://a.test/robots.txt', 404],
          ['http://a.test/', 200],
          ['http://a.test/b', 500],
        ],
      )
      for (const row of rows) {
        const { headers, type } = await recordOf(station, row)
        assert.equal(type, 'response')
        assert.equal(headers.uri('WARC-Target-URI'), row.url)
        assert.equal(headers.get('WARC-Payload-Digest'), row.digest)
      }
      assert.deepEqual(await problemsIn(station), [])
    })

    test('of a payload that is known become references, in one upload and in the next', async () => {
      const web: Web = {
        'http://b.test/1': { body: SAME },
        'http://b.test/2': { body: SAME },
        'http://c.test/3': { body: SAME },
      }
      const before = (await station.captures('?newest=true'))[0]!.id
      const first = await station.crawl({ seeds: ['http://b.test/1', 'http://b.test/2'] }, web)
      const second = await station.crawl({ seeds: ['http://c.test/3'] }, web)
      assert.deepEqual([first.duplicates, second.duplicates], [1, 1])
      const rows = await station.captures(`?afterId=${before}`)
      const pages = rows.filter(({ status }) => status === 200)
      assert.deepEqual(pages.map(({ kind }) => kind).toSorted(), ['response', 'revisit', 'revisit'])
      const original = pages.find(({ kind }) => kind === 'response')!
      for (const row of pages.filter(({ kind }) => kind === 'revisit')) {
        const { type, headers } = await recordOf(station, row)
        assert.equal(type, 'revisit')
        assert.equal(headers.uri('WARC-Refers-To-Target-URI'), original.url)
        assert.equal(String((await station.content(row.url)).body), SAME)
      }
      assert.deepEqual(await problemsIn(station), [])
    })

    const referencesOf = async (from: number): Promise<unknown[]> => {
      const rows = await station.captures(`?afterId=${from}`)
      const revisits = rows.filter(({ kind }) => kind === 'revisit')
      const records = await Promise.all(revisits.map((row) => recordOf(station, row)))
      return records.map(({ headers }) => referenceOf(headers))
    }
    const newestId = async (): Promise<number> => (await station.captures('?newest=true'))[0]!.id
    const referenceTo = async (url: string): Promise<unknown> => {
      const [row] = (await station.captures(`?url=${url}`)) as [CaptureRow]
      const { headers, type } = await recordOf(station, row)
      assert.equal(type, 'response')
      return { id: headers.get('WARC-Record-ID'), url, at: row.capturedAt }
    }

    let rounds = 0
    /** Another seed makes it another collection: one of the same seeds would be the same. */
    const seedsOf = (url: string): string[] => [url, `http://f.test/round/${++rounds}`]

    test('refer to the response that holds their payload, never to another revisit', async () => {
      const web: Web = {
        'http://f.test/same2': { body: `${SAME} in f` },
        'http://f.test/same1': { body: `${SAME} in f` },
      }
      const from = await newestId()
      for (const path of ['same2', 'same1', 'same1', 'same1', 'same2']) {
        await station.crawl({ seeds: seedsOf(`http://f.test/${path}`), scope: 'page' }, web)
      }
      const right = await referenceTo('http://f.test/same2')
      // What an agent is sent out with names it already.
      const seeds = seedsOf('http://f.test/same1')
      const { id } = await station.collect({ seeds, scope: 'page', delayMs: 0 })
      const asked = leasedRequestsOf(await station.lease()).map(({ request }) => request.previous)
      const { recordId, url, capturedAt } = asked.find((previous) => previous !== null)!
      assert.deepEqual({ id: recordId, url, at: capturedAt }, right)
      await station.post(`/collections/${id}/cancel`)
      assert.deepEqual(await referencesOf(from), [right, right, right, right])
      assert.deepEqual(await problemsIn(station), [])
    })

    test('that were not modified refer to the response, also when a revisit came between', async () => {
      const url = 'http://g.test/picture'
      const page: Page = { type: 'image/png', body: 'a picture', headers: [['ETag', '"1"']] }
      const from = await newestId()
      for (const answer of [page, page, { ...page, body: '', status: 304 }]) {
        await station.crawl({ seeds: seedsOf(url), scope: 'page' }, { [url]: answer })
      }
      const right = await referenceTo(url)
      assert.deepEqual(await referencesOf(from), [right, right])
    })

    test('whose payload was taken down meanwhile are not kept, but asked for whole', async () => {
      const url = 'http://h.test/'
      const web: Web = { [url]: { body: 'soon gone' } }
      await station.crawl({ seeds: [url], scope: 'page' }, web)
      const seeds = [url, 'http://h.test/other']
      const { id } = await station.collect({ seeds, scope: 'page', delayMs: 0 })
      const parcels = station.fetch(await station.lease(), web)
      assert.ok(
        parcels.some(({ result }) => result.type === 'captured' && result.record === 'revisit'),
      )
      await station.post('/takedowns', { urls: [url], reason: 'asked', versions: 'all' })
      await station.send(parcels)
      assert.deepEqual(await station.captures(`?collectionId=${id}&url=${url}`), [])
      await station.send(station.fetch(await station.lease(), web))
      const kept = await station.captures(`?collectionId=${id}&url=${url}`)
      assert.deepEqual(
        kept.map(({ kind }) => kind),
        ['response'],
      )
    })

    test('of errors, of robots.txt and of nothing are never references', async () => {
      const web: Web = {}
      for (const name of ['d', 'e']) {
        web[`http://${name}.test/robots.txt`] = { type: 'text/plain', body: 'User-agent: *' }
        web[`http://${name}.test/404`] = { status: 404, body: 'not here' }
        web[`http://${name}.test/empty`] = { body: '' }
      }
      const seeds = Object.keys(web).filter((url) => !url.endsWith('robots.txt'))
      const { duplicates, id } = await station.crawl({ seeds }, web)
      assert.equal(duplicates, 0)
      const rows = await station.captures(`?collectionId=${id}`)
      assert.deepEqual([...new Set(rows.map(({ kind }) => kind))], ['response'])
      assert.equal(rows.length, 6)
    })
  })
}
