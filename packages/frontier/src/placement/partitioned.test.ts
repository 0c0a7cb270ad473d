// Goal: under `partitioned` hosts stay with their agents, a map holds whole or not at all, and nothing waits for
// an agent that does not come. Method: fleets on both databases, maps written in pages and broken off.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MapFacts } from './agent-map.ts'
import { fleetsOnEngines, type Fleet } from '../../test/placement/placement-fixture.ts'

const DEVICES = ['a', 'b', 'c', 'd']
const HOSTS = 120
const PAGE = 25
const FACTS: MapFacts = {
  reason: 'members',
  why: 'A test.',
  way: 'scratch',
  hosts: HOSTS,
  pages: HOSTS,
  movedPages: 0,
  exchangeShare: 0.1,
  imbalance: 0.02,
  latencyMs: null,
  parts: DEVICES.map((device) => ({ device, capacity: 1, hosts: 30, pages: 30 })),
  story: null,
}

class PartitionedFleet {
  readonly fleet: Fleet
  ids: number[] = []
  #pages = 0

  constructor(fleet: Fleet) {
    this.fleet = fleet
  }

  async begin(hosts = HOSTS): Promise<void> {
    await this.fleet.begin()
    await this.fleet.strategy('partitioned')
    for (const device of DEVICES) await this.fleet.connect(device)
    this.ids = await this.fleet.addHosts(Array.from({ length: hosts }, () => ''))
    await this.dueNow()
  }

  /** The turns have come this very moment: no agent has waited yet. */
  async dueNow(): Promise<void> {
    const { fleet } = this
    await fleet.change('UPDATE collection_hosts SET turn_at = ? WHERE queued > 0', [fleet.now])
  }

  async names(): Promise<string[]> {
    // Without the seed of the collection.
    const rows = await this.fleet.query<{ name: string }>(
      "SELECT name FROM hosts WHERE name LIKE '10.%' ORDER BY id",
    )
    return rows.map(({ name }) => name)
  }

  /** Another page on every host. */
  async anotherPage(): Promise<void> {
    const urls = (await this.names()).map((name) => `http://${name}/p${this.#pages}`)
    this.#pages++
    await this.fleet.discover(this.fleet.collectionId, urls)
    await this.dueNow()
  }

  /** Everyone asks and answers until nothing is left: who did which host. */
  async round(devices: readonly string[] = DEVICES): Promise<Map<number, string>> {
    const did = new Map<number, string>()
    for (let i = 0; i < 20 && (await this.fleet.left()) > 0; i++) {
      for (const device of devices) {
        const got = await this.fleet.ask(device, HOSTS)
        for (const id of got) did.set(id, device)
        await this.fleet.complete(
          device,
          got.map(() => 'good'),
        )
      }
    }
    await this.fleet.assertLoadsAddUp()
    return did
  }

  /** Writes in pages; `pages` of them, then it is left as it is. */
  async writeMap(
    deviceOf: (i: number) => string,
    { writer = 'w', pages = Infinity }: { writer?: string; pages?: number } = {},
  ): Promise<number> {
    const { store, now } = this.fleet
    const epoch = await store.call('beginMap', { writer, now })
    const claim = { epoch, writer }
    while ((await store.call('tidyMap', { claim, atMost: PAGE })) > 0);
    const rows = (await this.names()).map((name, i) => [name, deviceOf(i)] as const)
    for (let at = 0, page = 0; at < rows.length; at += PAGE, page++) {
      if (page >= pages) return epoch
      await store.call('writeMapPage', { ...claim, rows: rows.slice(at, at + PAGE) })
    }
    if (pages === Infinity) await store.call('publishMap', { ...claim, now, facts: FACTS })
    return epoch
  }

  async mapped(): Promise<(string | null)[]> {
    const { hosts } = await this.fleet.store.call('mappedHosts', {
      after: 0,
      atMost: 1_000,
    })
    return hosts.map(({ device }) => device)
  }
}

const owner = (i: number): string => DEVICES[i % 4]!
const other = (i: number): string => DEVICES[(i + 1) % 4]!

