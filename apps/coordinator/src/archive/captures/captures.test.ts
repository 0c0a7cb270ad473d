// Goal: captures are found by address, time and page of a list, exactly and on both databases. Method: rows
// put into real stores, and every answer compared with a plain filter over the same rows.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CaptureRow } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { ImportedCapture, ImportStep } from '../import/import-captures.ts'
import { openStation } from '../../../test/station-fixture.ts'

const A = 'http://a.test/page'
const B = 'https://b.test/'

let offset = 0
function capture(url: string, capturedAt: number, part: Partial<ImportedCapture> = {}) {
  const facts = { kind: 'response' as const, status: 200, mime: 'text/html', payloadBytes: 1 }
  offset += 10
  return {
    url,
    capturedAt,
    ...facts,
    digest: `sha256:${url}`,
    offset,
    length: 10,
    recordId: null,
    ...part,
  }
}

for (const engine of ENGINES) {
  describe(`Captures on ${engine.name}`, { skip: engine.skip }, async () => {
    const { store } = await openStation({ engine })
    // Two captures of one moment; ids are not in the order of time.
    const captures = [
      capture(A, 3_000),
      capture(B, 1_000),
      capture(A, 1_000),
      capture(A, 5_000),
      capture(A, 3_000),
      capture(`${A}?x=1`, 4_000),
    ]
    const step: ImportStep = { file: 'f.warc.gz', captures, total: captures.length }
    await store.call('importCaptures', step)
    const list = (query: object): Promise<CaptureRow[]> =>
      store.call('listCaptures', { limit: 100, ...query })
    const idsOf = (rows: CaptureRow[]): number[] => rows.map(({ id }) => id)
    const all = await list({})

    test('are listed in the order they came, oldest or newest first', async () => {
      assert.deepEqual(
        all.map(({ url, capturedAt }) => [url, capturedAt]),
        captures.map(({ url, capturedAt }) => [url, capturedAt]),
      )
      assert.deepEqual(idsOf(await list({ newestFirst: true })), idsOf(all).toReversed())
    })

    test('come page by page without a gap or a repetition, of all and of one address', async () => {
      for (const url of [undefined, A]) {
        const whole = await list(url === undefined ? {} : { url })
        const paged: CaptureRow[] = []
        for (;;) {
          const last = paged.at(-1)
          const after = last && { afterId: last.id, ...(url && { afterAt: last.capturedAt }) }
          const page = await list({ limit: 2, ...(url && { url }), ...after })
          if (page.length === 0) break
          paged.push(...page)
        }
        assert.deepEqual(paged, whole)
      }
    })

    test('of an address are in the order of time, however the address is written', async () => {
      const times = (await list({ url: A })).map(({ capturedAt }) => capturedAt)
      assert.deepEqual(times, [1_000, 3_000, 3_000, 5_000])
      assert.deepEqual(await list({ url: 'HTTP://A.test:80/page#part' }), await list({ url: A }))
      for (const url of ['http://a.test/', 'http://nowhere.test/', 'no address', '', 'x://\0/']) {
        assert.deepEqual(await list({ url }), [], JSON.stringify(url))
      }
    })

    test('of one collection are distinguished from imported ones', async () => {
      assert.equal((await list({ collectionId: 0 })).length, 6)
      assert.equal((await list({ collectionId: 1 })).length, 0)
    })

    test('at a time are the nearest earlier ones', async () => {
      const at = async (time: number | null): Promise<number | undefined> => {
        const place = await store.call('captureContent', { url: A, at: time })
        return place?.capture.capturedAt
      }
      assert.equal(await at(null), 5_000)
      assert.equal(await at(5_000), 5_000)
      assert.equal(await at(4_999), 3_000)
      assert.equal(await at(3_000), 3_000)
      assert.equal(await at(1_000), 1_000)
      assert.equal(await at(999), undefined)
    })

    test('that repeat an earlier payload are shown with it, and alone when it is missing', async () => {
      const digest = 'sha256:original'
      const url = 'http://c.test/'
      const more = [
        capture(url, 1_000, { digest }),
        capture(url, 2_000, { digest, kind: 'revisit' }),
        capture('http://d.test/', 2_000, { digest: 'sha256:lost', kind: 'revisit' }),
      ]
      await store.call('importCaptures', { file: 'g.warc.gz', captures: more, total: 3 })
      const found = await store.call('captureContent', { url, at: null })
      assert.deepEqual([found?.capture.capturedAt, found?.payload?.capturedAt], [2_000, 1_000])
      const lost = await store.call('captureContent', {
        url: 'http://d.test/',
        at: null,
      })
      assert.equal(lost?.payload, null)
    })

    test('are summed up with what is written, indexed and unfinished', async () => {
      const half = [capture('http://e.test/', 1)]
      await store.call('importCaptures', { file: 'half.warc.gz', captures: half, total: null })
      const facts = await store.call('archiveFacts', {})
      assert.equal(facts.captures, 10)
      assert.equal(facts.lastId, idsOf(await list({})).at(-1))
      assert.equal(facts.indexedUpTo, 0)
      assert.deepEqual(facts.files, [])
      assert.deepEqual(facts.unfinishedImports, ['half.warc.gz'])
    })

    test('of an import that is repeated after a crash are there once', async () => {
      const file = 'again.warc.gz'
      const [first, second] = [capture('http://f.test/1', 1), capture('http://f.test/2', 2)]
      const send = (part: Omit<ImportStep, 'file'>): Promise<void> =>
        store.call('importCaptures', { file, ...part })
      await send({ captures: [first], total: null })
      await send({ captures: [first, second], total: null })
      assert.equal(await store.call('importedTotal', { file }), null)
      await send({ captures: [first, second], total: 2 })
      await send({ captures: [first, second], total: 2 })
      assert.equal(await store.call('importedTotal', { file }), 2)
      const rows = (await list({})).filter((row) => row.file === file)
      assert.deepEqual(
        rows.map(({ url }) => url),
        ['http://f.test/1', 'http://f.test/2'],
      )
    })
  })
}
