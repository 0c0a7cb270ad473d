// Goal: the map has one owner for every host and every machine, whatever stations do and however their calls cross.
// Method: the registrar's operations on both databases; fast-check for histories of claims, losses, returns,
// departures and plans, recounted from the tables after every step.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { MapRow } from '@minga/protocol'
import { ENGINES } from '../../../../../packages/store/test/contract-engines.ts'
import type { MapPage } from './map-rows.ts'
import type { UnitMove } from './move-hosts.ts'
import {
  openRegistry,
  ownerOf,
  SELF,
  station,
  type TestRegistry,
} from '../../../test/federation/registrar/registrar-fixture.ts'

for (const engine of ENGINES) {
  describe(engine.name, { skip: engine.skip }, () => {
    test('two stations that claim hosts of one address at the same time get one owner', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          registry.claim(i % 2 === 0 ? SELF : 'st_b', [
            { host: `h${i}.test`, address: '10.0.0.1' },
          ]),
        ),
      )
      const owners = new Set(answers.flat().map((row) => row.station))
      assert.equal(owners.size, 1)
      assert.equal((await registry.rows()).length, 20)
    })

    test('a host that is claimed twice keeps its owner and its epoch', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      const claims = [{ host: 'h.test', address: '10.0.0.1', wants: true }]
      const [first] = await registry.claim(SELF, claims)
      const [again] = await registry.claim('st_b', [{ host: 'h.test', address: '10.0.0.9' }])
      assert.deepEqual(again, first)
    })

    test('the claimer that has work which cannot move gets the host, but not of an address that another has', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      const wants = (host: string, address: string) => ({ host, address, wants: true })
      const [one] = await registry.claim('st_b', [wants('one.test', '10.1.0.1')])
      const [two] = await registry.claim(SELF, [wants('two.test', '10.1.0.1')])
      const [three] = await registry.claim(SELF, [wants('three.test', '10.2.0.1')])
      assert.deepEqual([one!.station, two!.station, three!.station], ['st_b', 'st_b', SELF])
    })

    test('a new host goes where its links lead', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      const hub = { host: 'hub.test', address: '10.1.0.1', wants: true }
      await registry.claim('st_b', [hub])
      for (let i = 0; i < 4; i++) {
        await registry.claim(SELF, [{ host: `own${i}.test`, address: `10.2.0.${i}`, wants: true }])
      }
      const links = [{ host: 'hub.test', count: 5 }]
      const [row] = await registry.claim(SELF, [{ host: 'new.test', address: '10.9.0.1', links }])
      assert.equal(row!.station, 'st_b')
    })

    test('hosts of an address that more than fifty sites share stand for themselves', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      const claims = Array.from({ length: 120 }, (_, i) => ({
        host: `site${i}.test`,
        address: '10.0.0.1',
      }))
      await registry.claim(SELF, claims)
      const rows = await registry.rows()
      const first = new Set(claims.slice(0, 50).map(({ host }) => ownerOf(rows, host)))
      const owners = new Set(rows.map((row) => row.station))
      assert.deepEqual([first.size, owners.size], [1, 2])
    })

    test('what the claimer has fetched of a host already is awaited by its owner', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'one.test', address: '10.0.0.1', wants: true }])
      const claims = [{ host: 'two.test', address: '10.0.0.1', pages: 3 }]
      const [row] = await registry.claim(SELF, claims)
      assert.deepEqual([row!.station, row!.awaits], ['st_b', SELF])
    })

    test('a host that moved to the machine of another goes there, by the word of its owner only', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'b.test', address: '10.0.0.2', wants: true }])
      await registry.claim(SELF, [{ host: 'a.test', address: '10.0.0.1', wants: true }])
      const moved = { host: 'a.test', address: '10.0.0.2' }
      const [unheard] = await registry.claim('st_b', [moved])
      assert.deepEqual([unheard!.station, unheard!.address], [SELF, '10.0.0.1'])
      const [heard] = await registry.claim(SELF, [moved])
      assert.deepEqual([heard!.station, heard!.awaits, heard!.address], ['st_b', SELF, '10.0.0.2'])
      const elsewhere = { host: 'a.test', address: '10.0.0.3' }
      const [stays] = await registry.claim('st_b', [elsewhere])
      assert.deepEqual([stays!.station, stays!.address], ['st_b', '10.0.0.3'])
    })

    test('an invitation lets in one station, for a day, and again whom it let in', async (t) => {
      const registry = await openRegistry(engine, t)
      await assert.rejects(registry.admit('made up', station('st_x')), {
        code: 'MINGA_INVITE_REFUSED',
      })
      await registry.invite('one')
      const facts = await registry.admit('one', station('st_b'))
      assert.deepEqual(
        facts.stations.map(({ id, keeper }) => `${id} kept by ${keeper}`),
        [`${SELF} kept by st_b`, `st_b kept by ${SELF}`],
      )
      await registry.admit('one', station('st_b'))
      await assert.rejects(registry.admit('one', station('st_c')), { code: 'MINGA_INVITE_REFUSED' })
      await registry.invite('late')
      registry.now += 86_400_000
      await assert.rejects(registry.admit('late', station('st_c')), {
        code: 'MINGA_INVITE_REFUSED',
      })
    })

    test('what changed after an epoch is sent in whole epochs and nothing of it is missed', async (t) => {
      const registry = await openRegistry(engine, t)
      for (let i = 0; i < 10; i++) {
        await registry.claim(SELF, [
          { host: `h${i}.test` },
          { host: `g${i}.test` },
          { host: `f${i}.test` },
        ])
      }
      const met = new Set<string>()
      let epoch = 0
      for (let more = true; more;) {
        const page: MapPage = await registry.store.call('mapSince', { epoch, limit: 4 })
        for (const row of page.rows) met.add(row.host)
        ;({ epoch, more } = page)
      }
      assert.equal(met.size, 30)
      // An epoch that is larger than a page comes whole.
      const page: MapPage = await registry.store.call('mapSince', { epoch: epoch - 1, limit: 2 })
      assert.deepEqual([page.rows.length, page.epoch], [3, epoch])
    })

    test("a lost station's hosts go to others, who await its keeper, machine by machine", async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.join('st_c')
      const claims = Array.from({ length: 60 }, (_, i) => ({
        host: `h${i}.test`,
        address: `10.0.${i % 20}.1`,
      }))
      await registry.claim(SELF, claims)
      const before = await registry.rows()
      const lost = before.filter((row) => row.station === 'st_b')
      assert.ok(lost.length > 0)
      const { stations } = await registry.store.call('federationFacts', {})
      const keeper = stations.find(({ id }) => id === 'st_b')!.keeper
      assert.equal(await registry.lose('st_b'), true)
      assert.equal(await registry.reassign('st_b'), lost.length)
      const rows = await registry.rows()
      assert.ok(rows.every((row) => row.station !== 'st_b'))
      for (const { host } of lost) {
        assert.equal(rows.find((row) => row.host === host)!.awaits, keeper)
      }
      for (const group of Map.groupBy(rows, (row) => row.address).values()) {
        assert.equal(new Set(group.map((row) => row.station)).size, 1)
      }
      const stayed = before.filter((row) => row.station !== 'st_b')
      for (const row of stayed) assert.equal(ownerOf(rows, row.host), row.station)
    })

    test('a station that was heard by another process of the registrar is not lost', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      registry.now += 5_000
      await registry.renew('st_b', 0)
      const args = { id: 'st_b', silentSince: registry.now - 1_000, now: registry.now }
      assert.equal(await registry.store.call('loseStation', args), false)
    })

    test('a station that comes back may dial once it has heard that it owns nothing', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'b.test', address: '10.0.0.1', wants: true }])
      await registry.lose('st_b')
      const early = await registry.renew('st_b', 0)
      assert.equal(early.isActive, false)
      await registry.reassign('st_b')
      const back = await registry.renew('st_b', early.epoch)
      assert.equal(back.isActive, true)
      assert.deepEqual(
        back.rows.map((row) => [row.host, row.station]),
        [['b.test', SELF]],
      )
    })

    test('a station that leaves gives its hosts away itself', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'b.test', address: '10.0.0.1', wants: true }])
      await registry.reassign('st_b', ['st_b'])
      const [row] = await registry.rows()
      assert.deepEqual([row!.station, row!.awaits], [SELF, 'st_b'])
      await registry.store.call('dismissStation', { id: 'st_b', now: registry.now })
      await assert.rejects(registry.renew('st_b', 0), { code: 'MINGA_STATION_CALL_REFUSED' })
    })

    test('a host whose handover is under way is not moved again, and is once it has arrived', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'b.test', address: '10.0.0.1', wants: true }])
      const move = (from: string, to: string): Promise<number> => {
        const moves: UnitMove[] = [{ host: 'b.test', address: '10.0.0.1', from, to }]
        return registry.store.call('moveHosts', { moves, now: registry.now })
      }
      assert.equal(await move('st_b', SELF), 1)
      assert.equal(await move(SELF, 'st_b'), 0)
      await registry.renew(SELF, 1, { settled: ['b.test'] })
      assert.equal(await move(SELF, 'st_b'), 1)
    })

    test('a promoted registrar takes what others know of the map, the later word first', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim('st_b', [{ host: 'old.test', address: '10.0.0.1', wants: true }])
      const [{ epoch } = { epoch: 0 }] = await registry.rows()
      const { term, since } = await registry.store.call('promoteStation', {
        self: SELF,
        now: registry.now,
      })
      assert.deepEqual([term, since], [2, epoch])
      const row = (host: string, owner: string, at: number): MapRow => ({
        host,
        station: owner,
        awaits: null,
        address: '10.0.0.7',
        epoch: at,
      })
      const merge = (rows: MapRow[]) =>
        registry.store.call('mergeKnown', { rows, now: registry.now })
      await merge([row('x.test', 'st_b', epoch + 3)])
      await merge([row('x.test', SELF, epoch + 1), row('y.test', 'st_b', epoch + 2)])
      const rows = await registry.rows()
      assert.deepEqual([ownerOf(rows, 'x.test'), ownerOf(rows, 'y.test')], ['st_b', 'st_b'])
      const [next] = await registry.claim(SELF, [{ host: 'z.test', address: '10.0.0.7' }])
      assert.deepEqual([next!.station, next!.epoch], ['st_b', epoch + 4])
    })

    test('a member goes back to where a term begins and claims what it had from after that', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim(SELF, [{ host: 'before.test', address: '10.0.0.1', wants: true }])
      const [{ epoch } = { epoch: 0 }] = await registry.rows()
      await registry.claim(SELF, [{ host: 'after.test', address: '10.0.0.2', wants: true }])
      const term = { registrar: 'st_b', since: epoch }
      await registry.store.call('rewindMap', { rewindTo: epoch, ...term, now: registry.now })
      assert.deepEqual(
        (await registry.rows()).map((row) => row.host),
        ['before.test'],
      )
      const hosts = await registry.query<{ name: string; held: number }>(
        `SELECT h.name, h.held FROM host_claims c JOIN hosts h ON h.id = c.host_id`,
      )
      assert.deepEqual(hosts, [{ name: 'after.test', held: 1 }])
      const standing = await registry.store.call('federationStanding', {})
      assert.deepEqual([standing?.epoch, standing?.under, standing?.since], [epoch, 'st_b', epoch])
    })

    test('a member whose map is of another past takes the whole map', async (t) => {
      const registry = await openRegistry(engine, t)
      await registry.join('st_b')
      await registry.claim(SELF, [{ host: 'one.test' }])
      await registry.claim(SELF, [{ host: 'two.test' }])
      const level = await registry.renew('st_b', 2)
      assert.deepEqual([level.isAhead, level.rows.length], [false, 0])
      const ahead = await registry.renew('st_b', 3)
      assert.deepEqual([ahead.isAhead, ahead.rows.length], [true, 2])
    })

    test('whatever happens, every host and every machine has one owner, and epochs grow', async (t) => {
      const runs = engine.name === 'SQLite' ? 25 : 6
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
          const registry = await openRegistry(engine, t)
          await registry.join('st_b', { capacity: 2 })
          await registry.join('st_c')
          await live(registry, steps)
        }),
        { numRuns: runs, seed: 7 },
      )
    })
  })
}

