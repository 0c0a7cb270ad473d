// Goal: clients and volunteers see what they spent and earned, and no one else's data, and the
// books balance. Method: a whole station on virtual time, one batch fetched and paid, read back
// through the API.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StatementLine } from '@minga/fleet'
import type { BatchView, SortedPage } from '@minga/protocol'
import { openStation, TOKENS, type TestStation, type Web } from '../../test/station-fixture.ts'

const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }
const WEB: Web = { 'http://a.test/1': { body: 'one' }, 'http://a.test/2': { body: 'two' } }

const get = (station: TestStation, url: string, headers: Record<string, string> = KEY) =>
  station.inject({ url: `/api${url}`, headers })

async function text(station: TestStation, url: string): Promise<string> {
  const response = await station.app.inject({
    url: `/api${url}`,
    headers: { host: 'localhost', ...KEY },
  })
  assert.equal(response.statusCode, 200, response.body)
  return response.body
}

/** Two pages captured, one address denied; then the books of the batch are closed. */
async function paidBatch(): Promise<TestStation> {
  const station = await openStation()
  const urls = [...Object.keys(WEB), 'http://127.0.0.1/']
  const { id } = (await station.post('/batches', { urls })).body as BatchView
  await station.hello()
  for (;;) {
    const batch = (await get(station, `/batches/${id}`)).body as BatchView
    if (batch.open === 0) break
    await station.send(station.fetch(await station.lease(), WEB))
  }
  await station.store.call('closeBatch', { id, client: 'operator', now: station.clock.now() })
  return station
}

test('a client pays for what was captured only, and the rest of what was reserved comes back', async () => {
  const station = await paidBatch()
  const { body } = await get(station, '/balance')
  assert.deepEqual(body, { account: 'client:operator', balanceMicros: -2_000, requests: 0 })
  const earned = (await get(station, '/balance?as=volunteer')).body as { balanceMicros: number }
  assert.equal(earned.balanceMicros, 1_400, '70 % of two requests')
  const { isTrue } = (await get(station, '/ledger/check')).body as { isTrue: boolean }
  assert.equal(isTrue, true)
})

test('a statement tells every posting with the balance after it, as lines or as a table', async () => {
  const station = await paidBatch()
  const lines = (await text(station, '/statement')).trim().split('\n')
  const postings = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
  assert.deepEqual(
    postings.map(({ kind, amountMicros, balanceMicros }) => [kind, amountMicros, balanceMicros]),
    [
      ['reservation', -3_000, -3_000],
      ['close', 1_000, -2_000],
    ],
  )
  const [head, ...rows] = (await text(station, '/statement?format=csv')).trim().split('\n')
  assert.match(head!, /kind/)
  assert.equal(rows.length, 2)
})

test('a statement is also read in pages, the newest line first, or as it is asked for', async () => {
  const station = await paidBatch()
  const read = async (query: string): Promise<SortedPage<StatementLine>> =>
    (await get(station, `/statement/page?${query}`)).body as SortedPage<StatementLine>
  const kinds = (page: SortedPage<StatementLine>): string[] => page.rows.map(({ kind }) => kind)
  const first = await read('limit=1')
  assert.deepEqual([kinds(first), first.total], [['close'], 2])
  const rest = await read(`limit=5&cursor=${first.next}`)
  assert.deepEqual([kinds(rest), rest.next], [['reservation'], null])
  assert.deepEqual(kinds(await read('sort=amountMicros')), ['reservation', 'close'])
  assert.deepEqual(kinds(await read('kind=close')), ['close'])
  assert.deepEqual(kinds(await read('text=nothing-like-this')), [])
  assert.equal((await get(station, '/statement/page?sort=secret')).status, 400)
})

test('the leaderboard lists only users who chose a name', async () => {
  const station = await paidBatch()
  assert.deepEqual((await get(station, '/leaderboard')).body, [])
  assert.equal((await station.post('/me/board-name', { name: 'Ana' })).status, 200)
  assert.deepEqual((await get(station, '/leaderboard')).body, [
    { name: 'Ana', earnedMicros: 1_400, requests: 2 },
  ])
  await station.post('/me/board-name', { name: null })
  assert.deepEqual((await get(station, '/leaderboard')).body, [])
})

test('earnings cannot be read without a key', async () => {
  const station = await openStation()
  for (const path of ['/balance', '/statement', '/statement/page', '/quota', '/ledger/check']) {
    assert.equal((await get(station, path, {})).status, 401, path)
  }
})
