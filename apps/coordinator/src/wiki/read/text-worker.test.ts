// Goal: long texts and histories are compared off the main loop, with the results of a comparison in place.
// Method: texts of tens of kilobytes, whose histories take several batches, compared both ways.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diffTexts, followPage, readAnswer, type Revision } from '@minga/wiki'
import {
  CONTEXT,
  jsonAnswer,
  REVISIONS,
} from '../../../../../packages/wiki/test/api/answer-fixture.ts'
import { compareTexts, followHistory, readLongAnswer } from './text-worker.ts'

const textOf = (changed: number): string =>
  Array.from({ length: 1_000 }, (_, i) => {
    const word = i % 40 === changed ? `edit${changed}` : 'word'
    return `Line ${i} of a long page with one ${word} in it.\n`
  }).join('')

const revisionOf = (revId: number): Revision => ({
  ...({} as Revision),
  revId,
  user: `editor ${revId % 3}`,
  slots: [{ ...({} as Revision['slots'][number]), role: 'main', text: Buffer.from(textOf(revId)) }],
})

async function turnsDuring<R>(work: Promise<R>): Promise<{ result: R; turns: number }> {
  let turns = 0
  const counting = setInterval(() => turns++, 1)
  const result = await work.finally(() => clearInterval(counting))
  return { result, turns }
}

test('a diff of long texts is that of a comparison in place, and the main loop turns in the meantime', async () => {
  const [before, after] = [textOf(1), textOf(2)]
  const { result, turns } = await turnsDuring(compareTexts(before, after))
  assert.deepEqual(result, diffTexts(before, after))
  assert.ok(turns > 0)
})

test('a history of several batches has the authors of one that is followed in place', async () => {
  const revisions = Array.from({ length: 30 }, (_, i) => revisionOf(i + 1))
  async function* rows(): AsyncGenerator<Revision> {
    yield* revisions
  }
  const [here, there] = [await followPage(revisions), await turnsDuring(followHistory(rows()))]
  assert.deepEqual(there.result, { editors: here.editors(), tokens: here.current() })
  assert.ok(there.turns > 0)
})

test('a long answer says the same as one that is read in place', async () => {
  const slots = { main: { contentmodel: 'wikitext', content: textOf(1).repeat(10) } }
  const user = { user: 'A', userid: 1, timestamp: '2026-01-01T00:00:00Z' }
  const revision = { revid: 1, parentid: 0, ...user, size: 1, slots }
  const pages = [{ pageid: 9, ns: 0, title: 'Nine', revisions: [revision] }]
  const answer = jsonAnswer({ batchcomplete: true, query: { pages } })
  const asked = { step: REVISIONS, answer, context: CONTEXT, known: null }
  const { result, turns } = await turnsDuring(readLongAnswer(asked))
  assert.equal(result.revisions.length, 1)
  assert.deepEqual(structuredClone(result), structuredClone(readAnswer(REVISIONS, answer, CONTEXT)))
  assert.ok(turns > 0)
})