type Step =
  | { type: 'claim'; by: number; hosts: number[]; shift: number }
  | { type: 'lose' | 'back' | 'leave'; who: number }
  | { type: 'move'; host: number; to: number }

const IDS = [SELF, 'st_b', 'st_c']
const who = fc.integer({ min: 0, max: 2 })
const hosts = fc.array(fc.integer({ min: 0, max: 39 }), { minLength: 1, maxLength: 8 })
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('claim' as const),
    by: who,
    hosts,
    shift: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({ type: fc.constantFrom('lose' as const, 'back', 'leave'), who }),
  fc.record({ type: fc.constant('move' as const), host: fc.integer({ min: 0, max: 39 }), to: who }),
)

async function live(registry: TestRegistry, steps: readonly Step[]): Promise<void> {
  let epoch = 0
  for (const each of steps) {
    await act(registry, each)
    const rows = await registry.rows()
    const { stations } = await registry.store.call('federationFacts', {})
    const active = new Set(stations.filter((one) => one.state === 'active').map(({ id }) => id))
    assert.ok(rows.every((row) => active.has(row.station)))
    const machines = Map.groupBy(rows, (row) => row.address)
    for (const group of machines.values()) {
      assert.equal(new Set(group.map((row) => row.station)).size, 1)
    }
    const latest = Math.max(0, ...rows.map((row) => row.epoch))
    assert.ok(latest >= epoch)
    epoch = latest
    for (const one of stations) assert.notEqual(one.keeper, one.id)
    await assertLoads(registry, rows.length)
  }
}

