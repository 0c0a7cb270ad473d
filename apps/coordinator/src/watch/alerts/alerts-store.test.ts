// Goal: each alert is sent to its recipients exactly once, whichever process dies and however many
// coordinators work. Method: the real operations on both databases, hand-made visits, stores that
// are closed between claiming and recording and opened again.
import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { alertSettings, type AlertSettings } from '@minga/protocol'
import type { Store } from '@minga/store'
import {
  ENGINES,
  type Home,
  type TestEngine,
} from '../../../../../packages/store/test/contract-engines.ts'
import type { AlertRule } from './alert-rules.ts'
import type {
  MadeVisit,
  AlertsFixtureOperations,
} from '../../../test/watch/alerts/alerts-fixture-operations.ts'
import type { ClaimedDelivery } from './deliveries.ts'

const START = Date.UTC(2026, 4, 6, 12)
const HOUR_MS = 3_600_000
const OPERATIONS = new URL(
  '../../../test/watch/alerts/alerts-fixture-operations.ts',
  import.meta.url,
).href

interface Desk {
  home: Home
  store: Store<AlertsFixtureOperations>
  now: number
}

async function openDesk(engine: TestEngine, t: TestContext): Promise<Desk> {
  const home = await engine.home()
  const desk = {
    home,
    store: await home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS }),
    now: START,
  }
  t.after(() => desk.store.close())
  return desk
}

let made = 0

function rule(
  { store, now }: Desk,
  settings: Partial<AlertSettings> = {},
  more: Partial<AlertRule> = {},
): Promise<AlertRule> {
  const id = `alr_${++made}`
  const to = { account: 'ana', watchId: 1, target: 'https://h.test/', ...more }
  return store.call('addAlertRule', {
    id,
    channel: 'webhook',
    ...to,
    settings: alertSettings.parse(settings),
    now,
  })
}

function visit({ store, now }: Desk, more: Partial<MadeVisit> = {}): Promise<void> {
  const usual = { watchId: 1, owner: 'ana', at: now, isImportant: true, magnitude: 0.5 }
  return store.call('makeVisit', { outcome: 'changed', ...usual, ...more })
}

/** Finds, forms and claims, as a coordinator does each second. */
async function claim({ store, now }: Desk): Promise<ClaimedDelivery[]> {
  while (await store.call('matchVisits', { now, limit: 100 }));
  await store.call('formDeliveries', { now, limit: 100, mailsPerHour: 3 })
  return store.call('claimDeliveries', { now, channels: ['webhook', 'email'], limit: 100 })
}

const told = (deliveries: readonly ClaimedDelivery[]): string[] =>
  deliveries.flatMap(({ alerts }) => alerts.map(({ kind, facts }) => `${kind} ${facts.url}`))

async function note(desk: Desk, { id, fence }: ClaimedDelivery, problem: string | null = null) {
  return desk.store.call('noteDelivery', { id, fence, problem, now: desk.now })
}

async function states({ store }: Desk): Promise<string[]> {
  const all = { owner: null, ruleId: null, watchId: null, limit: 100 }
  const rows = await store.call('alertDeliveries', all)
  return rows.map(({ state }) => state)
}

