// Goal: parts of a wiki are about equal in pages and in bytes, and a page never moves. Method: 100,000 pages
// with sizes as wikis have them, several wikis, several numbers of parts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seededRandom } from '@minga/testkit'
import { partOf } from './part-of.ts'

const PAGES = 100_000

/** Bytes of all texts of a page: log-normal, the largest of 100,000 some thousand times the median. */
function historyBytes(seed: number): number[] {
  const random = seededRandom(seed)
  return Array.from({ length: PAGES }, () => {
    const normal =
      Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next())
    return Math.round(50_000 * Math.exp(1.7 * normal))
  })
}

/** Between the largest and the smallest part, relative to the mean. */
function spread(sums: number[]): number {
  const mean = sums.reduce((sum, one) => sum + one, 0) / sums.length
  return (Math.max(...sums) - Math.min(...sums)) / mean
}

test('Sharding: parts of 100,000 pages differ by less than a fifth, in pages and in bytes', () => {
  for (const wikiId of [1, 2, 3, 40, 1_000_003]) {
    const bytes = historyBytes(wikiId)
    for (const parts of [2, 4, 8]) {
      const pagesOf = Array.from({ length: parts }, () => 0)
      const bytesOf = Array.from({ length: parts }, () => 0)
      for (const [index, size] of bytes.entries()) {
        const part = partOf(wikiId, index + 1, parts)
        pagesOf[part]! += 1
        bytesOf[part]! += size
      }
      assert.ok(spread(pagesOf) < 0.05, `${parts} parts, pages ${pagesOf.join(' ')}`)
      assert.ok(spread(bytesOf) < 0.2, `${parts} parts, bytes ${bytesOf.join(' ')}`)
    }
  }
})

test('a page is in one part for ever, and the same page of another wiki elsewhere as often as not', () => {
  // Pinned: files are named after parts, so another answer in a later version would lose them.
  const parts = [1, 2, 3, 630_354, 2 ** 40].map((pageId) => partOf(1, pageId, 16))
  assert.deepEqual(parts, [10, 8, 6, 14, 15])
  let same = 0
  for (let pageId = 0; pageId < 10_000; pageId += 1) {
    if (partOf(1, pageId, 2) === partOf(2, pageId, 2)) same += 1
  }
  assert.ok(same > 4_700 && same < 5_300, `${same} of 10,000`)
})
