// Goal: a history that lacks something is found out, and a whole one is not accused.
// Method: histories taken apart one way at a time; whole random histories; repairs that fit their gaps.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  INDEX,
  read,
  REVISIONS,
  apiRevision,
  pageWith,
  SITE,
  TICKET,
} from '../../test/api/answer-fixture.ts'
import { checkHistory, historyRowOf, type HistoryClaims, type HistoryRow } from './completeness.ts'
import { sentenceOf, type Gap } from './gap.ts'
import { planRepair } from './repair.ts'
import type { Claim } from './wiki-news.ts'

const PAGE: HistoryClaims = { pageId: 9 }

function row(revId: number, parts: Partial<HistoryRow> = {}): HistoryRow {
  const base = {
    revId,
    parentId: revId - 1,
    at: revId * 60_000,
    size: 5,
    sha1: null,
    hidden: [],
    hasText: true,
    textGaps: [],
  }
  return { ...base, ...parts }
}

function claim({ revId, parentId, at, size, sha1 }: HistoryRow): Claim {
  return { pageId: 9, revId, parentId, at, size, sha1, hidden: [] }
}

function kinds(gaps: Gap[]): string[] {
  return gaps.map(({ kind, revId }) => (revId === null ? kind : `${kind} ${revId}`))
}

const WHOLE = [row(1), row(2), row(3)]

test('a revision that was hidden since it was stored is no second one of its number', () => {
  const [before, hidden] = [row(2, { sha1: 'a' }), row(2, { hidden: ['text', 'sha1'] })]
  assert.deepEqual(kinds(checkHistory([row(1), before, hidden], PAGE)), [])
  assert.deepEqual(kinds(checkHistory([row(1), hidden, before], PAGE)), [])
})

test('a whole history has no gaps, however many revisions it has', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.integer({ min: 1, max: 50 }),
      (count, stride) => {
        const rows = Array.from({ length: count }, (_, n) =>
          row((n + 1) * stride, { parentId: n * stride, at: n * 1000 }),
        )
        const listed = rows.map(claim)
        const lastRevId = count * stride
        assert.deepEqual(checkHistory(rows, { pageId: 9, listed, count, lastRevId }), [])
      },
    ),
    { seed: 6 },
  )
})

test('any revision taken out of a history is missed', () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(), (count, pick) => {
      const rows = Array.from({ length: count }, (_, n) => row(n + 1))
      const gone = (pick % count) + 1
      const left = rows.filter(({ revId }) => revId !== gone)
      const byList = checkHistory(left, { pageId: 9, listed: rows.map(claim), count })
      assert.ok(kinds(byList).includes(`revision-missing ${gone}`))
      assert.ok(kinds(byList).includes('count-differs'))
      // Without a list the chain still tells, except of the newest, which the page's own facts tell.
      const byChain = checkHistory(left, { pageId: 9, lastRevId: count })
      assert.ok(byChain.length > 0)
    }),
    { seed: 6 },
  )
})

test('a hole in the chain of parents is found', () => {
  assert.deepEqual(kinds(checkHistory([row(1), row(3)], PAGE)), ['parent-missing 3'])
  assert.deepEqual(kinds(checkHistory([row(2), row(3)], PAGE)), ['parent-missing 2', 'no-root'])
  assert.deepEqual(checkHistory([row(2), row(3)], { ...PAGE, isPart: true }), [])
  assert.deepEqual(checkHistory([row(1, { parentId: null }), row(7, { parentId: null })], PAGE), [])
  assert.deepEqual(checkHistory([], PAGE), [])
})

test('several beginnings are a gap unless the log explains them', () => {
  const rows = [row(1), row(2), row(8, { parentId: 0 })]
  const [gap] = checkHistory(rows, PAGE)
  assert.deepEqual(
    [gap?.kind, gap?.explainedBy, gap?.detail],
    ['several-roots', null, 'They are 1, 8.'],
  )
  for (const kind of ['imported', 'merged', 'restored'] as const) {
    const [explained] = checkHistory(rows, { ...PAGE, events: [{ kind: 'moved' }, { kind }] })
    assert.equal(explained?.explainedBy, kind)
  }
})

test('time that runs backwards and chains that run in circles are found', () => {
  assert.deepEqual(kinds(checkHistory([row(1), row(2, { at: 1 })], PAGE)), ['time-order 2'])
  const circle = [
    row(1),
    row(2, { parentId: 3, at: 120_000 }),
    row(3, { parentId: 2, at: 120_000 }),
  ]
  assert.deepEqual(kinds(checkHistory(circle, PAGE)), ['parent-loop 2'])
  assert.deepEqual(kinds(checkHistory([row(1), row(2, { parentId: 2 })], PAGE)), ['parent-loop 2'])
})

