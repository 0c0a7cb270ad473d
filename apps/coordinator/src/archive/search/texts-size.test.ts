// Goal: a search in a hundred thousand texts is fast enough for a waiting user. Method: synthetic
// texts put into the index directly, on both engines, with MINGA_LONG=1; else a thousand. Times are
// reported, and only much longer ones fail.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { NO_FILTER } from '../capture-filter.ts'
import { foldedText } from './words.ts'
import { textQuery } from './text-query.ts'
import { OPERATIONS } from '../../../test/archive/search/texts-fixture.ts'
import type { TextsFixtureOperations } from '../../../test/archive/search/texts-fixture-operations.ts'

const TEXTS = process.env['MINGA_LONG'] === '1' ? 100_000 : 1_000
const AT_ONCE = 500
/** Ten times what it takes on a quiet machine: a busy one must not fail it. */
const MOST_MS = 1_000

/** The same at every run; few words are frequent, as in every language. */
function textOf(number: number): string {
  const words = Array.from({ length: 60 }, (_, i) => {
    const share = ((number * 7_919 + i * 104_729) % 10_007) / 10_007
    return `w${Math.floor(20_000 * share ** 3).toString(36)}`
  })
  return `casa ${words.join(' ')} n${number}`
}

const captureOf = (number: number) => ({
  url: `http://size.test/${number}`,
  capturedAt: number,
  kind: 'response' as const,
  status: 200,
  mime: 'text/html',
  payloadBytes: 1,
  digest: `sha256:${number}`,
  offset: number * 10,
  length: 10,
  recordId: null,
  title: null,
})

for (const engine of ENGINES) {
  describe(`${TEXTS} texts on ${engine.name}`, { skip: engine.skip }, () => {
    test('are searched quickly, whether few or all have the words', async (context) => {
      const store = await (
        await engine.home()
      ).openHere<TextsFixtureOperations>({ operations: OPERATIONS })
      try {
        for (let from = 0; from < TEXTS; from += AT_ONCE) {
          const numbers = Array.from({ length: AT_ONCE }, (_, i) => from + i)
          await store.call('importCaptures', {
            file: `rows-${from}.warc.gz`,
            captures: numbers.map(captureOf),
            total: AT_ONCE,
          })
          const read = await store.call('readTexts', { most: AT_ONCE, now: 0 })
          await store.call('commitTexts', {
            turn: read.turn,
            cursor: { last: read.ids.at(-1)!, holes: [] },
            texts: numbers.map((number) => ({
              digest: `sha256:${number}`,
              bytes: new Uint8Array(1),
              words: foldedText(textOf(number)),
            })),
            captures: read.captures.map(({ id, digest }) => [id, digest] as const),
          })
        }
        const filter = { ...NO_FILTER, collectionId: null, host: null }
        for (const q of ['casa', `n${TEXTS - 7}`, 'w0 w1', '"casa w0"', 'casa -w0', 'w1*']) {
          const query = textQuery(q)!
          const startedMs = performance.now()
          const asked = { query, filter, after: null, limit: 20 }
          const { texts } = await store.call('searchTexts', asked)
          const count = await store.call('countTexts', { query, most: 10_001 })
          const ms = performance.now() - startedMs
          context.diagnostic(`${q}: ${count} texts in ${ms.toFixed(1)} ms`)
          assert.ok(ms < MOST_MS, `${q} took ${ms} ms`)
          if (q === 'casa') assert.equal(texts.length, 20)
          if (q.startsWith('n'))
            assert.deepEqual(
              texts.map(({ url }) => url),
              [`http://size.test/${TEXTS - 7}`],
            )
        }
      } finally {
        await store.close()
      }
    })
  })
}
