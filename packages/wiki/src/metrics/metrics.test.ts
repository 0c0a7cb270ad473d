// Goal: each metric is what its definition says. Method: random small histories asked through DuckDB and worked out
// again by plain loops; hand-made cases for what the loops could share a mistake about.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import type { Ask } from './ask.ts'
import { findBursts } from './bursts.ts'
import { compareEditors, comparePages } from './compare.ts'
import { coEditors, tagUse } from './connections.ts'
import { countriesOf } from './countries.ts'
import { editInequality, editorSplit, inequalityOf, topEditors } from './editors.ts'
import { compileFilter } from './filters.ts'
import {
  askedHistory,
  fixtureRevision,
  NOW,
  type FixtureRevision,
} from '../../test/metrics/history-fixture.ts'
import {
  pagesOf,
  RANDOM_PAGES,
  randomHistories,
} from '../../test/metrics/random-history-fixture.ts'
import { editGaps, editsBy, editSessions } from './rhythm.ts'
import { sizeDeltas } from './sizes.ts'

const ALL = compileFilter({}, NOW)
const ADA = compileFilter({ user: 'Ada' }, NOW)

async function onRandomHistories(
  judge: (ask: Ask, revisions: FixtureRevision[]) => Promise<void>,
): Promise<void> {
  await fc.assert(
    fc.asyncProperty(randomHistories, async (revisions) => {
      const history = await askedHistory(revisions, RANDOM_PAGES)
      await judge(history.ask, revisions)
      history.close()
    }),
    { numRuns: 25, seed: 6 },
  )
}

function tallyOf<T>(items: readonly T[]): Map<T, number> {
  const tally = new Map<T, number>()
  for (const item of items) tally.set(item, (tally.get(item) ?? 0) + 1)
  return tally
}

function close(actual: number, expected: number): void {
  assert.ok(
    Math.abs(actual - expected) < 1e-9 * Math.max(1, Math.abs(expected)),
    `${actual} is not ${expected}`,
  )
}

test('the most active editors come first, with their share and what they did', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const top = await topEditors(ask, ALL, { limit: 3 })
    const tally = tallyOf(revisions.flatMap(({ user }) => (user === null ? [] : [user])))
    const expected = [...tally].toSorted(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, 3)
    assert.deepEqual(
      top.map(({ user, edits }) => [user, edits]),
      expected,
    )
    for (const { user, share, minor, pages, lastAt } of top) {
      const own = revisions.filter((revision) => revision.user === user)
      close(share, own.length / revisions.length)
      assert.equal(minor, own.filter(({ isMinor }) => isMinor).length)
      assert.equal(pages, new Set(own.map(({ wiki, pageId }) => `${wiki}${pageId}`)).size)
      assert.equal(lastAt, own.at(-1)!.at)
    }
  })
})

test('every edit belongs to exactly one kind of editor', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const { kinds, edits, minor } = await editorSplit(ask, ALL, { bots: ['Bo'] })
    const count = (user: string | null) => revisions.filter((r) => r.user === user).length
    assert.deepEqual(kinds, {
      bot: count('CleanBot') + count('Bo'),
      registered: count('Ada'),
      anonymous: count('192.0.2.1'),
      temporary: count('~2026-1'),
      imported: 0,
      hidden: count(null),
      unknown: 0,
    })
    assert.equal(edits, revisions.length)
    assert.equal(minor, revisions.filter(({ isMinor }) => isMinor).length)
    const unnamed = await editorSplit(ask, ALL, { byName: false })
    assert.equal(unnamed.kinds.bot, 0)
  })
})

