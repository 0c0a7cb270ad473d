// Goal: between two polls of a feed nothing is missed and nothing is done twice.
// Method: a simulated feed whose changes become visible late; entries of the log as several versions write them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { API, read, SITE, TICKET } from '../../test/api/answer-fixture.ts'
import { advanceMark, freshChanges, planPoll, type FeedMark } from './change-feed.ts'
import type { PageChange } from './wiki-news.ts'
import type { LogEventsStep, RecentChangesStep } from './wiki-step.ts'

const CHANGES: RecentChangesStep = {
  kind: 'recentchanges',
  api: API,
  since: 0,
  until: null,
  limit: 500,
  more: {},
  ticket: TICKET,
}
const LOG: LogEventsStep = {
  kind: 'logevents',
  api: API,
  type: 'delete',
  since: 0,
  title: null,
  limit: 500,
  more: {},
  ticket: TICKET,
}
const PLACE = { site: SITE, ticket: TICKET }

function change(changeId: number, at: number): PageChange {
  return { changeId, at, pageId: 9, ns: 0, title: 'Cat', revId: changeId }
}

test('every change is seen exactly once, though some become visible half a minute late', () => {
  const late = fc.record({
    at: fc.nat(600).map((s) => s * 1000),
    lagMs: fc.nat(29).map((s) => s * 1000),
  })
  fc.assert(
    fc.property(fc.array(late, { maxLength: 80 }), (feed) => {
      const all = feed.map(({ at, lagMs }, n) => ({ ...change(n + 1, at), visibleAt: at + lagMs }))
      const seen: number[] = []
      let mark: FeedMark | null = { at: 0, seen: [] }
      for (let now = 0; now <= 700_000; now += 20_000) {
        const [step] = planPoll(mark, now, PLACE).steps
        assert.ok(step?.kind === 'recentchanges')
        const answer = all.filter(({ at, visibleAt }) => at >= step.since && visibleAt <= now)
        seen.push(...freshChanges(answer, mark).flatMap(({ changeId }) => changeId ?? []))
        mark = advanceMark(mark, answer)
      }
      assert.deepEqual(
        seen.toSorted((a, b) => a - b),
        all.map(({ changeId }) => changeId),
      )
    }),
    { seed: 6, numRuns: 200 },
  )
})

test('a first poll begins now, a later one half a minute before the mark', () => {
  const now = Date.UTC(2026, 0, 1)
  const since = (mark: FeedMark | null) => {
    const [step] = planPoll(mark, now, PLACE).steps
    return step?.kind === 'recentchanges' ? now - step.since : null
  }
  assert.equal(since(null), 30_000)
  assert.equal(since({ at: now - 60_000, seen: [] }), 90_000)
  assert.equal(advanceMark(null, []), null)
  assert.deepEqual(freshChanges([change(1, now)], null).length, 1)
})

test('after a long absence the logs and a sweep tell what the feed has forgotten', () => {
  const now = Date.UTC(2026, 0, 1)
  const plan = planPoll({ at: now - 40 * 86_400_000, seen: [] }, now, PLACE)
  assert.equal(plan.needsSweep, true)
  assert.deepEqual(
    plan.steps.map((step) => (step.kind === 'logevents' ? step.type : step.kind)),
    ['recentchanges', 'delete', 'move', 'merge', 'import'],
  )
  assert.deepEqual(planPoll(null, now, { ...PLACE, site: { ...SITE, apiUrl: null } }), {
    steps: [],
    needsSweep: true,
  })
})

test('recent changes name pages to look at and events of the log', () => {
  const timestamp = '2026-01-01T00:00:01Z'
  const recentchanges = [
    { type: 'edit', ns: 0, title: 'Cat', pageid: 9, revid: 5, rcid: 70, timestamp },
    { type: 'new', ns: 0, title: 'Dog', pageid: 10, revid: 6, rcid: 71, timestamp },
    {
      type: 'log',
      ns: 0,
      title: 'Ape',
      pageid: 0,
      revid: 0,
      rcid: 72,
      timestamp,
      logid: 3,
      logtype: 'delete',
      logaction: 'delete',
      logparams: {},
    },
    {
      type: 'log',
      ns: 2,
      title: 'User:X',
      pageid: 0,
      rcid: 73,
      timestamp,
      logid: 4,
      logtype: 'block',
      logaction: 'block',
    },
    { type: 'edit', rcid: 74 },
  ]
  const more = { rccontinue: '2026|75', continue: '-||' }
  const news = read(CHANGES, { continue: more, query: { recentchanges } })
  assert.deepEqual(
    news.changes.map(({ pageId, revId, changeId }) => [pageId, revId, changeId]),
    [
      [9, 5, 70],
      [10, 6, 71],
      [null, null, 72],
      [null, null, 73],
    ],
  )
  assert.deepEqual(
    news.events.map(({ kind, title }) => [kind, title]),
    [['deleted', 'Ape']],
  )
  assert.equal(news.feedUntil, Date.parse(timestamp))
  assert.deepEqual(news.next, [{ ...CHANGES, more }])
  assert.equal(
    read({ ...CHANGES, more }, { continue: more, query: { recentchanges } }).problem?.code,
    'MINGA_WIKI_LOOP',
  )
  assert.equal(read(CHANGES, { batchcomplete: true }).feedUntil, null)
})

test('the log tells of deletions, moves, merges, imports and hidden revisions', () => {
  const at = '2026-01-01T00:00:00Z'
  const entry = (type: string, action: string, params: unknown, parts = {}) => ({
    logid: 1,
    ns: 0,
    title: 'Cat',
    pageid: 8,
    logpage: 9,
    type,
    action,
    params,
    timestamp: at,
    ...parts,
  })
  const logevents = [
    entry('delete', 'revision', {
      type: 'revision',
      ids: [3, '4'],
      old: { restricted: false },
      new: { content: true, restricted: true },
    }),
    entry('delete', 'revision', { type: 'archive', ids: [5] }),
    entry('delete', 'restore', { count: { revisions: 2 } }, { logpage: 0 }),
    entry('move', 'move_redir', { target_ns: 0, target_title: 'Tom' }),
    entry('merge', 'merge', { dest_ns: 0, dest_title: 'Tom', mergepoint: at }),
    entry('merge', 'merge-into', { src_title: 'Kitten' }),
    entry('import', 'interwiki', { count: 3 }),
    entry('suppress', 'delete', {}),
    entry('thanks', 'thank', {}),
  ]
  const { events } = read(LOG, { query: { logevents } })
  const said = events.map(({ kind, pageId, title, newTitle, revIds, isSuppressed }) => [
    kind,
    pageId,
    title,
    newTitle,
    revIds,
    isSuppressed,
  ])
  assert.deepEqual(said, [
    ['hidden', 9, 'Cat', null, [3, 4], true],
    ['hidden', 9, 'Cat', null, [], false],
    ['restored', 8, 'Cat', null, [], false],
    ['moved', 9, 'Cat', 'Tom', [], false],
    ['merged', 9, 'Cat', 'Tom', [], false],
    ['merged', 9, 'Kitten', 'Cat', [], false],
    ['imported', 9, 'Cat', null, [], false],
    ['deleted', 9, 'Cat', null, [], true],
  ])
  const old = {
    logid: 2,
    title: 'Cat',
    ns: 0,
    pageid: 9,
    type: 'move',
    action: 'move',
    move: { new_ns: 0, new_title: 'Tom' },
    timestamp: at,
  }
  assert.equal(read(LOG, { query: { logevents: [old] } }).events[0]?.newTitle, 'Tom')
})
