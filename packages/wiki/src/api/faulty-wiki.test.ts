// Goal: whatever goes wrong on the way, the history ends up whole or its gaps are known.
// Method: a fake wiki with faults by script, walked by steps alone; the undisturbed history is the oracle.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { startFakeWiki, type FakeWiki, type WikiFault, type WikiOperation } from '@minga/testkit'
import type { Revision, SiteInfo } from '../model.ts'
import { TICKET } from '../../test/api/answer-fixture.ts'
import { checkHistory, historyRowOf } from './completeness.ts'
import { listOfIds, stepsForPages, wholeHistory } from './plan-steps.ts'
import { planRepair } from './repair.ts'
import { sha1Of } from './revision-sha1.ts'
import { firstStep, readWikiAddress } from './wiki-address.ts'
import { walk } from '../../test/api/walk-fixture.ts'
import { indexUrlFor } from './wiki-step.ts'

const HISTORY: WikiOperation[] = Array.from({ length: 120 }, (_, n) => ({
  do: 'edit',
  title: 'Cat',
  text: `text ${n} é 猫`,
  user: `User ${n % 3}`,
}))

async function withWiki(
  run: (wiki: FakeWiki, place: { site: SiteInfo; pageId: number }) => Promise<void>,
) {
  const wiki = await startFakeWiki({ history: HISTORY })
  try {
    const { site } = await walk([firstStep(readWikiAddress(wiki.apiUrl), TICKET)])
    assert.ok(site)
    const found = await walk(stepsForPages(site, { titles: ['Cat'] }, TICKET), { site })
    wiki.forgetHits()
    await run(wiki, { site, pageId: found.news[0]?.pages[0]?.pageId ?? 0 })
  } finally {
    await wiki.close()
  }
}

/** Numbers, times and texts, in one hash: a difference of 120 revisions is nothing to read. */
function digest(revisions: ReadonlyMap<number, Revision>): string {
  const ordered = [...revisions.values()].toSorted((a, b) => a.revId - b.revId)
  const rows = ordered.map(({ revId, at, slots }) =>
    [revId, at, Buffer.from(slots[0]?.text ?? []).toString()].join(' '),
  )
  return `${rows.length} revisions, ${sha1Of(rows.join())}`
}

const fault: fc.Arbitrary<WikiFault> = fc
  .tuple(
    fc.integer({ min: 1, max: 6 }),
    fc.constantFrom<WikiFault>(
      { kind: 'lag', seconds: 7 },
      { kind: 'status', status: 429, retryAfter: 1 },
      { kind: 'status', status: 503 },
      { kind: 'status', status: 500 },
      { kind: 'status', status: 502 },
      { kind: 'error', code: 'ratelimited' },
      { kind: 'error', code: 'readonly' },
      { kind: 'error', code: 'internal_api_error_DBQueryError' },
      { kind: 'html' },
      { kind: 'cut', bytes: 400 },
      { kind: 'reset' },
    ),
  )
  .map(([from, each]) => ({ ...each, from }))

test('through any faults that pass, the history is the same as without them', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    const calm = await walk([wholeHistory(site, pageId, TICKET)], { site })
    assert.equal(calm.steps.length, 3)
    const faults = fc.array(fault, { minLength: 1, maxLength: 6 })
    const checked = fc.asyncProperty(faults, async (each) => {
      wiki.fail(...each)
      const walked = await walk([wholeHistory(site, pageId, TICKET)], { site })
      assert.equal(digest(walked.revisions), digest(calm.revisions))
      assert.deepEqual(walked.news.at(-1)?.finished, calm.news.at(-1)?.finished)
      // Faults that no request met must not wait for the next round.
      for (let left = 0; left < 12; left++) await fetch(wiki.apiUrl).catch(() => null)
    })
    await fc.assert(checked, { seed: 6, numRuns: 40 })
  })
})

