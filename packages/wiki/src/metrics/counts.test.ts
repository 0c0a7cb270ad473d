// Goal: count, average and mode answer what spec and calendar say. Method: histories from seeds, asked through
// DuckDB and counted again by loops; ties, ends of days, hidden editors and each missing bound by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadWikiFilter } from '../errors.ts'
import {
  averagePerDay,
  countRevisions,
  MODE_ATTRIBUTES,
  modeOf,
  readModeAttribute,
} from './counts.ts'
import { chooseWikis, readFilter, type MetricFilter } from './filters.ts'
import {
  askedHistory,
  fixtureRevision,
  NOW,
  type FixtureRevision,
} from '../../test/metrics/history-fixture.ts'

const PAGES = [
  { wiki: 'w', pageId: 1, ns: 0, title: 'Dungeon Siege' },
  { wiki: 'w', pageId: 2, ns: 0, title: 'Niño / Ωmega' },
  { wiki: 'v', pageId: 1, ns: 0, title: 'Dungeon Siege' },
]
const DAYS = ['2004-05-01', '2004-05-02', '2004-05-03', '2026-02-28', '2026-03-01', '2026-03-02']
const DAY_MS = 86_400_000

/** Instants close to the ends of days, where mistakes live; some lie after now. */
const instants = fc
  .tuple(fc.constantFrom(...DAYS), fc.constantFrom(0, 1000, 43_200_000, DAY_MS - 1000))
  .map(([day, offset]) => Date.parse(`${day}T00:00:00Z`) + offset)

const histories = fc.uniqueArray(
  fc.record({
    revId: fc.integer({ min: 1, max: 1000 }),
    wiki: fc.constantFrom('w', 'v'),
    pageId: fc.constantFrom(1, 2, 3),
    at: instants,
    user: fc.constantFrom('Ada', 'Zoë', '127.0.0.1', 'O’Neil', null),
    userId: fc.constantFrom(0, 1, 2, null),
    size: fc.constantFrom(1, 50, 100, null),
    tags: fc.subarray(['mobile edit', 'undo']),
  }),
  { selector: ({ revId }) => revId, maxLength: 40 },
)

const filters = fc.record(
  {
    title: fc.constantFrom('Dungeon Siege', 'Niño_/_Ωmega', 'Nobody'),
    pageid: fc.constantFrom(1, '2'),
    user: fc.constantFrom('Ada', 'Zoë', "x' OR 1=1 --"),
    userid: fc.constantFrom(0, 1),
    tag: fc.constantFrom('undo', 'mobile edit', 'mobile'),
    size: fc.constantFrom(50, '100'),
    date: fc.constantFrom(...DAYS),
    datestart: fc.constantFrom(...DAYS.slice(0, 3)),
    dateend: fc.constantFrom(...DAYS.slice(2)),
  },
  { requiredKeys: [] },
)

/** The same rules again, in loops and with days as text. */
function isChosen(revision: FixtureRevision, filter: MetricFilter): boolean {
  const day = new Date(revision.at).toISOString().slice(0, 10)
  const { title, size, sizematch = 0, tag, date, datestart, dateend } = filter
  const sign = size === undefined || revision.size === null ? null : Math.sign(revision.size - size)
  return (
    (title === undefined || titleOf(revision) === title.replaceAll('_', ' ')) &&
    (filter.pageid === undefined || revision.pageId === filter.pageid) &&
    (filter.user === undefined || revision.user === filter.user) &&
    (filter.userid === undefined || revision.userId === filter.userid) &&
    (tag === undefined || revision.tags.includes(tag)) &&
    (size === undefined || sign === Math.sign(sizematch)) &&
    (date === undefined || day === date) &&
    (datestart === undefined || day >= datestart) &&
    (dateend === undefined ? revision.at <= NOW : day <= dateend)
  )
}

function titleOf({ wiki, pageId }: FixtureRevision): string | null {
  return PAGES.find((page) => page.wiki === wiki && page.pageId === pageId)?.title ?? null
}

function attributeOf(revision: FixtureRevision, attribute: string): string | number | null {
  if (attribute === 'title') return titleOf(revision)
  if (attribute === 'pageid') return revision.pageId
  if (attribute === 'user') return revision.user
  if (attribute === 'userid') return revision.userId
  return attribute === 'size' ? revision.size : new Date(revision.at).toISOString().slice(0, 10)
}

function modeByLoop(revisions: FixtureRevision[], attribute: string) {
  const told = revisions.map((r) => attributeOf(r, attribute)).filter((value) => value !== null)
  const tally = new Map<string | number, number>()
  for (const value of told) tally.set(value, (tally.get(value) ?? 0) + 1)
  const count = Math.max(0, ...tally.values())
  const values = [...tally].filter(([, n]) => n === count).map(([value]) => value)
  return { values: new Set(values), count, without: revisions.length - told.length }
}

test('Count/avg/mode + filters: every combination counts what a loop over the history counts', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      fc.tuple(filters, fc.constantFrom(undefined, -1, 0, 5)),
      async (drawn, [given, sizematch]) => {
        const revisions = drawn.map((revision) => fixtureRevision(revision))
        const filter = readFilter({ ...given, ...(given.size !== undefined && { sizematch }) })
        const history = await askedHistory(revisions, PAGES)
        const chosen = revisions.filter((revision) => isChosen(revision, filter))
        const { ask } = history
        assert.deepEqual(await countRevisions(ask, filter, NOW), { count: chosen.length })
        for (const attribute of MODE_ATTRIBUTES) {
          const { values, ...mode } = await modeOf(ask, { attribute, filter }, NOW)
          const expected = modeByLoop(chosen, attribute)
          assert.deepEqual({ ...mode, values: new Set(values) }, { attribute, ...expected })
          assert.equal(values.length, expected.values.size)
        }
        if (filter.datestart !== undefined && filter.dateend !== undefined && !filter.date) {
          const days = (Date.parse(filter.dateend) - Date.parse(filter.datestart)) / DAY_MS + 1
          const { avg } = await averagePerDay(ask, filter, NOW)
          assert.equal(avg, chosen.length / days)
        }
        history.close()
      },
    ),
    { numRuns: 60, seed: 6 },
  )
})