for (const engine of ENGINES) {
  describe(`alerts on ${engine.name}`, { skip: engine.skip }, () => {
    test('a rule tells of important changes of its watch from then on, and of nothing else', async (t) => {
      const desk = await openDesk(engine, t)
      await visit(desk, { hash: 9 })
      await rule(desk)
      await rule(desk, { changes: 'all', leastMagnitude: 0.2 }, { account: 'ana', watchId: null })
      await visit(desk, { hash: 1 })
      await visit(desk, { hash: 2, isImportant: false })
      await visit(desk, { hash: 3, isImportant: false, magnitude: 0.1 })
      await visit(desk, { hash: 4, outcome: 'unchanged', isImportant: false })
      await visit(desk, { hash: 5, outcome: 'first', isImportant: false })
      await visit(desk, { hash: 6, watchId: 2 })
      await visit(desk, { hash: 7, watchId: 3, owner: 'bob' })
      const deliveries = await claim(desk)
      const byRule = deliveries.toSorted((a, b) => a.alerts.length - b.alerts.length)
      assert.deepEqual(
        byRule.map((delivery) => told([delivery])),
        [
          ['changed https://a.test/1'],
          ['changed https://a.test/1', 'changed https://a.test/2', 'changed https://a.test/6'],
        ],
      )
      assert.deepEqual(await claim(desk), [])
    })

    test('a failing page is reported once for each row of failures, and when it recovers', async (t) => {
      const desk = await openDesk(engine, t)
      await rule(desk, { changes: 'none', failuresInRow: 3, tellsBack: true })
      const found: string[] = []
      for (const outcome of 'ffufffffcuffu') {
        desk.now += HOUR_MS
        const name = ({ f: 'failed', u: 'unchanged', c: 'changed' } as const)[outcome as 'f']
        await visit(desk, { outcome: name, isImportant: false })
        const deliveries = await claim(desk)
        for (const delivery of deliveries) await note(desk, delivery)
        found.push(`${outcome} ${told(deliveries).join()}`.trim())
      }
      assert.deepEqual(
        found.filter((line) => line.length > 1),
        ['f failing https://a.test/1', 'c back https://a.test/1'],
      )
      assert.equal(
        found.findIndex((line) => line.startsWith('f failing')),
        5,
      )
    })

    test('a sender that dies between sending and recording sends again under the same number, and loses nothing', async (t) => {
      const desk = await openDesk(engine, t)
      await rule(desk)
      await visit(desk)
      const [first] = await claim(desk)
      await desk.store.close()
      desk.store = await desk.home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS })
      assert.deepEqual(await claim(desk), [], 'the claim holds')
      desk.now += 5 * 60_000
      const [again] = await claim(desk)
      assert.equal(again!.id, first!.id)
      assert.deepEqual(told([again!]), told([first!]))
      assert.equal(await note(desk, first!), false, 'a claim that lapsed notes nothing')
      assert.equal(await note(desk, again!), true)
      desk.now += 100 * HOUR_MS
      assert.deepEqual(await claim(desk), [])
      assert.deepEqual(await states(desk), ['sent'])
    })

    test('a server that is away is tried again ever more rarely for two days, then given up', async (t) => {
      const desk = await openDesk(engine, t)
      await rule(desk)
      await visit(desk)
      const tries: number[] = []
      for (let minutes = 0; minutes < 3 * 24 * 60; minutes++) {
        for (const delivery of await claim(desk)) {
          tries.push(minutes)
          await note(desk, delivery, 'it answered 503')
        }
        desk.now += 60_000
      }
      assert.deepEqual(tries, [0, 1, 6, 36, 156, 516, 1_236, 2_676])
      assert.deepEqual(await states(desk), ['failed'])
    })

    test('quiet hours and a full hour hold back what is found, and one message tells it all', async (t) => {
      const desk = await openDesk(engine, t)
      await rule(desk, { quiet: { from: '13:00', to: '15:00' }, mostPerHour: 2 })
      const sent: [hour: number, alerts: number][] = []
      for (let hash = 0; desk.now < START + 5 * HOUR_MS; hash++) {
        await visit(desk, { hash })
        for (const delivery of await claim(desk)) {
          sent.push([(desk.now - START) / HOUR_MS, delivery.count])
          await note(desk, delivery)
        }
        desk.now += HOUR_MS / 4
      }
      assert.deepEqual(sent, [
        [0, 1],
        [0.25, 1],
        [3, 11],
        [3.25, 1],
        [4, 3],
        [4.25, 1],
      ])
    })

    test('visits that are committed late, after others with higher numbers, are reported once each', async (t) => {
      const desk = await openDesk(engine, t)
      await rule(desk)
      await visit(desk, { hash: 1, id: 11 })
      assert.deepEqual(told(await claim(desk)), ['changed https://a.test/1'])
      // Another coordinator took its number before and commits it after.
      desk.now += 200_000
      await visit(desk, { hash: 2, id: 10 })
      await visit(desk, { hash: 3, id: 14 })
      assert.deepEqual(told(await claim(desk)).toSorted(), [
        'changed https://a.test/2',
        'changed https://a.test/3',
      ])
      await visit(desk, { hash: 4, id: 12 })
      assert.deepEqual(told(await claim(desk)), ['changed https://a.test/4'])
      desk.now += 1_000
      assert.deepEqual(await claim(desk), [])
    })

    test('what is turned off, unsubscribed or removed is reported no more, nor afterwards', async (t) => {
      const desk = await openDesk(engine, t)
      const { id } = await rule(desk)
      await visit(desk, { hash: 1 })
      await desk.store.call('matchVisits', { now: desk.now, limit: 100 })
      assert.equal(await desk.store.call('unsubscribeAlert', { id, now: desk.now }), true)
      assert.equal(await desk.store.call('unsubscribeAlert', { id, now: desk.now }), false)
      await visit(desk, { hash: 2 })
      assert.deepEqual(await claim(desk), [])
      await desk.store.call('turnAlertRule', {
        id,
        owner: 'ana',
        isActive: true,
        now: desk.now,
      })
      await visit(desk, { hash: 3 })
      assert.deepEqual(told(await claim(desk)), ['changed https://a.test/3'])
      await desk.store.call('removeAlertRule', { id, owner: 'ana' })
      desk.now += HOUR_MS
      assert.deepEqual(await claim(desk), [])
    })
  })
}

const postgres = ENGINES.find(({ name }) => name === 'PostgreSQL')!

test(
  'two coordinators that work together never send the same twice',
  { skip: postgres.skip },
  async (t) => {
    const desk = await openDesk(postgres, t)
    const other = {
      ...desk,
      store: await desk.home.openHere<AlertsFixtureOperations>({
        operations: OPERATIONS,
        writer: 'w2',
      }),
    }
    t.after(() => other.store.close())
    await rule(desk, { mostPerHour: 1_000 })
    await rule(desk, { mostPerHour: 1_000, changes: 'all' }, { watchId: null })
    const seen: ClaimedDelivery[] = []
    for (let hash = 0; hash < 30; hash++) {
      await visit({ ...desk, now: desk.now }, { hash })
      const both = await Promise.all([claim(desk), claim(other)])
      seen.push(...both.flat())
      desk.now = other.now = desk.now + 1_000
    }
    seen.push(...(await claim(desk)), ...(await claim(other)))
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
    const alerts = seen.flatMap((delivery) => delivery.alerts.map(({ id }) => id))
    assert.equal(alerts.length, 60)
    assert.equal(new Set(alerts).size, 60)
  },
)