test('inequality is the mean difference between all pairs of editors, halved and divided by their mean', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const counts = [...tallyOf(revisions.flatMap(({ user }) => user ?? [])).values()]
    const { gini, editors, edits } = await editInequality(ask, ALL)
    const sum = counts.reduce((total, n) => total + n, 0)
    const differences = counts.flatMap((a) => counts.map((b) => Math.abs(a - b)))
    const expected =
      sum === 0 ? 0 : differences.reduce((t, d) => t + d, 0) / (2 * counts.length * sum)
    close(gini, expected)
    assert.deepEqual([editors, edits], [counts.length, sum])
  })
  assert.equal(inequalityOf([{ edits: 5, editors: 4 }]).gini, 0)
  close(
    inequalityOf([
      { edits: 1, editors: 19 },
      { edits: 81, editors: 1 },
    ]).topTenth,
    0.82,
  )
})

test('edits fall into every hour and weekday, and into the days, months and years that have some', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const cut = { day: 10, month: 7, year: 4 } as const
    for (const [bucket, length] of Object.entries(cut) as [keyof typeof cut, number][]) {
      const expected = tallyOf(
        revisions.map(({ at }) => new Date(at).toISOString().slice(0, length)),
      )
      const counts = await editsBy(ask, ALL, { bucket })
      assert.deepEqual(
        counts.map((c) => [String(c.bucket), c.edits]),
        [...expected].toSorted(([a], [b]) => (a < b ? -1 : 1)),
      )
    }
    const hours = await editsBy(ask, ALL, { bucket: 'hour' })
    assert.equal(hours.length, 24)
    for (const { bucket, edits } of hours) {
      assert.equal(
        edits,
        revisions.filter(({ at }) => new Date(at).getUTCHours() === bucket).length,
      )
    }
    const days = await editsBy(ask, ALL, { bucket: 'weekday' })
    assert.equal(days.length, 7)
    for (const { bucket, edits } of days) {
      const isSame = ({ at }: FixtureRevision) => (new Date(at).getUTCDay() || 7) === bucket
      assert.equal(edits, revisions.filter(isSame).length)
    }
  })
})

test('gaps lie between revisions of one page that follow each other', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const gaps = pagesOf(revisions).flatMap((page) =>
      page.slice(1).map(({ at }, i) => at - page[i]!.at),
    )
    const answer = await editGaps(ask, ALL)
    assert.equal(answer.gaps, gaps.length)
    if (gaps.length === 0) assert.equal(answer.ms, null)
    else {
      assert.equal(answer.ms!.longest, Math.max(...gaps))
      close(answer.ms!.mean, gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length)
    }
  })
})

test('a session ends after more than an hour of silence of its editor, over all pages of a wiki', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const sessions: { last: number; edits: number; ms: number }[] = []
    const open = new Map<string, { last: number; edits: number; ms: number }>()
    for (const { wiki, user, at } of revisions) {
      if (user === null) continue
      const own = open.get(wiki + user)
      if (own !== undefined && at - own.last <= 3_600_000) {
        own.ms += at - own.last
        own.edits += 1
        own.last = at
        continue
      }
      const session = { last: at, edits: 1, ms: 0 }
      open.set(wiki + user, session)
      sessions.push(session)
    }
    const answer = await editSessions(ask, ALL)
    assert.equal(answer.sessions, sessions.length)
    assert.equal(answer.edits?.longest ?? 0, Math.max(0, ...sessions.map(({ edits }) => edits)))
    assert.equal(answer.ms?.longest ?? 0, Math.max(0, ...sessions.map(({ ms }) => ms)))
  })
})

test('a size is compared with the revision before it, chosen or not', async () => {
  await onRandomHistories(async (ask, revisions) => {
    for (const [choice, user] of [
      [ALL, undefined],
      [ADA, 'Ada'],
    ] as const) {
      const deltas = pagesOf(revisions).flatMap((page) =>
        page.flatMap((revision, i) => {
          if (user !== undefined && revision.user !== user) return []
          const before = i > 0 ? page[i - 1]!.size : revision.parentId ? null : 0
          return revision.size === null || before === null ? [null] : [revision.size - before]
        }),
      )
      const known = deltas.filter((delta) => delta !== null)
      const answer = await sizeDeltas(ask, choice)
      assert.equal(answer.known, known.length)
      assert.equal(answer.unknown, deltas.length - known.length)
      assert.equal(
        answer.netBytes,
        known.reduce((sum, delta) => sum + delta, 0),
      )
      assert.equal(
        answer.addedBytes,
        known.reduce((sum, delta) => sum + Math.max(0, delta), 0),
      )
      assert.deepEqual(
        [answer.grew, answer.shrank, answer.same],
        [1, -1, 0].map((sign) => known.filter((delta) => Math.sign(delta) === sign).length),
      )
    }
  })
})

