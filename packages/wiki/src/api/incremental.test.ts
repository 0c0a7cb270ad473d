// Goal: an update asks for as little as can be and misses nothing, though numbers do not follow time.
// Method: what is stored against what the wiki says, case by case; imports, deletions, merges between.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { API, SITE, TICKET } from '../../test/api/answer-fixture.ts'
import { planEvent, planPage, type StoredPage } from './incremental.ts'
import { allNamespaces, revisionsByIds, stepsForPages } from './plan-steps.ts'
import type { WikiEvent } from './wiki-news.ts'

const NEWEST_AT = Date.UTC(2020, 0, 5)
const STORED: StoredPage = { lastRevId: 50, newestAt: NEWEST_AT, revisions: 20, isComplete: true }

function plan(lastRevId: number | null, stored: StoredPage | null = STORED) {
  const [step, ...others] = planPage({
    page: { pageId: 9, lastRevId },
    stored,
    site: SITE,
    ticket: TICKET,
  })
  assert.deepEqual(others, [])
  if (step === undefined) return 'nothing'
  return step.kind === 'revisions' ? `since ${step.since}` : step.kind
}

test('nothing new costs nothing', () => {
  assert.equal(plan(50), 'nothing')
})

test('what is new is asked for by time, the newest stored second included', () => {
  assert.equal(plan(60), `since ${NEWEST_AT}`)
  assert.equal(plan(null), `since ${NEWEST_AT}`)
})

test('a page of which nothing is stored is asked for from its start', () => {
  assert.equal(plan(60, null), 'since null')
  assert.equal(plan(60, { ...STORED, revisions: 0, newestAt: null }), 'since null')
})

test('a newest revision that went back, or a history with gaps, is compared with the whole list', () => {
  assert.equal(plan(40), 'ids')
  assert.equal(plan(60, { ...STORED, isComplete: false }), 'ids')
})

const EVENT: WikiEvent = {
  kind: 'hidden',
  at: 0,
  logId: 1,
  pageId: 9,
  ns: 0,
  title: 'Cat',
  newTitle: null,
  revIds: [4, 5],
  isSuppressed: false,
}

test('what the log tells is looked at by the step that shows it', () => {
  const kinds = (parts: Partial<WikiEvent>) =>
    planEvent({ ...EVENT, ...parts }, SITE, TICKET).map(({ kind }) => kind)
  assert.deepEqual(kinds({}), ['byIds'])
  assert.deepEqual(kinds({ kind: 'restored', revIds: [] }), ['ids', 'titles'])
  assert.deepEqual(kinds({ kind: 'merged', revIds: [], newTitle: 'Dog' }), ['ids', 'titles'])
  assert.deepEqual(kinds({ kind: 'deleted', revIds: [] }), ['titles'])
  const [moved, left] = planEvent(
    { ...EVENT, kind: 'moved', revIds: [], newTitle: 'Tom' },
    SITE,
    TICKET,
  )
  assert.ok(moved?.kind === 'titles')
  assert.deepEqual([moved.by, moved.of, moved.isFollowing], ['pageids', ['9'], false])
  assert.ok(left?.kind === 'titles', 'the redirect that a move leaves behind')
  assert.deepEqual([left.by, left.of, left.isFollowing], ['titles', ['Cat', 'Tom'], false])
  const [named] = planEvent({ ...EVENT, kind: 'imported', revIds: [], pageId: null }, SITE, TICKET)
  assert.ok(named?.kind === 'titles' && named.by === 'titles')
})

test('pages, numbers, categories and namespaces become their first steps', () => {
  const titles = Array.from({ length: 60 }, (_, n) => `Page ${n}`)
  const steps = stepsForPages(
    SITE,
    {
      titles: [...titles, 'Page 1'],
      pageIds: [1, 2],
      revIds: [3],
      categories: [{ title: 'Category:A', depth: 2 }],
      namespaces: [0, 14],
    },
    TICKET,
  )
  const said = steps.map((step) =>
    step.kind === 'titles' ? `${step.by} ${step.of.length}` : step.kind,
  )
  assert.deepEqual(said, [
    'titles 50',
    'titles 10',
    'pageids 2',
    'revids 1',
    'category',
    'allpages',
    'allpages',
  ])
  assert.deepEqual(allNamespaces(SITE), [0, 1, 4, 10, 14])
  assert.throws(() => stepsForPages({ ...SITE, apiUrl: null }, { titles: ['A'] }, TICKET), /wiki/)
})

test('many revisions are asked for fifty at a time', () => {
  const revIds = Array.from({ length: 101 }, (_, n) => n + 1)
  const steps = revisionsByIds(SITE, { pageId: 9, revIds }, TICKET)
  assert.deepEqual(
    steps.map((step) => (step.kind === 'byIds' ? step.revIds.length : 0)),
    [50, 50, 1],
  )
  assert.ok(steps.every((step) => 'api' in step && step.api === API))
})

test('categories are asked for by their whole name, whichever way they were said', () => {
  const said = ['Birds', 'Category:Birds', 'category:birds', 'Talk:Birds of prey']
  const categories = said.map((title) => ({ title, depth: 0 }))
  const asked = stepsForPages(SITE, { categories }, TICKET).flatMap((step) =>
    step.kind === 'category' ? step.title : [],
  )
  assert.deepEqual(asked, [
    'Category:Birds',
    'Category:Birds',
    'category:birds',
    'Category:Talk:Birds of prey',
  ])
})
