// Goal: what an account keeps private is returned by no reading route, whether documented in the
// API document or not, until it is shared. Method: a station with a crawl, a watch and texts of one
// account; others try all routes.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { CollectionStatus, Sharing } from '@minga/protocol'
import { openPeople, type People } from '../../../test/accounts/people-fixture.ts'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import { TOKENS } from '../../../test/station-fixture.ts'
import {
  walk,
  type Values,
  type Walked,
} from '../../../test/accounts/visibility/route-walk-fixture.ts'

const HOST = 'hidden-valley.test'
const SEED = `http://${HOST}/`
/** Strings that no request contains: an answer that has one of them reveals the private object. */
const MARKS = [
  'quipu-ledger',
  'chakana-words',
  'inner-path',
  'test,hidden-valley',
  '20260506000000',
]
const WEB = {
  [SEED]: {
    body: '<title>quipu-ledger</title><p>llama chakana-words</p><a href="/inner-path">in</a>',
  },
  [`${SEED}inner-path`]: { body: '<title>quipu-ledger two</title>' },
}

interface Stage {
  people: People
  id: number
  watch: number
  ana: string
  eve: string
}

async function stage(engine = ENGINES[0]!): Promise<Stage> {
  const people = await openPeople({ readOpenly: false, engine })
  const { station } = people
  const { token: ana } = await people.person('ana', 'collector', 'reader')
  const roles = ['collector', 'reader', 'client', 'volunteer'] as const
  const { token: eve } = await people.person('eve', ...roles)
  await station.hello()
  const request = { seeds: [SEED], delayMs: 0, visibility: 'private' }
  const { id } = await people.ok<CollectionStatus>(ana, 'POST', '/collections', request)
  for (let queued = 1; queued > 0;) {
    await station.send(station.fetch(await station.lease(), WEB))
    const [status] = await station.store.call('collectionStatus', { id })
    queued = status!.queued
  }
  const asked = { urls: [`${SEED}inner-path`], name: 'quipu-ledger watch' }
  const watch = (await people.ok<{ id: number }>(ana, 'POST', '/watches', asked)).id
  await people.ok(ana, 'PATCH', `/collections/${watch}/sharing`, { visibility: 'private' })
  await station.texts.tick()
  return { people, id, watch, ana, eve }
}

const valuesOf = (id: number): Values => ({
  id: String(id),
  collection: String(id),
  number: '1',
  collectionId: String(id),
  watch: String(id),
  url: SEED,
  q: 'llama',
  text: 'llama',
  search: HOST,
  host: HOST,
  by: 'host',
  before: `${id}/1`,
  after: `${id}/1`,
  at: String(Date.UTC(2027, 0, 1)),
})

const besides = (id: number): string[] => [
  `/cdx?url=${HOST}/*`,
  `/cdx?url=${HOST}&matchType=host&output=json`,
  `/memento/timegate/${SEED}`,
  `/memento/timemap/link/${SEED}`,
  `/memento/timemap/json/${SEED}`,
  `/memento/2026/${SEED}`,
  `/api/archive/search?q=${HOST}&by=host`,
  `/api/archive/search?q=quipu&by=title`,
  `/api/archive/text?q=chakana`,
  `/api/collections/list?q=${id}`,
]

const bearer = (token: string): Record<string, string> => ({ authorization: `Bearer ${token}` })

const telling = (walked: readonly Walked[]): string[] =>
  walked
    .filter(({ route, text }) => {
      const marks = route.includes(HOST) ? MARKS : [...MARKS, HOST]
      return marks.some((mark) => text.includes(mark))
    })
    .map(({ route }) => route)

async function walkAs({ people, id, watch }: Stage, token: string | null): Promise<Walked[]> {
  const { app } = people.station
  const headers = token === null ? {} : bearer(token)
  const found: Walked[] = []
  for (const one of [id, watch]) {
    found.push(...(await walk(app, { headers, values: valuesOf(one), more: besides(one) })))
  }
  return found
}

for (const engine of ENGINES) {
  const name = `no reading route tells an account of what another keeps private (${engine.name})`
  test(name, { skip: engine.skip }, async () => {
    const all = await stage(engine)
    assert.deepEqual(telling(await walkAs(all, all.eve)), [])
    assert.deepEqual(telling(await walkAs(all, null)), [])
    const own = telling(await walkAs(all, all.ana))
    assert.ok(own.length > 30, `the owner finds it by ${own.length} routes`)
  })
}

