// Goal: users' own queries get right answers and can do no harm. Method: the reference aggregations
// written in the language, random questions against loops, and every way that was thought of to
// write, run code or run away.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { BadWikiQuery } from '../errors.ts'
import {
  askedHistory,
  fixtureRevision,
  openAsk,
  type FixtureRevision,
} from '../../test/metrics/history-fixture.ts'
import { compileQuery, runQuery } from './query.ts'

const REVISIONS = [
  fixtureRevision({
    revId: 1,
    user: 'Ada',
    size: 100,
    at: Date.parse('2004-01-31T23:30:00Z'),
    tags: ['undo'],
  }),
  fixtureRevision({ revId: 2, user: 'Bo', size: 300, at: Date.parse('2004-02-01T00:30:00Z') }),
  fixtureRevision({
    revId: 3,
    user: 'Ada',
    size: 50,
    at: Date.parse('2004-02-02T12:00:00Z'),
    isMinor: true,
  }),
  fixtureRevision({ revId: 4, user: null, size: null, at: Date.parse('2005-02-02T12:00:00Z') }),
  fixtureRevision({
    revId: 5,
    pageId: 2,
    user: 'Bo',
    size: 7,
    at: Date.parse('2005-03-02T12:00:00Z'),
    tags: ['undo', 'mobile edit'],
  }),
]

test('Custom aggregation: match, project and limit answer as the reference pipeline did', async () => {
  const { ask } = await askedHistory(REVISIONS)
  const answer = await runQuery(ask, {
    match: { pageid: 1 },
    project: ['pageid', 'revid'],
    sort: ['revid'],
    limit: 2,
  })
  assert.deepEqual(answer, {
    columns: ['pageid', 'revid'],
    rows: [
      { pageid: 1, revid: 1 },
      { pageid: 1, revid: 2 },
    ],
    isCut: true,
  })
})

test('Custom aggregation: a group with sums works as $group did, bytes per user among them', async () => {
  const { ask } = await askedHistory(REVISIONS)
  const { rows } = await runQuery(ask, {
    match: { user: { ne: null } },
    by: ['user'],
    measure: {
      bytes: { sum: 'size' },
      edits: { count: true },
      pages: { distinct: 'pageid' },
      median: { quantile: ['size', 0.5] },
      last: { max: 'timestamp' },
    },
    having: { edits: { gte: 2 } },
    sort: ['-bytes'],
  })
  assert.deepEqual(rows, [
    { user: 'Bo', bytes: 307, edits: 2, pages: 2, median: 153.5, last: '2005-03-02T12:00:00.000Z' },
    { user: 'Ada', bytes: 150, edits: 2, pages: 1, median: 75, last: '2004-02-02T12:00:00.000Z' },
  ])
})

test('Custom aggregation: time falls into hours, weekdays, days, months and years of UTC', async () => {
  const { ask } = await askedHistory(REVISIONS)
  const { rows } = await runQuery(ask, { by: ['year', 'month'], sort: ['month'] })
  assert.deepEqual(rows, [
    { year: 2004, month: '2004-01', count: 1 },
    { year: 2004, month: '2004-02', count: 2 },
    { year: 2005, month: '2005-02', count: 1 },
    { year: 2005, month: '2005-03', count: 1 },
  ])
  const first = await runQuery(ask, { match: { revid: 1 }, by: ['hour', 'weekday', 'day'] })
  assert.deepEqual(first.rows, [{ hour: 23, weekday: 6, day: '2004-01-31', count: 1 }])
})

test('Custom aggregation: lists, digests, flags and times can be matched and shown', async () => {
  const { ask } = await askedHistory(REVISIONS)
  const { rows } = await runQuery(ask, {
    match: {
      tags: { has: 'undo' },
      minor: false,
      timestamp: { gte: '2004-01-31', lt: '2006-01-01T00:00:00+01:00' },
    },
    sort: ['-timestamp'],
    project: ['revid', 'tags', 'title'],
  })
  assert.deepEqual(rows, [
    { revid: 5, tags: ['undo', 'mobile edit'], title: null },
    { revid: 1, tags: ['undo'], title: 'Dungeon Siege' },
  ])
})

type Condition = Record<string, unknown>

const leaves: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ size: fc.record({ gte: fc.constantFrom(7, 50, 100) }) }),
  fc.record({ user: fc.constantFrom('Ada', 'Bo', null) }),
  fc.record({ user: fc.record({ ne: fc.constantFrom('Ada', null) }) }),
  fc.record({
    revid: fc.record({ in: fc.uniqueArray(fc.integer({ min: 1, max: 5 }), { minLength: 1 }) }),
  }),
  fc.record({ user: fc.record({ prefix: fc.constantFrom('A', 'B', '%') }) }),
)
const { tree } = fc.letrec<{ tree: Condition }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3 },
    leaves,
    fc.record({ and: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ or: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('tree') }),
  ),
}))