test('a continuation that loops is left at once and recorded', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    wiki.fail({ kind: 'loop', from: 2, times: null })
    const walked = await walk([wholeHistory(site, pageId, TICKET)], { site })
    assert.ok(walked.steps.length <= 4)
    assert.equal(walked.news.at(-1)?.problem?.code, 'MINGA_WIKI_LOOP')
    assert.ok(walked.news.at(-1)?.gaps.some(({ kind }) => kind === 'history-cut'))
    assert.ok(walked.revisions.size >= 50)
  })
})

test('a revision that the wiki leaves out is missed, listed and repaired', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    const lost = 60
    wiki.fail({ kind: 'lose', revids: [lost], times: 3 })
    const walked = await walk([wholeHistory(site, pageId, TICKET)], { site })
    assert.equal(walked.revisions.size, 119)
    const rows = () => [...walked.revisions.values()].map(historyRowOf)
    const gaps = checkHistory(rows(), { pageId })
    assert.ok(gaps.some(({ kind }) => kind === 'parent-missing'))
    const repair = { site, ticket: { ...TICKET, attempt: 1 }, title: 'Cat' }
    const list = await walk(planRepair(gaps, repair), { site })
    const listed = list.news.flatMap(({ claims }) => claims)
    const named = checkHistory(rows(), { pageId, listed, count: listed.length })
    assert.ok(named.some(({ kind, revId }) => kind === 'revision-missing' && revId === lost))
    const mended = await walk(planRepair(named, repair), { site })
    for (const [revId, revision] of mended.revisions) walked.revisions.set(revId, revision)
    assert.deepEqual(checkHistory(rows(), { pageId, listed, count: 120 }), [])
  })
})

test('edits during the extraction are part of it', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    const edit: WikiOperation = { do: 'edit', title: 'Cat', text: 'while you were reading' }
    wiki.fail({ kind: 'operations', perform: [edit], from: 2 })
    const walked = await walk([wholeHistory(site, pageId, TICKET)], { site })
    assert.equal(walked.revisions.size, 121)
    assert.equal(walked.news.at(-1)?.finished?.revisions, 121)
    const list = await walk([listOfIds(site, pageId, TICKET)], { site })
    assert.equal(list.news.at(-1)?.finished?.revisions, 121)
  })
})

test('a page that is deleted during its extraction is missing, not finished', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    wiki.fail({ kind: 'operations', perform: [{ do: 'delete', title: 'Cat' }], from: 2 })
    const walked = await walk([wholeHistory(site, pageId, TICKET)], { site })
    const last = walked.news.at(-1)
    assert.deepEqual(
      last?.missing.map((each) => each.pageId),
      [pageId],
    )
    assert.equal(last?.finished, null)
  })
})

test('a wiki that closes its API in mid-run is read through Special:Export', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    const calm = await walk([wholeHistory(site, pageId, TICKET)], { site })
    wiki.fail({ kind: 'error', code: 'readapidenied', match: 'api\\.php', times: null })
    const walked = await walk([wholeHistory(site, pageId, TICKET)], { site, title: 'Cat' })
    assert.deepEqual(
      walked.steps.map(({ kind }) => kind),
      ['revisions', 'export'],
    )
    assert.equal(walked.news.at(-1)?.source, 'export')
    assert.equal(digest(walked.revisions), digest(calm.revisions))
  })
})

test('a wiki that shuts its exports as well is read page by page', async () => {
  await withWiki(async (wiki, { site, pageId }) => {
    const calm = await walk([wholeHistory(site, pageId, TICKET)], { site })
    wiki.fail(
      { kind: 'error', code: 'readapidenied', match: 'api\\.php', times: null },
      { kind: 'status', status: 403, match: 'Special(:|%3A)Export', times: null },
    )
    const address = readWikiAddress(`${indexUrlFor(wiki.apiUrl)}?title=Cat`)
    const walked = await walk([firstStep(address, TICKET)])
    assert.equal(walked.news.at(-1)?.source, 'history-pages')
    assert.equal(digest(walked.revisions), digest(calm.revisions))
  })
})