for (const { engine, openFleet } of await fleetsOnEngines()) {
  describe(`Strategy partitioned on ${engine.name}`, { skip: engine.skip }, () => {
    const open = async (): Promise<PartitionedFleet> => {
      const fleet = new PartitionedFleet(await openFleet())
      await fleet.begin()
      return fleet
    }

    test('Unknown-URL fallback: without a map names decide, all drains, and hosts stay where they were', async () => {
      const fleet = await open()
      const first = await fleet.round()
      assert.equal(first.size, HOSTS, 'everything was done')
      assert.equal(new Set(first.values()).size, 4, 'by everyone')
      await fleet.anotherPage()
      assert.deepEqual(await fleet.round(), first, 'by the same agents again')
      await fleet.fleet.disconnect('d')
      await fleet.anotherPage()
      const without = await fleet.round(['a', 'b', 'c'])
      for (const [id, device] of first) {
        if (device !== 'd') assert.equal(without.get(id), device, 'others stay')
      }
      assert.equal(without.size, HOSTS, 'those of the one that left were done by others')
      await fleet.fleet.connect('d')
      await fleet.anotherPage()
      assert.deepEqual(await fleet.round(), first, 'and go back to it when it is back')
    })

    test('a host goes to the agent that the map names, and by its name when that one is away', async () => {
      const fleet = await open()
      await fleet.writeMap(owner)
      const did = await fleet.round()
      assert.deepEqual(
        fleet.ids.map((id) => did.get(id)),
        fleet.ids.map((_, i) => owner(i)),
      )
      await fleet.fleet.disconnect('b')
      await fleet.anotherPage()
      const without = await fleet.round(['a', 'c', 'd'])
      assert.equal(without.size, HOSTS)
      const moved = fleet.ids.filter((id) => without.get(id) !== did.get(id))
      assert.equal(moved.length, 30, 'a quarter moved, for as long as it is away')
      assert.ok(new Set(moved.map((id) => without.get(id))).size > 1, 'to several others')
      assert.deepEqual(
        await fleet.mapped(),
        fleet.ids.map((_, i) => owner(i)),
        'the map stays',
      )
    })

    test('an idle agent takes what has waited too long for another, and nothing before', async () => {
      const fleet = await open()
      await fleet.writeMap(() => 'a')
      assert.deepEqual(await fleet.fleet.ask('b', 10), [], 'all is meant for a')
      fleet.fleet.now += 2_000
      assert.deepEqual(await fleet.fleet.ask('b', 10), [])
      fleet.fleet.now += 1_000
      assert.equal((await fleet.fleet.ask('b', 10)).length, 10, 'a does not come')
      assert.deepEqual(new Set(await fleet.mapped()), new Set(['a']), 'the map stays')
      await fleet.fleet.assertLoadsAddUp()
    })

    test('a map that is half written counts for nothing, and the next writer clears it away', async () => {
      const fleet = await open()
      await fleet.writeMap(owner)
      const broken = await fleet.writeMap(other, { pages: 2 })
      assert.equal(broken, 2)
      const asBefore = fleet.ids.map((_, i) => owner(i))
      assert.deepEqual(await fleet.mapped(), asBefore)
      const { store, now } = fleet.fleet
      const taken = store.call('beginMap', { writer: 'v', now })
      await assert.rejects(taken, { code: 'MINGA_MAP_TAKEN' }, 'another writer is at it')
      // A quarter of an hour later the writer must be dead; its epoch is started over.
      fleet.fleet.now += 900_001
      assert.equal(await fleet.writeMap(() => 'c', { writer: 'v', pages: 1 }), 2)
      assert.deepEqual(await fleet.mapped(), asBefore)
      const late = { epoch: 2, writer: 'w', rows: [['10.0.0.0', 'd'] as const] }
      await assert.rejects(store.call('writeMapPage', late), { code: 'MINGA_MAP_TAKEN' })
      await fleet.writeMap(other, { writer: 'v' })
      const map = await store.call('readMap', {})
      assert.equal(map?.epoch, 2)
      assert.deepEqual(
        await fleet.mapped(),
        fleet.ids.map((_, i) => other(i)),
      )
      while ((await store.call('tidyMap', { claim: null, atMost: 7 })) > 0);
      assert.deepEqual(
        await fleet.mapped(),
        fleet.ids.map((_, i) => other(i)),
        'tidied alike',
      )
    })

    test('readers see one whole epoch or the next, while it is written, published and tidied', async () => {
      const fleet = await open()
      const { store } = fleet.fleet
      await fleet.writeMap(() => 'a')
      const over = new AbortController()
      const seen = new Set<string>()
      const reading = (async (): Promise<void> => {
        while (!over.signal.aborted) {
          const devices = new Set(await fleet.mapped())
          assert.equal(devices.size, 1, `two epochs at once: ${[...devices].join(', ')}`)
          seen.add([...devices][0]!)
        }
      })()
      for (const device of ['b', 'c', 'd', 'a', 'b']) {
        await fleet.writeMap(() => device)
        while ((await store.call('tidyMap', { claim: null, atMost: PAGE })) > 0);
      }
      over.abort()
      await reading
      assert.ok(seen.size > 1, `it saw ${[...seen].join(', ')}`)
      assert.equal((await store.call('readMap', {}))?.epoch, 6)
    })

    test('new hosts grow the map of their epoch, and only that one', async () => {
      const fleet = await open()
      const { store } = fleet.fleet
      await fleet.writeMap(owner)
      const [seed] = await fleet.fleet.query<{ id: number }>(
        "SELECT id FROM hosts WHERE name NOT LIKE '10.%'",
      )
      const [added] = await fleet.fleet.addHosts([''])
      const unmapped = await store.call('unmappedHosts', {
        after: 0,
        atMost: 10,
      })
      assert.deepEqual(
        unmapped.map(({ hostId }) => hostId).filter((id) => id !== seed!.id),
        [added],
      )
      const rows = [{ hostId: added!, device: 'c', pages: 4 }]
      assert.equal(await store.call('growMap', { epoch: 2, rows }), false)
      assert.equal(await store.call('growMap', { epoch: 1, rows }), true)
      assert.equal(await store.call('growMap', { epoch: 1, rows }), true, 'twice is once')
      const map = await store.call('readMap', {})
      assert.deepEqual(
        map?.parts.map(({ hosts, pages }) => [hosts, pages]),
        [
          [30, 30],
          [30, 30],
          [31, 34],
          [30, 30],
        ],
      )
      assert.equal((await fleet.mapped()).at(-1), 'c')
    })
  })
}
