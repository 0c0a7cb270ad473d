// Goal: counts, averages, modes and custom queries return over HTTP what the history says, at once
// or later. Method: the oracle's history in a real store, asked through the station's API and
// compared with a manual count.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { ORACLE, oracleHistory } from '@minga/testkit'
import type { Revision } from '@minga/wiki'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused, type TestStation } from '../../../test/station-fixture.ts'
import {
  keep,
  oracleStation,
  otherHistory,
  rowsOf,
  v1,
  type V1Said,
} from '../../../test/wiki/v1/v1-fixture.ts'

const { revisions } = oracleHistory()

async function answerOf(station: TestStation, path: string): Promise<Record<string, unknown>> {
  const { status, body, text } = await v1(station, path)
  assert.equal(status, 200, `${path}: ${text}`)
  return body as Record<string, unknown>
}

const ask = (station: TestStation, body: object, query = ''): Promise<V1Said> =>
  v1(station, `/query${query}`, { method: 'POST', payload: body })

/** What a task came to. */
async function resultAt(station: TestStation, said: V1Said): Promise<Record<string, unknown>> {
  assert.equal(said.status, 202, said.text)
  const { Location } = said.body as { Location: string }
  assert.equal(said.headers['location'], Location)
  const path = Location.slice(Location.indexOf('/status'))
  for (let looks = 0; looks < 2_000; looks++) {
    await station.tick()
    const status = await answerOf(station, path)
    if (status['ended'] !== null) return status
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('the task does not end')
}

async function judgeOracles(station: TestStation): Promise<void> {
  const { countOn, average, modeUser, tiedUsers, hiddenUser, firstOf, pageTwo } = ORACLE
  assert.deepEqual(await answerOf(station, `/count?date=${countOn.date}`), { count: 10 })
  const { user, datestart, dateend } = average
  const asked = new URLSearchParams({ user, datestart, dateend }).toString()
  assert.deepEqual(await answerOf(station, `/avg?${asked}`), { avg: 0.2, count: 2, days: 10 })
  for (const { date, users, count } of [modeUser, tiedUsers, hiddenUser]) {
    const mode = await answerOf(station, `/mode?attribute=user&date=${date}`)
    assert.deepEqual(new Set(mode['user'] as string[]), new Set<string>(users))
    assert.equal(mode['count'], count)
  }
  const [first] = await rowsOf(station, `/revisions?user=${firstOf.user}&sort=asc`)
  assert.equal(first!['revid'], firstOf.revId)
  const [second] = await rowsOf(station, `/revisions?page=2&page_size=${pageTwo.pageSize}`)
  assert.equal(second!['revid'], pageTwo.firstRevId)
}

test('Count/avg/mode + filters: any filters over HTTP choose what a manual count chooses', async () => {
  const station = await oracleStation()
  const users = [...new Set(revisions.flatMap(({ user }) => (user === null ? [] : [user])))]
  const days = [...new Set(revisions.map(({ at }) => new Date(at).toISOString().slice(0, 10)))]
  const filters = fc.record(
    {
      user: fc.constantFrom(...users),
      datestart: fc.constantFrom(...days),
      dateend: fc.constantFrom(...days),
      size: fc.integer({ min: 1, max: 1_300 }),
      sizematch: fc.constantFrom(-1, 0, 1),
      tag: fc.constantFrom('mobile edit', 'undo'),
    },
    { requiredKeys: [] },
  )
  await fc.assert(
    fc.asyncProperty(filters, async (given) => {
      const { datestart, dateend, size, sizematch } = given
      fc.pre(!(datestart !== undefined && dateend !== undefined && dateend < datestart))
      fc.pre(!(sizematch !== undefined && size === undefined))
      const texts = Object.entries(given).map(([name, value]) => [name, String(value)])
      const asked = new URLSearchParams(Object.fromEntries(texts)).toString()
      const chosen = revisions.filter((revision) => isChosen(revision, given))
      assert.deepEqual(await answerOf(station, `/count?${asked}`), { count: chosen.length })
      const tally = new Map<string, number>()
      for (const { user } of chosen) if (user !== null) tally.set(user, (tally.get(user) ?? 0) + 1)
      const most = Math.max(0, ...tally.values())
      const mode = await answerOf(station, `/mode?attribute=user&${asked}`)
      const expected = [...tally].filter(([, count]) => count === most).map(([user]) => user)
      assert.deepEqual(new Set(mode['user'] as string[]), new Set(expected))
      if (datestart === undefined || dateend === undefined) return
      const { avg, count } = await answerOf(station, `/avg?${asked}`)
      const span = (Date.parse(dateend) - Date.parse(datestart)) / 86_400_000 + 1
      assert.deepEqual([avg, count], [chosen.length / span, chosen.length])
    }),
    { seed: 7, numRuns: 60 },
  )
})

interface Filters {
  user?: string
  datestart?: string
  dateend?: string
  size?: number
  sizematch?: number
  tag?: string
}

function isChosen(revision: Revision, given: Filters): boolean {
  const day = new Date(revision.at).toISOString().slice(0, 10)
  const { user, datestart, dateend, size, sizematch = 0, tag } = given
  return (
    (user === undefined || revision.user === user) &&
    (datestart === undefined || day >= datestart) &&
    (dateend === undefined || day <= dateend) &&
    (tag === undefined || revision.tags.includes(tag)) &&
    (size === undefined || Math.sign(revision.size! - size) === sizematch)
  )
}

test('Count/avg/mode + filters: what is invalid is refused with a sentence', async () => {
  const station = await oracleStation()
  const refused = async (path: string, sentence: RegExp) =>
    assertRefused(await v1(station, path), '400 MINGA_BAD_WIKI_FILTER', sentence)
  await refused('/count?datestart=2004-05-02&dateend=2004-05-01', /before datestart/)
  await refused('/count?size=0', /size is below 1/)
  await refused('/count?date=yesterday', /is no day/)
  await refused('/avg?datestart=2004-05-01', /both datestart and dateend/)
  await refused('/mode?user=PresN', /attribute must be one of/)
  await refused('/mode?attribute=comment', /attribute must be one of/)
  const unknown = await v1(station, '/count?wiki=nowhere.example')
  assertRefused(unknown, '404 MINGA_NO_SUCH_WIKI', /corpus\.example/)
})

test('Count/avg/mode + filters: wikis and languages are distinguished', async () => {
  const station = await oracleStation()
  await keep(station, otherHistory())
  const count = async (query: string) => (await answerOf(station, `/count?${query}`))['count']
  assert.equal(await count(''), ORACLE.total + 3)
  assert.equal(await count('locale=es'), 3)
  assert.equal(await count('wiki=corpus.example'), ORACLE.total)
  assert.equal(await count('locale=qu'), 0)
  const mode = await answerOf(station, '/mode?attribute=title&locale=es')
  assert.deepEqual(mode, { attribute: 'title', title: ['Asedio'], count: 3, without: 0 })
})

test('Half-open date defaults: without an end until now, without a beginning from the first revision', async () => {
  const station = await oracleStation()
  const count = async (query: string) => (await answerOf(station, `/count?${query}`))['count']
  assert.equal(await count('datestart=2018-02-19'), 5)
  assert.equal(await count('dateend=2004-05-01'), 2)
  assert.equal(await count(''), ORACLE.total)
  const { site, page } = oracleHistory()
  const tomorrow = { ...revisions.at(-1)!, revId: 1e9, at: station.clock.now() + 86_400_000 }
  await keep(station, { site, page, revisions: [tomorrow] })
  assert.equal(await count('datestart=2018-02-19'), 5)
  await station.clock.advance(2 * 86_400_000)
  assert.equal(await count('datestart=2018-02-19'), 6)
})

test('Whitelist: unknown parameter changes nothing', async () => {
  const station = await oracleStation()
  const unknown = '$where=1&tags[]=x&colour=r%C3%B6t%0Aset-cookie:a'
  for (const path of ['/count?user=PresN', '/revisions?user=PresN', '/articles?ns=0']) {
    const plain = await v1(station, path)
    const odd = await v1(station, `${path}&${unknown}`)
    assert.equal(odd.text, plain.text)
    assert.equal(plain.headers['x-ignored-parameters'], undefined)
    const listed = String(odd.headers['x-ignored-parameters'])
    assert.equal(listed, '%24where, tags%5B%5D, colour')
    assert.match(String(odd.headers['warning']), /^299 - ".*%24where/)
  }
})

test("Custom aggregation: groups, measures and orders of one's own", async () => {
  const station = await oracleStation()
  const { status, body } = await ask(station, {
    match: { timestamp: { gte: '2018-02-19', lt: '2018-02-20' } },
    by: ['user'],
    measure: { edits: { count: true } },
    sort: ['-edits', 'user'],
    limit: 2,
  })
  assert.equal(status, 200)
  assert.deepEqual(body, {
    columns: ['user', 'edits'],
    rows: [
      { user: 'Lordtobi', edits: 3 },
      { user: '192.0.2.44', edits: 1 },
    ],
    isCut: true,
  })
  const csv = await ask(station, { by: ['year'], sort: ['year'], limit: 2 }, '?format=csv')
  assert.equal(csv.text, 'year,count\r\n2004,17\r\n2005,1\r\n')
})

test('Custom aggregation: writes, code and runaway questions are refused', async () => {
  const station = await oracleStation()
  const refused = async (body: object, sentence: RegExp) =>
    assertRefused(await ask(station, body), '400 MINGA_BAD_WIKI_QUERY', sentence)
  await refused([{ $group: { _id: '$user' } }, { $out: 'revisions' }], /must be an object|object/)
  await refused({ $out: 'x' }, /\$out/)
  await refused({ match: { $where: 'sleep(1000)' } }, /\$where/)
  await refused({ by: ['user; DROP TABLE wikis'] }, /DROP/)
  await refused({ measure: { 'x" FROM y': { count: true } } }, /no name of letters/)
  await refused({ limit: 1e9 }, /limit/)
  assert.deepEqual(await answerOf(station, '/count'), { count: ORACLE.total })
})

test('Async task + progress: a metric is worked out in the background and its answer is the result', async () => {
  const station = await oracleStation()
  const counted = await v1(station, '/count?date=2004-06-22&background=true')
  const { state, result, kind, status } = await resultAt(station, counted)
  assert.deepEqual(
    [state, result, kind, status],
    ['SUCCESS', { count: 10 }, 'metric', 'Task completed!'],
  )
  const headers = { prefer: 'respond-async' }
  const mode = await v1(station, '/mode?attribute=user&date=2018-02-19', { headers })
  assert.equal(mode.headers['preference-applied'], 'respond-async')
  const found = (await resultAt(station, mode))['result'] as Record<string, unknown>
  assert.deepEqual(found['user'], ['Lordtobi'])
  const asked = await ask(station, { by: ['year'], limit: 1 }, '?background=true')
  const { rows } = (await resultAt(station, asked))['result'] as { rows: object[] }
  assert.equal(rows.length, 1)
  // What is wrong is said at once.
  assertRefused(
    await v1(station, '/avg?background=true'),
    '400 MINGA_BAD_WIKI_FILTER',
    /both datestart and dateend/,
  )
  const listed = await rowsOf(station, '/tasks?kind=metric')
  assert.deepEqual(
    listed.map((task) => task['state']),
    ['SUCCESS', 'SUCCESS', 'SUCCESS'],
  )
})

async function judgeAbandoned(station: TestStation): Promise<void> {
  const question = { metric: 'count', given: {}, owner: null }
  const now = station.clock.now()
  const id = await station.store.call('openMetricTask', { question, most: 9, now })
  await station.store.call('claimMetricTask', { now, abandonedBefore: 0 })
  await station.tick()
  assert.equal((await answerOf(station, `/status/${id}`))['state'], 'IN PROGRESS')
  await station.clock.advance(3_600_000)
  const said = { status: 202, headers: { location: `/status/${id}` }, text: '' }
  const task = await resultAt(station, { ...said, body: { Location: `/status/${id}` } })
  assert.deepEqual([task['result'], task['attempts']], [{ count: ORACLE.total }, 2])
  await station.clock.advance(86_400_001)
  await v1(station, '/count?background=true')
  assertRefused(await v1(station, `/status/${id}`), '404 MINGA_NO_SUCH_WIKI_TASK', /no task/)
}

for (const engine of ENGINES) {
  test(
    `Oracles: count, average, mode and order over HTTP are those of the reference, on ${engine.name}`,
    {
      skip: engine.skip,
    },
    async () => judgeOracles(await oracleStation({ engine })),
  )
}

for (const engine of ENGINES) {
  test(
    `a metric whose coordinator died is worked out by the next one, and answers are kept for a day, on ${engine.name}`,
    {
      skip: engine.skip,
    },
    async () => judgeAbandoned(await oracleStation({ engine })),
  )
}

test('countries of anonymous editors are listed as totals of groups that are large enough', async () => {
  const station = await oracleStation({
    countryOf: (address) => (address.startsWith('10.') ? 'PE' : null),
  })
  const { site, page } = oracleHistory()
  const anonymous = Array.from({ length: 12 }, (_, index) => ({
    ...revisions.at(-1)!,
    revId: 900_000_000 + index,
    user: `10.0.0.${index}`,
    editor: 'anonymous' as const,
  }))
  await keep(station, { site, page, revisions: anonymous })
  const answer = await v1(station, '/countries')
  assert.deepEqual(answer.body, {
    countries: [{ country: 'PE', editors: 12, edits: 12 }],
    others: null,
    atLeast: 10,
  })
  assert.ok(!answer.text.includes('10.0.0.'))
})