test('what the wiki lists is compared revision by revision', () => {
  const sha1 = 'a'.repeat(40)
  const listed = [claim(row(1)), claim(row(2, { sha1 })), claim(row(4))]
  const rows = [row(1), row(2, { sha1: 'b'.repeat(40) }), row(3)]
  assert.deepEqual(kinds(checkHistory(rows, { ...PAGE, listed })), [
    'sha1-wrong 2',
    'revision-missing 4',
    'revision-vanished 3',
  ])
  assert.deepEqual(kinds(checkHistory(WHOLE, { ...PAGE, lastRevId: 5 })), ['revision-missing 5'])
  assert.deepEqual(kinds(checkHistory(WHOLE, { ...PAGE, count: 4 })), ['count-differs'])
})

test('the same revision twice with other content is found', () => {
  const [one, other] = [row(4, { sha1: 'a'.repeat(40) }), row(4, { sha1: 'b'.repeat(40) })]
  assert.deepEqual(kinds(checkHistory([...WHOLE, one, other], PAGE)), ['duplicate-revision 4'])
  assert.deepEqual(checkHistory([...WHOLE, one, one], PAGE), [])
})

test('texts are judged by what they say of themselves, and hidden ones are no gaps', () => {
  assert.deepEqual(kinds(checkHistory([row(1, { hasText: false })], PAGE)), ['text-missing 1'])
  assert.deepEqual(checkHistory([row(1, { hasText: false, hidden: ['text'] })], PAGE), [])
  const { revisions } = read(
    REVISIONS,
    pageWith([
      apiRevision(1, { parentid: 0, sha1: 'a'.repeat(40), slots: { main: { content: 'x' } } }),
    ]),
  )
  const rows = revisions.map(historyRowOf)
  assert.deepEqual(kinds(checkHistory(rows, PAGE)), ['sha1-wrong 1'])
  const bare = revisions.map((revision) => historyRowOf({ ...revision, slots: [] }))
  assert.deepEqual(kinds(checkHistory(bare, PAGE)), ['text-missing 1'])
})

test('every gap is a sentence', () => {
  const [gap] = checkHistory([row(1), row(3)], { ...PAGE, events: [{ kind: 'deleted' }] })
  assert.ok(gap)
  assert.equal(
    sentenceOf(gap),
    'The revision before this one is not here. It followed revision 2. The log of the wiki explains it: the page was deleted.',
  )
})

function openGap(kind: Gap['kind'], revId: number | null = null): Gap {
  return { kind, pageId: 9, revId, detail: '', explainedBy: null }
}

test('gaps are repaired by the cheapest step that can fill them', () => {
  const plan = { site: SITE, ticket: { ...TICKET, attempt: 1 }, title: 'Cat' }
  const [list, ids] = planRepair(
    [
      openGap('parent-missing', 3),
      openGap('revision-missing', 4),
      openGap('sha1-wrong', 5),
      openGap('text-missing', 5),
    ],
    plan,
  )
  assert.equal(list?.kind, 'ids')
  assert.ok(ids?.kind === 'byIds')
  assert.deepEqual(ids.revIds, [4, 5])
  assert.equal(ids.ticket.attempt, 1)
  assert.deepEqual(
    planRepair([openGap('text-unreadable', 6)], plan).map(({ kind }) => kind),
    ['raw'],
  )
  assert.deepEqual(planRepair([{ ...openGap('several-roots'), explainedBy: 'merged' }], plan), [])
  assert.deepEqual(planRepair([openGap('time-order', 3)], plan), [])
  assert.deepEqual(planRepair([], plan), [])
})

test('a text that came wrong twice is asked for alone, byte for byte', () => {
  const ticket = { ...TICKET, attempt: 2 }
  const steps = planRepair([openGap('sha1-wrong', 5), openGap('revision-missing', 4)], {
    site: SITE,
    ticket,
    title: 'Cat',
  })
  const [ids, raw] = steps
  assert.ok(ids?.kind === 'byIds' && raw?.kind === 'raw')
  assert.deepEqual(ids.revIds, [4])
  assert.deepEqual(raw, { kind: 'raw', index: INDEX, title: 'Cat', pageId: 9, revId: 5, ticket })
  const nameless = planRepair([openGap('sha1-wrong', 5)], { site: SITE, ticket, title: null })
  assert.deepEqual(
    nameless.map(({ kind }) => kind),
    ['byIds'],
  )
})