test('a thing is read by those it is shared with, by all readers or by everyone', async () => {
  const { people, id, ana, eve } = await stage()
  const seen = async (): Promise<boolean[]> => [
    (await people.call(eve, 'GET', `/collections/${id}`)).status === 200,
    (await people.ok<unknown[]>(eve, 'GET', '/captures')).length > 0,
    (await people.call(null, 'GET', `/collections/${id}`)).status === 200,
    (await people.call(null, 'GET', '/captures')).status === 200,
  ]
  const share = (change: Partial<Sharing>): Promise<Sharing> =>
    people.ok(ana, 'PATCH', `/collections/${id}/sharing`, change)
  assert.deepEqual(await seen(), [false, false, false, false])
  const { sharedWith } = await share({ sharedWith: ['Eve'] })
  assert.deepEqual(sharedWith, ['eve'])
  assert.deepEqual(await seen(), [true, true, false, false])
  await share({ sharedWith: [] })
  assert.deepEqual(await seen(), [false, false, false, false])
  await share({ visibility: 'shared' })
  assert.deepEqual(await seen(), [true, true, false, false])
  await share({ visibility: 'public' })
  assert.deepEqual(await seen(), [true, true, true, true])
  const all = { after: 0, limit: 1_000 }
  const entries = await people.station.store.call('readAudit', all)
  const acts = entries.filter((entry) => entry.act === 'collection:sharing')
  const own = acts.filter(({ subject }) => subject === String(id))
  const ids = own.map(({ details }) => details['sharedWith'])
  assert.match(String(ids[0]), /^acct_\w+$/)
  assert.deepEqual(ids.slice(1), ['', '', ''])
  assert.deepEqual(own.at(-1)!.details['visibility'], 'public')
})

test('only the owner and operators decide who reads, and a station without private things is as before', async () => {
  const { people, id, ana, eve } = await stage()
  const path = `/collections/${id}/sharing`
  assert.equal(await people.outcome(eve, 'GET', path), '404 MINGA_NO_SUCH_COLLECTION')
  const open = { visibility: 'shared' }
  assert.equal(await people.outcome(eve, 'PATCH', path, open), '404 MINGA_NO_SUCH_COLLECTION')
  const nobody = { sharedWith: ['nobody-here'] }
  assert.equal(await people.outcome(ana, 'PATCH', path, nobody), '404 MINGA_NO_SUCH_ACCOUNT')
  const { owner } = await people.ok<Sharing>(TOKENS.apiKey, 'PATCH', path, open)
  assert.match(owner!, /^acct_/)
  assert.equal(await people.outcome(eve, 'PATCH', path, open), '403 MINGA_FORBIDDEN')
  const rerun = `/collections/${id}/rerun`
  await people.ok(ana, 'PATCH', path, { visibility: 'private' })
  assert.equal(await people.outcome(eve, 'POST', rerun), '404 MINGA_NO_SUCH_COLLECTION')
})

test('questions in SQL and rows of tables leave out what the asker may not see', async () => {
  const { people, ana, eve } = await stage()
  await people.station.lake.feeds.flush(['captures'])
  const sql = { sql: 'SELECT url FROM captures', format: 'json' }
  const rows = async (token: string): Promise<unknown[]> =>
    (await people.ok<{ rows: unknown[] }>(token, 'POST', '/sql', sql)).rows
  assert.ok((await rows(ana)).length > 0)
  assert.deepEqual(await rows(eve), [])
  const table = await people.ok<{ rows: unknown[] }>(eve, 'GET', '/tables/captures/rows')
  assert.deepEqual(table.rows, [])
  const query = {
    name: 'pages',
    about: 'Pages',
    inputs: { captures: { table: 'captures' } },
    parameters: {},
    from: { step: 'scan', input: 'captures' },
    output: { columns: ['url'], order: [{ column: 'url' }] },
  }
  const asked = { id: randomUUID(), queries: [query] }
  const refused = await people.outcome(eve, 'POST', '/queries', asked)
  assert.equal(refused, '409 MINGA_TABLE_NOT_FOR_THIS')
})