async function assertLoads(registry: TestRegistry, all: number): Promise<void> {
  const loads = await registry.store.call('placedLoads', {})
  assert.equal(
    loads.reduce((sum, [, load]) => sum + load, 0),
    all,
  )
}

async function act(registry: TestRegistry, each: Step): Promise<void> {
  if (each.type === 'claim') {
    const claims = [...new Set(each.hosts)].map((n) => ({
      host: `h${n}.test`,
      address: `10.0.0.${(n + each.shift) % 12}`,
    }))
    await registry.claim(IDS[each.by]!, claims)
  } else if (each.type === 'move') {
    const [row] = await registry.query<MapRow>('SELECT * FROM placement_hosts WHERE host = ?', [
      `h${each.host}.test`,
    ])
    if (row === undefined) return
    const { host, address, station: from } = row
    await registry.store.call('moveHosts', {
      moves: [{ host, address, from, to: IDS[each.to]! }],
      now: registry.now,
    })
  } else await comeOrGo(registry, each.type, IDS[each.who]!)
}

async function comeOrGo(
  registry: TestRegistry,
  type: 'lose' | 'back' | 'leave',
  id: string,
): Promise<void> {
  if (id === SELF) return
  if (type === 'lose') {
    await registry.lose(id)
    await registry.reassign(id)
  } else if (type === 'back') {
    await registry.renew(id, 0)
  } else {
    await registry.store.call('reassignHosts', { from: id, leaving: [id], now: registry.now })
  }
}