test('tags are counted once per edit', async () => {
  const { ask } = await askedHistory([
    fixtureRevision({ revId: 1, tags: ['undo', 'undo'] }),
    fixtureRevision({ revId: 2, tags: ['undo', 'mobile edit'], user: 'Bo' }),
    fixtureRevision({ revId: 3 }),
    fixtureRevision({ revId: 4 }),
  ])
  assert.deepEqual(await tagUse(ask, ALL), [
    { tag: 'undo', edits: 2, share: 0.5, editors: 2 },
    { tag: 'mobile edit', edits: 1, share: 0.25, editors: 1 },
  ])
})

test('co-editors are linked by the pages that both edited, within the bounds that are asked for', async () => {
  await onRandomHistories(async (ask, revisions) => {
    const network = await coEditors(ask, ALL)
    const seen = new Map<string, Set<string>>()
    for (const { user, wiki, pageId } of revisions) {
      if (user !== null) seen.set(user, (seen.get(user) ?? new Set()).add(wiki + pageId))
    }
    const names = [...seen.keys()].toSorted()
    const links = names.flatMap((one, i) =>
      names.slice(i + 1).flatMap((other) => {
        const pages = [...seen.get(one)!].filter((page) => seen.get(other)!.has(page)).length
        return pages === 0 ? [] : [{ one, other, pages }]
      }),
    )
    const key = (link: (typeof links)[number]) => `${link.one} ${link.other} ${link.pages}`
    assert.deepEqual(network.links.map(key).toSorted(), links.map(key).toSorted())
    assert.equal(network.isCut, false)
    const small = await coEditors(ask, ALL, { editors: 2, links: 1 })
    assert.ok(small.editors.length <= 2 && small.links.length <= 1)
    assert.equal(small.isCut, names.length > 2)
  })
})

test('a burst is a stretch of days far above the usual, and a steady page has none', () => {
  const day = (i: number) => new Date(Date.UTC(2020, 0, 1 + i)).toISOString().slice(0, 10)
  const steady = Array.from({ length: 100 }, (_, i) => ({ day: day(i), edits: 1 + (i % 2) }))
  assert.deepEqual(findBursts(steady), [])
  const burst = steady.map((count, i) => (i >= 50 && i <= 52 ? { ...count, edits: 30 } : count))
  const [found, ...others] = findBursts(burst)
  assert.deepEqual(others, [])
  assert.deepEqual([found!.from, found!.until, found!.edits], [day(50), day(52), 90])
  assert.ok(found!.intensity > 5)
  assert.deepEqual(findBursts([]), [])
  assert.deepEqual(findBursts([{ day: day(0), edits: 1000 }]), [])
})

test('days without edits count as silence between bursts', () => {
  const counts = [
    { day: '2020-01-01', edits: 20 },
    { day: '2020-06-01', edits: 1 },
    { day: '2020-12-31', edits: 20 },
  ]
  assert.deepEqual(
    findBursts(counts).map(({ from, until }) => [from, until]),
    [
      ['2020-01-01', '2020-01-01'],
      ['2020-12-31', '2020-12-31'],
    ],
  )
})

