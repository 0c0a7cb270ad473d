// Goal: the seen-set's hash spreads well, and a collision loses no URL. Method: buckets of similar
// addresses against what chance allows, and two URLs forced onto one number through the table.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { assertCountsAddUp } from '../../test/recount-fixture.ts'
import { openStation } from '../../test/station-fixture.ts'
import { urlHash } from './url-hash.ts'

test('hashes are safe integers above zero with room to probe upwards', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.webUrl({ withQueryParameters: true })), (url) => {
      const hash = urlHash(url)
      assert.ok(Number.isSafeInteger(hash + 1_000) && hash > 0)
      assert.equal(urlHash(url), hash)
    }),
    { numRuns: 20_000 },
  )
})

test('similar addresses spread evenly and do not collide', () => {
  const shapes = [
    (i: number) => `http://example.org/p/${i}`,
    (i: number) => `http://example.org/?page=${i}&sort=asc`,
    (i: number) => `http://example.org/${'a/'.repeat(i % 50)}${i}`,
  ]
  for (const shape of shapes) {
    const count = 200_000
    const buckets = new Uint32Array(1_000)
    const high = new Uint32Array(1_024)
    const seen = new Set<number>()
    for (let i = 0; i < count; i++) {
      const hash = urlHash(shape(i))
      seen.add(hash)
      buckets[hash % 1_000]!++
      high[Math.floor(hash / 2 ** 42)]!++
    }
    assert.equal(seen.size, count, 'of 200,000 in 2^52 none should meet')
    // Five standard deviations of a fair draw.
    for (const [cells, list] of [
      [1_000, buckets],
      [1_024, high],
    ] as const) {
      const mean = count / cells
      for (const n of list) assert.ok(Math.abs(n - mean) < 6 * Math.sqrt(mean), `${n} of ${mean}`)
    }
  }
})

for (const engine of ENGINES) {
  describe(`Collisions on ${engine.name}`, { skip: engine.skip }, () => {
    test('URLs whose number is taken by another are stored separately and found again', async () => {
      const station = await openStation(engine)
      const id = await station.open({ seeds: ['http://10.1.0.1/other'] })
      const wanted = 'http://10.1.0.1/wanted'
      // The other URL sits on both of the numbers that would be tried first.
      await station.change('UPDATE urls SET hash = ?', [urlHash(wanted)])
      assert.equal(await station.discover(id, [wanted]), 1)
      assert.equal(await station.discover(id, [wanted]), 0, 'it is seen')
      const rows = await station.query<{ url: string; hash: number }>(
        'SELECT url, hash FROM urls ORDER BY hash',
      )
      assert.deepEqual(
        rows.map((row) => ({ ...row })),
        [
          { url: 'http://10.1.0.1/other', hash: urlHash(wanted) },
          { url: wanted, hash: urlHash(wanted) + 1 },
        ],
      )
      await assertCountsAddUp(station)
    })
  })
}
