// Goal: tables and saved questions are private, shared or public as collections are, and readers of
// another user's table or question cannot change it. Method: a station with a worker, and the walk
// through all reading routes.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SavedView, Sharing, SqlAnswer, TableView } from '@minga/protocol'
import { ENGINES, type TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import { LakeStation } from '../../../test/lake/lake-fixture.ts'
import { openStation } from '../../../test/station-fixture.ts'
import { walk } from '../../../test/accounts/visibility/route-walk-fixture.ts'

const TABLE = 'quipu_ledger'
const MARKS = [TABLE, 'chakana-row', 'chakana-question']

interface Stage {
  lake: LakeStation
  saved: number
  ana: string
  eve: string
}

async function stage(engine: TestEngine): Promise<Stage> {
  const lake = new LakeStation(await openStation({ readOpenly: false, engine }))
  const { token: ana } = await lake.person('ana', 'collector', 'reader')
  const { token: eve } = await lake.person('eve', 'collector', 'reader', 'client')
  const upload = await lake.upload(ana, 'rows.csv', 'word,n\nchakana-row,1\n')
  const asked = { input: { upload } }
  assert.equal((await lake.call(ana, 'POST', `/tables/${TABLE}/import`, asked)).status, 202)
  await lake.work()
  const question = { kind: 'sql', name: 'chakana-question', text: 'SELECT 1' }
  const { id } = await lake.ok<SavedView>(ana, 'POST', '/saved-queries', question)
  return { lake, saved: id, ana, eve }
}

async function telling({ lake, saved }: Stage, token: string | null): Promise<string[]> {
  const headers = token === null ? {} : { authorization: `Bearer ${token}` }
  const values = { name: TABLE, id: String(saved), of: 'shared' }
  const found = await walk(lake.station.app, { headers: { ...headers }, values })
  return found
    .filter(({ route, text }) =>
      MARKS.some((mark) => text.includes(mark) && !(mark === TABLE && route.includes(TABLE))),
    )
    .map(({ route }) => route)
}

/** Of each change in the audit log: the visibility, and how many accounts were named. */
async function sharings({ station }: LakeStation, subject: string): Promise<string[]> {
  const all = { after: 0, limit: 1_000 }
  const entries = await station.store.call('readAudit', all)
  return entries
    .filter((entry) => /^(table|query):sharing$/.test(entry.act) && entry.subject === subject)
    .map(({ details: { visibility, sharedWith } }) => {
      return `${String(visibility)} ${String(sharedWith).split(' ').filter(Boolean).length}`
    })
}

for (const engine of ENGINES) {
  describe(`tables and questions on ${engine.name}`, { skip: engine.skip }, () => {
    test('a private table or query is revealed by reading routes only to its owner', async () => {
      const all = await stage(engine)
      assert.deepEqual(await telling(all, all.eve), [])
      assert.deepEqual(await telling(all, null), [])
      assert.ok((await telling(all, all.ana)).length > 3)
    })

    test('a table is read by those it is shared with, by all readers or by everyone, and changed by its owner', async () => {
      const { lake, ana, eve } = await stage(engine)
      const path = `/tables/${TABLE}`
      const share = (change: Partial<Sharing>): Promise<Sharing> =>
        lake.ok(ana, 'PATCH', `${path}/sharing`, change)
      const seen = async (): Promise<string[]> => [
        await lake.outcome(eve, 'GET', `${path}/rows`),
        await lake.outcome(null, 'GET', `${path}/rows`),
      ]
      const unknown = '404 MINGA_UNKNOWN_TABLE'
      const stranger = '401 MINGA_NOT_ALLOWED'
      assert.deepEqual(await seen(), [unknown, stranger])
      await share({ sharedWith: ['eve'] })
      assert.deepEqual(await seen(), ['200', stranger])
      const sql = { sql: `SELECT word FROM ${TABLE}` }
      assert.deepEqual((await lake.ok<SqlAnswer>(eve, 'POST', '/sql', sql)).rows, [['chakana-row']])
      for (const [method, what] of [
        ['DELETE', path],
        ['GET', `${path}/sharing`],
      ] as const) {
        assert.equal(await lake.outcome(eve, method, what), '409 MINGA_TABLE_NOT_FOR_THIS')
      }
      await share({ sharedWith: [] })
      assert.deepEqual(await seen(), [unknown, stranger])
      await share({ visibility: 'shared' })
      assert.deepEqual(await seen(), ['200', stranger])
      await share({ visibility: 'public' })
      assert.deepEqual(await seen(), ['200', '200'])
      assert.deepEqual(await sharings(lake, TABLE), [
        'private 1',
        'private 0',
        'shared 0',
        'public 0',
      ])
      const tables = await lake.ok<TableView[]>(null, 'GET', '/tables')
      assert.deepEqual(
        tables.map(({ name }) => name),
        [TABLE],
      )
    })

    test('a saved question is shared in the same words', async () => {
      const { lake, saved, ana, eve } = await stage(engine)
      const path = `/saved-queries/${saved}`
      const listed = async (token: string | null): Promise<number> =>
        (await lake.ok<SavedView[]>(token, 'GET', '/saved-queries?of=shared')).length
      assert.equal(await lake.outcome(eve, 'GET', path), '404 MINGA_NO_SUCH_SAVED_QUERY')
      assert.equal(await listed(eve), 0)
      await lake.ok(ana, 'PATCH', `${path}/sharing`, { sharedWith: ['eve'] })
      assert.equal(await lake.outcome(eve, 'GET', path), '200')
      assert.deepEqual([await listed(eve), await listed(ana)], [1, 0])
      for (const [method, what] of [
        ['DELETE', path],
        ['PATCH', path],
        ['GET', `${path}/sharing`],
      ] as const) {
        const refused = await lake.outcome(eve, method, what, method === 'PATCH' ? {} : undefined)
        assert.equal(refused, '404 MINGA_NO_SUCH_SAVED_QUERY')
      }
      assert.equal(await lake.outcome(null, 'GET', path), '401 MINGA_NOT_ALLOWED')
      await lake.ok(ana, 'PATCH', `${path}/sharing`, { visibility: 'public' })
      assert.equal(await lake.outcome(null, 'GET', path), '200')
      assert.equal(await listed(null), 1)
      assert.deepEqual(await sharings(lake, String(saved)), ['private 1', 'public 1'])
    })
  })
}
