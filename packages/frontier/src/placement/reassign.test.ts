// Goal: work moves on when agents leave, die, are slow or come, and caps hold for the whole fleet.
// Method: small fleets on both databases, driven step by step with a virtual now.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { captured, leasedRequestsOf } from '../../test/station-fixture.ts'
import { fleetsOnEngines, type Fleet } from '../../test/placement/placement-fixture.ts'
import type { Strategy } from './settings.ts'

const nowhere = (count: number): string[] => Array.from({ length: count }, () => '')

/** Lets time pass while everyone is heard. */
async function pass(fleet: Fleet, ms: number, devices: readonly string[]): Promise<void> {
  for (let left = ms; left > 0; left -= 5_000) {
    fleet.now += Math.min(5_000, left)
    for (const device of devices) {
      const fences = fleet.held.get(device)!.map(({ fence }) => fence)
      await fleet.beat(`${device}-boot`, fences)
    }
  }
}

async function begin(
  fleet: Fleet,
  args: { devices: string[]; hosts: number; strategy?: Strategy },
): Promise<void> {
  await fleet.begin()
  await fleet.strategy(args.strategy ?? 'least-busy')
  for (const device of args.devices) await fleet.connect(device)
  await fleet.addHosts(nowhere(args.hosts))
}

for (const { engine, openFleet } of await fleetsOnEngines()) {
  describe(`Reassignment on ${engine.name}`, { skip: engine.skip }, () => {
    test('Graceful disconnect: what an agent held and what was meant for it moves, even under democratic', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b', 'c'], hosts: 9, strategy: 'democratic' })
      const first = await fleet.ask('a', 3)
      assert.equal(first.length, 3)
      const held = await fleet.ask('b', 1)
      assert.equal((await fleet.loads()).get('b')!.due, 2)
      await fleet.disconnect('b')
      await fleet.assertLoadsAddUp()
      const rest = [...(await fleet.ask('a', 9)), ...(await fleet.ask('c', 9))]
      assert.equal(new Set([...first, ...rest]).size, 9)
      assert.ok(rest.includes(held[0]!))
    })

    test('what is meant for an agent that its owner lets rest moves, though it is heard', async () => {
      for (const strategy of ['democratic', 'least-busy'] as const) {
        const fleet = await openFleet()
        await begin(fleet, { devices: ['a', 'resting'], hosts: 10, strategy })
        const taken = await fleet.ask('a', 5)
        await fleet.beat('resting-boot', [], { rests: true })
        await fleet.beat('resting-boot', [], { rests: true })
        const rest = await fleet.ask('a', 10)
        assert.equal(new Set([...taken, ...rest]).size, 10)
        await fleet.assertLoadsAddUp()
      }
    })

    test('Silent death: after ten seconds of silence all its turns are free again', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b'], hosts: 6 })
      await fleet.ask('a', 1)
      await fleet.ask('b', 2)
      fleet.now += 9_000
      await fleet.beat('a-boot')
      fleet.now += 1_001
      await fleet.sweep()
      await fleet.assertLoadsAddUp()
      assert.equal((await fleet.ask('a', 9)).length, 5)
    })

    test('Silent death: a larger load has a longer deadline', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a'], hosts: 1 })
      const small = await fleet.lease('a-boot')
      await fleet.disconnect('a')
      const [host] = leasedRequestsOf(small.block)
      const more = Array.from({ length: 40 }, (_, i) => `${host!.request.url}${i}`)
      await fleet.discover(fleet.collectionId, more)
      await fleet.connect('a')
      const large = await fleet.lease('a-boot', { requestsMax: 1_000 })
      assert.ok(large.block!.deadlineMs > small.block!.deadlineMs)
    })

    test('Slow-worker reassign: a lease past its expected end moves to an idle agent, with one result', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['slow', 'other'], hosts: 1 })
      assert.equal((await fleet.ask('slow', 1)).length, 1)
      await pass(fleet, 54_000, ['slow', 'other'])
      assert.deepEqual(await fleet.ask('other', 1), [])
      await pass(fleet, 3_000, ['slow', 'other'])
      await fleet.sweep()
      const { ended } = await fleet.beat('slow-boot', [fleet.held.get('slow')![0]!.fence])
      assert.equal(ended.length, 1, 'it loses its lease first')
      assert.deepEqual(
        await fleet.ask('other', 1),
        [],
        'until it surely knows, no agent gets the host',
      )
      await pass(fleet, 10_000, ['slow', 'other'])
      assert.equal((await fleet.ask('other', 1)).length, 1)
      assert.equal(await fleet.complete('slow', ['good']), 0, 'what it sends late is stale')
      assert.equal(await fleet.complete('other', ['good']), 1)
      assert.equal(await fleet.left(), 0)
      await fleet.assertLoadsAddUp()
    })

    test('Slow-worker reassign: no agent is interrupted while none waits', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['slow', 'other'], hosts: 1 })
      await fleet.ask('slow', 1)
      await pass(fleet, 60_000, ['slow', 'other'])
      await fleet.sweep()
      assert.equal(await fleet.complete('slow', ['good']), 1)
    })

    test('Slow-worker reassign: an agent far slower than the median loses what others would have done', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b', 'slow'], hosts: 9, strategy: 'democratic' })
      for (const device of ['a', 'b', 'slow']) {
        assert.equal((await fleet.ask(device, 3)).length, 3)
        const good = ['good', 'good'] as const
        await fleet.complete(device, good, device === 'slow' ? 900 : 100)
      }
      await fleet.complete('a', ['good'], 100)
      assert.deepEqual(await fleet.ask('a', 3), [])
      await pass(fleet, 17_000, ['a', 'b', 'slow'])
      await fleet.sweep(10)
      const [held] = fleet.held.get('slow')!
      const { ended } = await fleet.beat('slow-boot', [held!.fence])
      assert.deepEqual(ended, [], 'with more patience it is not slow yet')
      await fleet.sweep()
      assert.equal(await fleet.complete('b', ['good'], 100), 1, 'the ordinary one goes on')
      assert.equal(await fleet.complete('slow', ['good']), 0)
      await pass(fleet, 10_000, ['a', 'b', 'slow'])
      assert.equal((await fleet.ask('a', 3)).length, 1)
      await fleet.assertLoadsAddUp()
    })

    test('Global threshold: a host is out with one agent of the whole fleet, and its rest runs later', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b', 'c'], hosts: 2 })
      const urls = Array.from({ length: 100 }, (_, i) => `http://10.0.0.${i % 2}/more/${i}`)
      await fleet.discover(fleet.collectionId, urls)
      for (let round = 0; round < 50 && (await fleet.left()) > 0; round++) {
        const got = await Promise.all(['a', 'b', 'c'].map((device) => fleet.ask(device, 2)))
        const out = got.flat()
        assert.equal(new Set(out).size, out.length, 'no host is out twice')
        for (const device of ['a', 'b', 'c']) {
          await fleet.complete(
            device,
            fleet.held.get(device)!.map(() => 'good'),
          )
        }
        fleet.now += 10
      }
      assert.equal(await fleet.left(), 0)
      await fleet.assertLoadsAddUp()
    })

    test('an agent never holds more requests than the setting allows', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a'], hosts: 9 })
      await fleet.set('inHandMax', 4)
      assert.equal((await fleet.ask('a', 9)).length, 4)
      assert.equal((await fleet.ask('a', 9)).length, 0)
      await fleet.complete('a', ['good', 'bad'])
      assert.equal((await fleet.ask('a', 9)).length, 2)
    })

    test('democratic: a newcomer, or one that was away, starts level and is not flooded', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b'], hosts: 20, strategy: 'democratic' })
      for (const device of ['a', 'b']) {
        assert.equal((await fleet.ask(device, 10)).length, 10)
        await fleet.complete(
          device,
          Array.from({ length: 10 }, () => 'good'),
        )
      }
      await fleet.connect('c')
      await fleet.addHosts(nowhere(6))
      for (const device of ['a', 'b', 'c']) {
        assert.equal((await fleet.ask(device, 9)).length, 2, `the share of ${device}`)
      }
      await fleet.disconnect('c')
      await fleet.connect('c')
      const loads = await fleet.loads()
      assert.equal(loads.get('c')!.assigned, 2, 'its own count is kept')
      assert.equal(loads.get('c')!.balance, 12)
    })

    test('fastest: the fleet learns who is fast, explores newcomers and loses nothing', async () => {
      const fleet = await openFleet()
      const speeds = new Map([
        ['a', 400],
        ['b', 40],
        ['c', 100],
      ])
      await begin(fleet, { devices: [...speeds.keys()], hosts: 0, strategy: 'fastest' })
      const done = new Map<string, number>()
      for (let round = 0; round < 12; round++) {
        await fleet.addHosts(nowhere(12))
        for (const [device, ms] of speeds) {
          const got = await fleet.ask(device, 12)
          done.set(device, (done.get(device) ?? 0) + got.length)
          await fleet.complete(
            device,
            got.map(() => 'good'),
            ms,
          )
        }
      }
      for (const device of [...speeds.keys(), ...speeds.keys()]) {
        const got = await fleet.ask(device, 99)
        await fleet.complete(
          device,
          got.map(() => 'good'),
        )
      }
      assert.equal(await fleet.left(), 0)
      assert.ok(done.get('a')! > 0, 'the slow one was tried')
      assert.ok(done.get('b')! > 2 * done.get('a')!, JSON.stringify([...done]))
      await fleet.assertLoadsAddUp()
    })

    test('a removed device leaves nothing behind, and a paused collection keeps no agent busy', async () => {
      const fleet = await openFleet()
      await begin(fleet, { devices: ['a', 'b'], hosts: 8 })
      await fleet.ask('a', 4)
      assert.equal((await fleet.loads()).get('b')!.due, 4)
      const state = {
        id: fleet.collectionId,
        state: 'paused',
        reason: null,
        now: fleet.now,
      } as const
      await fleet.store.call('setCollectionState', state)
      assert.deepEqual(await fleet.ask('b', 4), [])
      assert.equal((await fleet.loads()).get('b')!.due, 0)
      await fleet.store.call('setCollectionState', { ...state, state: 'running' })
      await fleet.store.call('removeDevice', { device: 'a', now: fleet.now })
      assert.deepEqual([...(await fleet.loads()).keys()], ['b'])
      assert.equal((await fleet.ask('b', 9)).length, 4, 'what it held rests until it surely knows')
      await pass(fleet, 10_000, ['b'])
      assert.equal((await fleet.ask('b', 9)).length, 4)
      await fleet.assertLoadsAddUp()
    })

    test('leases, departures and arrivals at the same moment never leave a turn with a departed agent', async () => {
      const fleet = await openFleet()
      const devices = ['a', 'b', 'c', 'd']
      await begin(fleet, { devices, hosts: 0 })
      for (let round = 0; round < 6; round++) {
        const [first, second, third, gone] = devices.map((_, i) => devices[(i + round) % 4]!)
        await fleet.addHosts(nowhere(12))
        const boot = `${gone}-boot`
        await Promise.all([
          fleet.ask(first!, 3),
          fleet.store.call('goodbye', { boot, now: fleet.now }),
          fleet.ask(second!, 2),
          fleet.ask(third!, 1),
        ])
        fleet.held.set(gone!, [])
        await fleet.assertLoadsAddUp()
        await fleet.connect(gone!)
        for (const device of devices) {
          const results = fleet.held.get(device)!.map((leased) => captured(leased))
          fleet.held.set(device, [])
          await fleet.store.call('complete', { device, results, now: fleet.now })
        }
      }
      await fleet.assertLoadsAddUp()
    })
  })
}
