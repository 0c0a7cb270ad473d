// Goal: a load test starts once, one at a time per host, and never outlives the coordinator that
// ran it; only permitted machines are invited. Method: the real operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openDevices, type TestDevices } from '../../test/devices/devices-fixture.ts'
import type { LoadTestRow } from './load-test-rows.ts'
import type { LoadPlan } from './plan.ts'

const PLAN: LoadPlan = {
  urls: ['http://site.test/'],
  visitorsMax: 10,
  stepMs: 5_000,
  thinkMs: 0,
  answerMsMax: 10_000,
  bears: { p95Ms: 500, errorRate: 0.01 },
  ceilings: { requestsPerSecond: 10, bytes: 1e6, durationMs: 60_000, errorRate: 0.1, p95Ms: 5_000 },
}

for (const engine of ENGINES) {
  describe(`load tests on ${engine.name}`, { skip: engine.skip }, () => {
    const add = (fleet: TestDevices, id: string, host = 'site.test'): Promise<LoadTestRow> =>
      fleet.store.call('addLoadTest', {
        id,
        account: 'ana',
        host,
        proof: 'proof_1',
        plan: PLAN,
        now: fleet.now,
      })
    const claim = (
      fleet: TestDevices,
      id: string,
      owner: string | null = 'ana',
    ): Promise<LoadTestRow> =>
      fleet.store.call('claimLoadTest', { id, owner, address: '93.184.216.34', now: fleet.now })
    const state = async (fleet: TestDevices, id: string): Promise<string> =>
      (await fleet.store.call('loadTestOf', { id, owner: null })).state

    test('a test starts once, and the plan comes back as it was given', async () => {
      const fleet = await openDevices(engine)
      const { plan } = await add(fleet, 'load_1')
      assert.deepEqual(plan, PLAN)
      assert.equal((await claim(fleet, 'load_1')).state, 'preparing')
      await assert.rejects(claim(fleet, 'load_1'), { code: 'MINGA_LOAD_TEST_OVER' })
    })

    test("another user's test does not exist for them, the operator sees all", async () => {
      const fleet = await openDevices(engine)
      await add(fleet, 'load_1')
      const look = (owner: string | null): Promise<unknown> =>
        fleet.store.call('loadTestOf', { id: 'load_1', owner })
      await assert.rejects(look('bob'), { code: 'MINGA_NO_SUCH_LOAD_TEST' })
      await assert.rejects(claim(fleet, 'load_1', 'bob'), { code: 'MINGA_NO_SUCH_LOAD_TEST' })
      await look(null)
      const list = { owner: 'bob', before: Number.MAX_SAFE_INTEGER, limit: 10 }
      assert.deepEqual(await fleet.store.call('listLoadTests', list), [])
    })

    test('one test of a host and two of a station run at a time', async () => {
      const fleet = await openDevices(engine)
      for (const [id, host] of [
        ['a', 'one.test'],
        ['b', 'one.test'],
        ['c', 'two.test'],
        ['d', 'three.test'],
      ]) {
        await add(fleet, id!, host)
      }
      await claim(fleet, 'a')
      await assert.rejects(claim(fleet, 'b'), { code: 'MINGA_LOAD_TEST_BUSY' })
      await claim(fleet, 'c')
      await assert.rejects(claim(fleet, 'd'), { code: 'MINGA_LOAD_TEST_BUSY' })
      const end = {
        id: 'a',
        state: 'finished',
        reason: null,
        result: null,
        now: fleet.now,
      } as const
      await fleet.store.call('endLoadTest', end)
      await claim(fleet, 'b')
    })

    test('a test without a heartbeat is aborted, with what was measured before', async () => {
      const fleet = await openDevices(engine)
      await add(fleet, 'load_1')
      await claim(fleet, 'load_1')
      const result = {
        steps: [],
        notes: ['something'],
        machines: { asked: 1, joined: 1, lost: 0 },
        totals: { requests: 5, bytes: 50 },
      }
      const beat = { id: 'load_1', state: 'running', result, now: fleet.now } as const
      assert.deepEqual(await fleet.store.call('beatLoadTest', beat), { isToStop: false })
      await fleet.store.call('sweepLoadTests', { now: fleet.now + 5_000 })
      assert.equal(await state(fleet, 'load_1'), 'running')
      await fleet.store.call('sweepLoadTests', { now: fleet.now + 6_001 })
      const row = await fleet.store.call('loadTestOf', { id: 'load_1', owner: null })
      assert.deepEqual([row.state, row.reason], ['aborted', 'The coordinator restarted.'])
      assert.deepEqual(row.result, result)
      // If the coordinator still runs it, it learns that the test is over.
      const late = { ...beat, result: null, now: fleet.now + 7_000 }
      assert.deepEqual(await fleet.store.call('beatLoadTest', late), { isToStop: true })
      assert.equal(await state(fleet, 'load_1'), 'aborted')
    })

    test('a request to stop reaches the coordinator of the test, and ends one that waits', async () => {
      const fleet = await openDevices(engine)
      await add(fleet, 'load_1')
      await add(fleet, 'load_2', 'other.test')
      await claim(fleet, 'load_1')
      const ask = (id: string): Promise<LoadTestRow> =>
        fleet.store.call('askLoadAbort', { id, owner: 'ana', now: fleet.now })
      assert.equal((await ask('load_1')).state, 'preparing')
      const beat = { id: 'load_1', state: 'running', result: null, now: fleet.now } as const
      assert.deepEqual(await fleet.store.call('beatLoadTest', beat), { isToStop: true })
      assert.equal((await ask('load_2')).state, 'aborted')
      await assert.rejects(ask('load_2'), { code: 'MINGA_LOAD_TEST_OVER' })
    })

    test("machines are the station's own, and those whose owners said so", async () => {
      const fleet = await openDevices(engine)
      await fleet.token('ours', { isReusable: true, isTrusted: true, owner: 'operator' })
      const ours = await fleet.enrol('ours')
      const lent = await fleet.deviceOf('bob')
      const absent = await fleet.enrol('ours')
      for (const device of [ours, lent]) await connect(fleet, device)
      const machines = (among?: string[]): Promise<string[]> =>
        fleet.store.call('loadMachines', { now: fleet.now, ...(among ? { among } : {}) })
      assert.deepEqual(await machines(), [ours])
      const wish = { device: lent, takesPart: true }
      await assert.rejects(fleet.store.call('setLoadTests', { ...wish, owner: 'ana' }), {
        code: 'MINGA_NO_SUCH_DEVICE',
      })
      await fleet.store.call('setLoadTests', { ...wish, owner: 'bob' })
      assert.deepEqual(new Set(await machines()), new Set([ours, lent]))
      const asked = { device: lent, owner: 'bob' }
      assert.deepEqual(await fleet.store.call('takesLoadTests', asked), { takesPart: true })
      assert.deepEqual(await machines([lent, absent]), [lent])
      await fleet.store.call('pauseDevice', { device: lent, owner: 'bob' })
      assert.deepEqual(await machines(), [ours])
    })
  })
}

async function connect(fleet: TestDevices, device: string): Promise<void> {
  const { now } = fleet
  await fleet.store.call('change', {
    text: `INSERT INTO agents (boot, device, joined_at, last_beat_at, progress_at)
           VALUES (?, ?, ?, ?, ?)`,
    params: [`boot of ${device}`, device, now, now, now],
  })
}
