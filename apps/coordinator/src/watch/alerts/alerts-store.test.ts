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

interface AlertScene {
  home: Home
  store: Store<AlertsFixtureOperations>
  now: number
}

async function openScene(engine: TestEngine, t: TestContext): Promise<AlertScene> {
  const home = await engine.home()
  const scene = {
    home,
    store: await home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS }),
    now: START,
  }
  t.after(() => scene.store.close())
  return scene
}

let made = 0

function rule(
  { store, now }: AlertScene,
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

function visit({ store, now }: AlertScene, more: Partial<MadeVisit> = {}): Promise<void> {
  const usual = { watchId: 1, owner: 'ana', at: now, isImportant: true, magnitude: 0.5 }
  return store.call('makeVisit', { outcome: 'changed', ...usual, ...more })
}

/** Finds, forms and claims, as a coordinator does each second. */
async function claim({ store, now }: AlertScene): Promise<ClaimedDelivery[]> {
  while (await store.call('matchVisits', { now, limit: 100 }));
  await store.call('formDeliveries', { now, limit: 100, mailsPerHour: 3 })
  return store.call('claimDeliveries', { now, channels: ['webhook', 'email'], limit: 100 })
}

const told = (deliveries: readonly ClaimedDelivery[]): string[] =>
  deliveries.flatMap(({ alerts }) => alerts.map(({ kind, facts }) => `${kind} ${facts.url}`))

async function note(
  scene: AlertScene,
  { id, fence }: ClaimedDelivery,
  problem: string | null = null,
) {
  return scene.store.call('noteDelivery', { id, fence, problem, now: scene.now })
}

async function states({ store }: AlertScene): Promise<string[]> {
  const all = { owner: null, ruleId: null, watchId: null, limit: 100 }
  const rows = await store.call('alertDeliveries', all)
  return rows.map(({ state }) => state)
}

for (const engine of ENGINES) {
  describe(`alerts on ${engine.name}`, { skip: engine.skip }, () => {
    test('a rule tells of important changes of its watch from then on, and of nothing else', async (t) => {
      const scene = await openScene(engine, t)
      await visit(scene, { hash: 9 })
      await rule(scene)
      await rule(scene, { changes: 'all', leastMagnitude: 0.2 }, { account: 'ana', watchId: null })
      await visit(scene, { hash: 1 })
      await visit(scene, { hash: 2, isImportant: false })
      await visit(scene, { hash: 3, isImportant: false, magnitude: 0.1 })
      await visit(scene, { hash: 4, outcome: 'unchanged', isImportant: false })
      await visit(scene, { hash: 5, outcome: 'first', isImportant: false })
      await visit(scene, { hash: 6, watchId: 2 })
      await visit(scene, { hash: 7, watchId: 3, owner: 'bob' })
      const deliveries = await claim(scene)
      const byRule = deliveries.toSorted((a, b) => a.alerts.length - b.alerts.length)
      assert.deepEqual(
        byRule.map((delivery) => told([delivery])),
        [
          ['changed https://a.test/1'],
          ['changed https://a.test/1', 'changed https://a.test/2', 'changed https://a.test/6'],
        ],
      )
      assert.deepEqual(await claim(scene), [])
    })

    test('a failing page is reported once for each row of failures, and when it recovers', async (t) => {
      const scene = await openScene(engine, t)
      await rule(scene, { changes: 'none', failuresInRow: 3, tellsBack: true })
      const found: string[] = []
      for (const outcome of 'ffufffffcuffu') {
        scene.now += HOUR_MS
        const name = ({ f: 'failed', u: 'unchanged', c: 'changed' } as const)[outcome as 'f']
        await visit(scene, { outcome: name, isImportant: false })
        const deliveries = await claim(scene)
        for (const delivery of deliveries) await note(scene, delivery)
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
      const scene = await openScene(engine, t)
      await rule(scene)
      await visit(scene)
      const [first] = await claim(scene)
      await scene.store.close()
      scene.store = await scene.home.openHere<AlertsFixtureOperations>({ operations: OPERATIONS })
      assert.deepEqual(await claim(scene), [], 'the claim holds')
      scene.now += 5 * 60_000
      const [again] = await claim(scene)
      assert.equal(again!.id, first!.id)
      assert.deepEqual(told([again!]), told([first!]))
      assert.equal(await note(scene, first!), false, 'a claim that lapsed notes nothing')
      assert.equal(await note(scene, again!), true)
      scene.now += 100 * HOUR_MS
      assert.deepEqual(await claim(scene), [])
      assert.deepEqual(await states(scene), ['sent'])
    })

    test('a server that is away is tried again ever more rarely for two days, then given up', async (t) => {
      const scene = await openScene(engine, t)
      await rule(scene)
      await visit(scene)
      const tries: number[] = []
      for (let minutes = 0; minutes < 3 * 24 * 60; minutes++) {
        for (const delivery of await claim(scene)) {
          tries.push(minutes)
          await note(scene, delivery, 'it answered 503')
        }
        scene.now += 60_000
      }
      assert.deepEqual(tries, [0, 1, 6, 36, 156, 516, 1_236, 2_676])
      assert.deepEqual(await states(scene), ['failed'])
    })

    test('quiet hours and a full hour hold back what is found, and one message tells it all', async (t) => {
      const scene = await openScene(engine, t)
      await rule(scene, { quiet: { from: '13:00', to: '15:00' }, mostPerHour: 2 })
      const sent: [hour: number, alerts: number][] = []
      for (let hash = 0; scene.now < START + 5 * HOUR_MS; hash++) {
        await visit(scene, { hash })
        for (const delivery of await claim(scene)) {
          sent.push([(scene.now - START) / HOUR_MS, delivery.count])
          await note(scene, delivery)
        }
        scene.now += HOUR_MS / 4
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
      const scene = await openScene(engine, t)
      await rule(scene)
      await visit(scene, { hash: 1, id: 11 })
      assert.deepEqual(told(await claim(scene)), ['changed https://a.test/1'])
      // Another coordinator took its number before and commits it after.
      scene.now += 200_000
      await visit(scene, { hash: 2, id: 10 })
      await visit(scene, { hash: 3, id: 14 })
      assert.deepEqual(told(await claim(scene)).toSorted(), [
        'changed https://a.test/2',
        'changed https://a.test/3',
      ])
      await visit(scene, { hash: 4, id: 12 })
      assert.deepEqual(told(await claim(scene)), ['changed https://a.test/4'])
      scene.now += 1_000
      assert.deepEqual(await claim(scene), [])
    })

    test('what is turned off, unsubscribed or removed is reported no more, nor afterwards', async (t) => {
      const scene = await openScene(engine, t)
      const { id } = await rule(scene)
      await visit(scene, { hash: 1 })
      await scene.store.call('matchVisits', { now: scene.now, limit: 100 })
      assert.equal(await scene.store.call('unsubscribeAlert', { id, now: scene.now }), true)
      assert.equal(await scene.store.call('unsubscribeAlert', { id, now: scene.now }), false)
      await visit(scene, { hash: 2 })
      assert.deepEqual(await claim(scene), [])
      await scene.store.call('turnAlertRule', {
        id,
        owner: 'ana',
        isActive: true,
        now: scene.now,
      })
      await visit(scene, { hash: 3 })
      assert.deepEqual(told(await claim(scene)), ['changed https://a.test/3'])
      await scene.store.call('removeAlertRule', { id, owner: 'ana' })
      scene.now += HOUR_MS
      assert.deepEqual(await claim(scene), [])
    })
  })
}

const postgres = ENGINES.find(({ name }) => name === 'PostgreSQL')!

test(
  'two coordinators that work together never send the same twice',
  { skip: postgres.skip },
  async (t) => {
    const scene = await openScene(postgres, t)
    const other = {
      ...scene,
      store: await scene.home.openHere<AlertsFixtureOperations>({
        operations: OPERATIONS,
        writer: 'w2',
      }),
    }
    t.after(() => other.store.close())
    await rule(scene, { mostPerHour: 1_000 })
    await rule(scene, { mostPerHour: 1_000, changes: 'all' }, { watchId: null })
    const seen: ClaimedDelivery[] = []
    for (let hash = 0; hash < 30; hash++) {
      await visit({ ...scene, now: scene.now }, { hash })
      const both = await Promise.all([claim(scene), claim(other)])
      seen.push(...both.flat())
      scene.now = other.now = scene.now + 1_000
    }
    seen.push(...(await claim(scene)), ...(await claim(other)))
    assert.equal(new Set(seen.map(({ id }) => id)).size, seen.length)
    const alerts = seen.flatMap((delivery) => delivery.alerts.map(({ id }) => id))
    assert.equal(alerts.length, 60)
    assert.equal(new Set(alerts).size, 60)
  },
)