test('countries are totals, and what is too small to hide a person joins the others', async () => {
  const from = (prefix: string, editors: number, first: number) =>
    Array.from({ length: editors }, (_, i) =>
      fixtureRevision({ revId: first + i, user: `${prefix}.${i}`, userId: 0, editor: 'anonymous' }),
    )
  const { ask } = await askedHistory([
    ...from('198.51.100', 12, 1),
    ...from('203.0.113', 9, 100),
    ...from('192.0.2', 3, 200),
    fixtureRevision({ revId: 300, user: '198.51.100.0', userId: 0, editor: 'anonymous' }),
    fixtureRevision({ revId: 301, user: 'Ada' }),
  ])
  const places: Record<string, string> = { '198.51.100': 'AR', '203.0.113': 'BO' }
  const countryOf = (address: string) => places[address.split('.').slice(0, 3).join('.')] ?? null
  assert.deepEqual(await countriesOf(ask, ALL, { countryOf }), {
    countries: [{ country: 'AR', editors: 12, edits: 13 }],
    others: { editors: 12, edits: 12 },
    atLeast: 10,
  })
  const strict = await countriesOf(ask, ALL, { countryOf, atLeast: 13 })
  assert.deepEqual([strict.countries, strict.others], [[], { editors: 24, edits: 25 }])
  const few = await countriesOf(ask, compileFilter({ user: '192.0.2.1' }, NOW), { countryOf })
  assert.deepEqual([few.countries, few.others], [[], null])
})

test('pages are compared by what happened to them and by the editors they share', async () => {
  const { ask } = await askedHistory(
    [
      fixtureRevision({ revId: 1, user: 'Ada', sha1: 'a', size: 10 }),
      fixtureRevision({ revId: 2, user: 'Bo', sha1: 'b', size: 20, isMinor: true }),
      fixtureRevision({ revId: 3, user: 'Ada', sha1: 'a', size: 10 }),
      fixtureRevision({ revId: 4, pageId: 2, user: 'Bo', size: 7 }),
      fixtureRevision({ revId: 5, pageId: 3, user: 'Cy', size: 7, editor: 'anonymous' }),
    ],
    [1, 2, 3].map((pageId) => ({ wiki: 'w', pageId, ns: 0, title: `Page ${pageId}` })),
  )
  const { pages, overlaps } = await comparePages(ask, { pageIds: [1, 2, 3] })
  assert.deepEqual(
    pages.map((page) => [
      page.title,
      page.revisions,
      page.editors,
      page.minor,
      page.anonymous,
      page.size,
      page.reverts,
    ]),
    [
      ['Page 1', 3, 2, 1, 0, 10, 1],
      ['Page 2', 1, 1, 0, 0, 7, 0],
      ['Page 3', 1, 1, 0, 1, 7, 0],
    ],
  )
  assert.deepEqual(overlaps, [
    { one: 1, other: 2, common: 1, likeness: 0.5 },
    { one: 1, other: 3, common: 0, likeness: 0 },
    { one: 2, other: 3, common: 0, likeness: 0 },
  ])
  await assert.rejects(comparePages(ask, { pageIds: [] }), /Between 1 and 20 can be compared/)
})

test('editors are compared by their work, what became of it, and the pages they share', async () => {
  const { ask } = await askedHistory([
    fixtureRevision({ revId: 1, user: 'Ada', sha1: 'a', size: 10, parentId: 0 }),
    fixtureRevision({ revId: 2, user: 'Bo', sha1: 'b', size: 30 }),
    fixtureRevision({ revId: 3, user: 'Ada', sha1: 'a', size: 10 }),
    fixtureRevision({ revId: 4, pageId: 2, user: 'Bo', size: 7, parentId: 0 }),
  ])
  const { editors, overlaps } = await compareEditors(ask, { users: ['Ada', 'Bo'] })
  const facts = editors.map((e) => [
    e.user,
    e.edits,
    e.pages,
    e.netBytes,
    e.revertsMade,
    e.undoneByOthers,
  ])
  assert.deepEqual(facts, [
    ['Ada', 2, 1, -10, 1, 0],
    ['Bo', 2, 2, 27, 0, 1],
  ])
  assert.deepEqual(overlaps, [{ one: 'Ada', other: 'Bo', common: 1, likeness: 0.5 }])
})