test('Count/avg/mode + filters: the last second of a day belongs to it and the next second does not', async () => {
  const history = await askedHistory([
    fixtureRevision({ revId: 1, at: Date.parse('2004-06-22T00:00:00Z') }),
    fixtureRevision({ revId: 2, at: Date.parse('2004-06-22T23:59:59Z') }),
    fixtureRevision({ revId: 3, at: Date.parse('2004-06-23T00:00:00Z') }),
  ])
  const count = (given: object) => countRevisions(history.ask, readFilter({ ...given }), NOW)
  assert.deepEqual(await count({ date: '2004-06-22' }), { count: 2 })
  assert.deepEqual(await count({ datestart: '2004-06-22', dateend: '2004-06-22' }), { count: 2 })
  assert.deepEqual(await count({ datestart: '2004-06-23', dateend: '2004-06-23' }), { count: 1 })
})

test('Count/avg/mode + filters: ties are all listed, as values of their own type', async () => {
  const history = await askedHistory([
    fixtureRevision({ revId: 1, user: 'Zoë', userId: 7 }),
    fixtureRevision({ revId: 2, user: 'Ada', userId: 5 }),
    fixtureRevision({ revId: 3, user: null, userId: null }),
    fixtureRevision({ revId: 4, user: null, userId: null }),
    fixtureRevision({ revId: 5, user: null, userId: null }),
  ])
  const filter = readFilter({ pageid: '1' })
  const user = await modeOf(history.ask, { attribute: 'user', filter }, NOW)
  assert.deepEqual(user, { attribute: 'user', values: ['Ada', 'Zoë'], count: 1, without: 3 })
  const userid = await modeOf(history.ask, { attribute: 'userid', filter }, NOW)
  assert.deepEqual(userid.values, [5, 7])
  const nobody = await modeOf(history.ask, { attribute: 'user', filter: { pageid: 9 } }, NOW)
  assert.deepEqual(nobody, { attribute: 'user', values: [], count: 0, without: 0 })
})

test('Half-open date defaults: without a beginning from the first revision, without an end until now', async () => {
  const history = await askedHistory([
    fixtureRevision({ revId: 1, at: Date.parse('2001-01-15T10:00:00Z') }),
    fixtureRevision({ revId: 2, at: Date.parse('2010-01-01T00:00:00Z') }),
    fixtureRevision({ revId: 3, at: NOW }),
    fixtureRevision({ revId: 4, at: NOW + 1000 }),
  ])
  const count = async (given: object) =>
    (await countRevisions(history.ask, readFilter({ ...given }), NOW)).count
  assert.equal(await count({ dateend: '2010-01-01' }), 2)
  assert.equal(await count({ datestart: '2010-01-01' }), 2)
  assert.equal(await count({}), 3)
  assert.equal(await count({ datestart: '2001-01-15', dateend: '2026-03-01' }), 4)
})

test('an invalid filter is refused with a sentence that names it', () => {
  const refused: [Record<string, unknown>, RegExp][] = [
    [{ datestart: '2004-05-02', dateend: '2004-05-01' }, /dateend 2004-05-01 is before datestart/],
    [{ size: '0' }, /^size is below 1\.$/],
    [{ size: 'ten' }, /^size is no whole number\.$/],
    [{ sizematch: '1' }, /size is not given/],
    [{ pageid: '1.5' }, /^pageid is no whole number\.$/],
    [{ date: '2004-02-30' }, /^date is no day/],
    [{ date: '22/06/2004' }, /^date is no day/],
    [{ user: '' }, /^user is empty\.$/],
    [{ title: ['a', 'b'] }, /^title cannot be read\.$/],
  ]
  for (const [given, message] of refused) {
    assert.throws(
      () => readFilter(given),
      (error) => error instanceof BadWikiFilter && message.test(error.message),
    )
  }
  assert.deepEqual(readFilter({ user: 'Ada', nonsense: '1' }), { user: 'Ada' })
})

test('the average asks for both ends of its interval and the mode for a known attribute', async () => {
  const { ask } = await askedHistory([fixtureRevision({ revId: 1 })])
  await assert.rejects(
    averagePerDay(ask, { datestart: '2004-05-01' }, NOW),
    /both datestart and dateend/,
  )
  const both = { datestart: '2004-05-01', dateend: '2004-05-01', date: '2004-05-01' }
  await assert.rejects(averagePerDay(ask, both, NOW), /takes no date/)
  assert.throws(() => readModeAttribute('comment'), /attribute must be one of title, pageid/)
})

test('a language chooses the wikis that speak it and a name chooses one', () => {
  const kept = [
    { key: 'es.wikipedia.org', language: 'es' },
    { key: 'en.wikipedia.org', language: 'en' },
    { key: 'wiki.example', language: 'es' },
  ]
  const keys = (filter: MetricFilter) => chooseWikis(filter, kept).map(({ key }) => key)
  assert.deepEqual(keys({ locale: 'es' }), ['es.wikipedia.org', 'wiki.example'])
  assert.deepEqual(keys({ wiki: 'en.wikipedia.org' }), ['en.wikipedia.org'])
  assert.deepEqual(keys({ wiki: 'en.wikipedia.org', locale: 'es' }), [])
  assert.equal(keys({}).length, 3)
})