/** Two-valued, as people think: what is not known is not so. */
function holds(condition: Condition, revision: FixtureRevision): boolean {
  return Object.entries(condition).every(([key, value]) => {
    if (key === 'and') return (value as Condition[]).every((part) => holds(part, revision))
    if (key === 'or') return (value as Condition[]).some((part) => holds(part, revision))
    if (key === 'not') return !holds(value as Condition, revision)
    return holdsField(key, value, revision)
  })
}

function holdsField(key: string, value: unknown, { user, size, revId }: FixtureRevision): boolean {
  if (key === 'size') return size !== null && size >= (value as { gte: number }).gte
  if (key === 'revid') return (value as { in: number[] }).in.includes(revId)
  if (value === null || typeof value === 'string') return user === value
  const words = value as { ne?: string | null; prefix?: string }
  return words.prefix === undefined ? user !== words.ne : user?.startsWith(words.prefix) === true
}

test('Custom aggregation: any mixture of and, or and not chooses what a loop chooses', async () => {
  const { ask } = await askedHistory(REVISIONS)
  await fc.assert(
    fc.asyncProperty(tree, async (match) => {
      const { rows } = await runQuery(ask, { match, project: ['revid'], sort: ['revid'] })
      const expected = REVISIONS.filter((revision) => holds(match, revision)).map((r) => r.revId)
      assert.deepEqual(
        rows.map(({ revid }) => revid),
        expected,
      )
    }),
    { numRuns: 150, seed: 6 },
  )
})

const deep = Array.from({ length: 9 }).reduce<Condition>((inner) => ({ not: inner }), { revid: 1 })

const REFUSED: [string, unknown, RegExp][] = [
  ['a pipeline that writes', [{ $out: 'x' }], /must be an object/],
  ['a word that writes', { $out: 'x' }, /"\$out", which is not known; known are match, by/],
  ['code', { match: { $where: 'while(true){}' } }, /match has "\$where", which is not known/],
  [
    'code as a value',
    { match: { user: { $function: {} } } },
    /is not known; a field like this takes/,
  ],
  ['a field that is inherited', { match: { constructor: 1 } }, /"constructor", which is not known/],
  [
    'a function as a measure',
    { measure: { x: { accumulator: 'f' } } },
    /"accumulator", which is not known/,
  ],
  ['SQL as a name', { measure: { 'x" FROM pages; --': { count: true } } }, /is no name of letters/],
  ['SQL as a field', { by: ['user"; DROP TABLE revisions; --'] }, /by has .*which is not known/],
  ['SQL as an order', { sort: ['revid; DELETE'] }, /which is not known/],
  ['SQL as a limit', { limit: '1; DROP' }, /limit must be a whole number/],
  ['too many rows', { limit: 1_000_000 }, /limit must be a whole number from 1 to 10000/],
  ['too deep a nesting', { match: deep }, /nested deeper than 8/],
  [
    'too long a list',
    { match: { revid: { in: Array.from({ length: 1001 }, (_, i) => i) } } },
    /1 to 1000 values/,
  ],
  [
    'too many conditions',
    { match: { or: Array.from({ length: 101 }, () => ({ revid: 1 })) } },
    /at most 100 conditions/,
  ],
  ['too many groups', { by: ['user', 'hour', 'day', 'month', 'year'] }, /at most 4 fields/],
  [
    'a text where a number is meant',
    { match: { size: { gt: '5' } } },
    /match\.size\.gt must be a number/,
  ],
  [
    'a time without a zone',
    { match: { timestamp: '2004-06-22T10:00:00' } },
    /must be a time as in/,
  ],
  ['a group by a list', { by: ['tags'] }, /it is a list/],
  ['a share beyond one', { measure: { x: { quantile: ['size', 2] } } }, /a field and a share/],
  ['having without groups', { having: { revid: 1 } }, /having is about groups/],
  [
    'a name twice',
    { by: ['user'], measure: { user: { count: true } } },
    /both a group and a measure/,
  ],
]

for (const [what, body, message] of REFUSED) {
  test(`Custom aggregation: ${what} is refused with a sentence`, () => {
    assert.throws(
      () => compileQuery(body),
      (error) => error instanceof BadWikiQuery && message.test(error.message),
    )
  })
}

test('Custom aggregation: values that look like SQL stay values', async () => {
  const { ask } = await askedHistory(REVISIONS)
  const { rows } = await runQuery(ask, { match: { user: "x' OR '1'='1" } })
  assert.deepEqual(rows, [])
  assert.doesNotMatch(compileQuery({ match: { user: "x' OR" } }).statement, /x' OR/)
})

test('Custom aggregation: a question that takes longer than its time is interrupted', async () => {
  const { connection, ask } = await openAsk()
  await connection.run(
    `CREATE TEMP VIEW revisions AS SELECT 'w' AS wiki, i AS page_id, i AS rev_id, i AS "at", md5(i::VARCHAR) AS "user"
     FROM range(1000000000) t(i)`,
  )
  const started = performance.now()
  const question = { by: ['user'], measure: { pages: { distinct: 'pageid' } } }
  await assert.rejects(runQuery(ask, question, { rowsMax: 10, timeMs: 50 }), /INTERRUPT/i)
  assert.ok(performance.now() - started < 20_000)
})
