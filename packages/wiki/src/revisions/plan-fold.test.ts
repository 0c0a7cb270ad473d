// Goal: of contradicting records, the valid one is decided by rules that hold in any order. Method:
// properties over random records, and the cases that the rules were made for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { PurgeRow } from './batch-operations.ts'
import { decodeBatch, encodeBatch, waiting } from './batch.ts'
import { chooseCompaction } from './compact.ts'
import { mergeRevisions, saysTheSame } from './merge-revisions.ts'
import { planFold } from './plan-fold.ts'
import { revisionOf } from '../../test/revisions/revisions-fixture.ts'
import type { Row } from './rows.ts'
import type { SegmentRow } from './segment-operations.ts'

const NONE = new Map<number, PurgeRow>()

function rowOf(revId: number, seenAt: number, more: Parameters<typeof revisionOf>[2] = {}): Row {
  const revision = revisionOf(1, revId, more)
  return { ...waiting(revision, { source: 'api', seenAt }), seq: seenAt }
}

const known = (row: Row) => ({ ...row, segmentId: 1 })

test('a batch gives back what went in, with and without its texts', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.string({ unit: 'binary' })), { minLength: 1 }), (texts) => {
      const revisions = texts.map((text, index) => revisionOf(3, index + 1, { text }))
      const batch = encodeBatch(revisions, { source: 'dump', seenAt: 5 })
      const back = decodeBatch(batch).map(({ slots }) => slots[0]!.text)
      assert.deepEqual(
        back.map((text) => (text === null ? null : Buffer.from(text))),
        revisions.map(({ slots }) => slots[0]!.text),
      )
      const { texts: _, ...bare } = batch
      assert.deepEqual(
        decodeBatch(bare).map(({ heldRoles, textBytes }) => [heldRoles, textBytes]),
        decodeBatch(batch).map(({ heldRoles, textBytes }) => [heldRoles, textBytes]),
      )
    }),
  )
})

test('a record that comes twice with the same content is the same', () => {
  const row = rowOf(1, 10)
  assert.ok(saysTheSame(mergeRevisions(row, row), row))
  assert.deepEqual(planFold([rowOf(1, 20)], [known(row)], NONE).rows, [])
})

test('the order in which tellings arrived does not matter, only when they were said', () => {
  const tellings = [rowOf(1, 10, { tags: ['a'] }), rowOf(1, 30, { tags: ['c'] }), rowOf(1, 20)]
  fc.assert(
    fc.property(fc.shuffledSubarray(tellings, { minLength: 3 }), (arrived) => {
      const [planned] = planFold(arrived, [], NONE).rows
      assert.deepEqual(planned!.row.tags, ['c'])
    }),
  )
})

test('a text that a segment holds already is not written again when only tags change', () => {
  const plan = planFold([rowOf(1, 20, { tags: ['new'] })], [known(rowOf(1, 10))], NONE)
  assert.deepEqual([plan.rows[0]!.texts, plan.rows[0]!.row.heldRoles], [[], ['main']])
  assert.deepEqual(plan.superseded, [{ segmentId: 1, revId: 1 }])
  assert.deepEqual(plan.pages, [{ pageId: 1, revisions: 0, bytes: 0 }])
})

test('a text that is hidden now is written nowhere, even if it waits as well', () => {
  const hidden = rowOf(1, 30, { text: null, hidden: ['text'] })
  const plan = planFold([rowOf(1, 10), hidden], [], NONE)
  assert.deepEqual([plan.rows[0]!.texts, plan.rows[0]!.row.heldRoles], [[], []])
})

test('a history that was merged into another page is counted there and no more where it was', () => {
  const moved = { ...rowOf(1, 20), pageId: 9 }
  const old = known(rowOf(1, 10))
  const plan = planFold([moved], [old], NONE)
  assert.deepEqual(plan.pages, [
    { pageId: 9, revisions: 1, bytes: old.textBytes },
    { pageId: 1, revisions: -1, bytes: -old.textBytes },
  ])
})

test('segments of about one size become one, and a large one is left alone', () => {
  const segment = (id: number, rawBytes: number, part = 0) =>
    ({ id, part, rawBytes }) as unknown as SegmentRow
  const idsOf = (chosen: SegmentRow[] | null) => chosen?.map(({ id }) => id) ?? null
  const small = [1, 2, 3].map((id) => segment(id, 1_000_000))
  assert.equal(chooseCompaction(small, false), null)
  assert.deepEqual(
    idsOf(chooseCompaction([segment(9, 1e9), ...small, segment(4, 9_000_000)], false)),
    [1, 2, 3, 4],
  )
  assert.equal(chooseCompaction([...small, segment(4, 1_000_000, 1)], false), null)
  assert.deepEqual(idsOf(chooseCompaction([segment(9, 1e9), segment(1, 5)], true)), [9, 1])
})
