// Goal: paging downwards shows every capture of a collection exactly once. Method: random ids with gaps, of
// several collections, against a filter.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assert as check, asyncProperty, integer, uniqueArray } from 'fast-check'
import type { Capture } from '../api/api-types.ts'
import { capturePage, PAGE_ROWS } from './capture-pages.ts'

test('pages together hold every capture of the collection once, newest first', async () => {
  const ids = uniqueArray(integer({ min: 1, max: 3_000 }), { maxLength: 400 })
  await check(
    asyncProperty(ids, integer({ min: 1, max: 5 }), async (numbers, collections) => {
      const all = numbers
        .toSorted((a, b) => a - b)
        .map((id) => ({ id, collectionId: id % collections }) as Capture)
      const ours = all.filter(({ collectionId }) => collectionId === 0).toReversed()
      const source = {
        collectionId: 0,
        readNewest: async (limit: number) => ours.slice(0, limit),
        readAfter: async (afterId: number, limit: number) =>
          all.filter(({ id }) => id > afterId).slice(0, limit),
      }
      const seen: Capture[] = []
      for (let before: number | null = null; before !== 0;) {
        const page = await capturePage(source, before)
        assert.ok(page.captures.length <= PAGE_ROWS)
        seen.push(...page.captures)
        before = page.before
      }
      assert.deepEqual(seen, ours)
    }),
    { numRuns: 200 },
  )
})
