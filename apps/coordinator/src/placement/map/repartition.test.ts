// Goal: under `partitioned` a running station makes its map by itself, agents keep their hosts, one
// that leaves moves its share and stalls no other, and the map is whole after any end. Method:
// whole stations of both databases on virtual time with four agents, and a process that writes maps
// until it is killed.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type {
  PlacedHostRow,
  PlacementEpoch,
  PlacementEpochRow,
  PlacementMove,
  PlacementState,
  SortedPage,
} from '@minga/protocol'
import { faultsEnv, killAt } from '@minga/testkit'
import { ENGINES, skipRepeats } from '../../../../../packages/store/test/contract-engines.ts'
import { assertRefused } from '../../../test/station-fixture.ts'
import {
  HOSTS,
  writerName,
  type WriterArgs,
} from '../../../test/placement/map/map-child-fixture.ts'
import {
  communityWeb,
  openAgents,
  pageUrl,
  type Agents,
  type ShownMap,
} from '../../../test/placement/map/repartition-fixture.ts'
import type { ContractOperations } from '../../../test/contract-operations.ts'

const NAMES = ['one', 'two', 'three', 'four']
const SHAPE = { communities: 4, hosts: 6, pages: 36 }
const SEEDS = [0, 1, 2, 3].flatMap((c) => Array.from({ length: 6 }, (_, h) => pageUrl(c, h, 0)))
const CHILD = fileURLToPath(
  new URL('../../../test/placement/map/map-child-fixture.ts', import.meta.url),
)
const operations = new URL('../../../test/contract-operations.ts', import.meta.url).href

function deviceOf({ placed }: ShownMap): Map<string, string | null> {
  return new Map(placed.map(({ host, device }) => [host, device]))
}

/** Rounds until so little is queued, at most. */
async function work(agents: Agents, rounds: number): Promise<void> {
  for (let i = 0; i < rounds && (await agents.queued()) > 0; i++) await agents.round()
}

for (const engine of ENGINES) {
  describe(`The map of agents on ${engine.name}`, { skip: engine.skip }, () => {
    test(
      'four agents keep their hosts, one leaves, a quarter moves, and nothing stalls',
      { skip: skipRepeats(engine) },
      async () => {
        const agents = await openAgents({ engine }, communityWeb(SHAPE), NAMES)
        const { station } = agents.operator
        // So that links decide, and not the milliseconds by which equal hosts happen to differ.
        await agents.operator.set({ mapExchangeMs: 100 })
        await agents.collect(SEEDS)
        await work(agents, 8)
        const first = await agents.untilEpoch(1)
        assert.equal(first.reason, 'members')
        assert.match(first.why, /^The first plan for 4 members\./)
        assert.ok(first.parts.length === 4 && first.imbalance! < 0.3, `${first.imbalance}`)
        assert.ok(first.exchangeShare! < 0.15, `${first.exchangeShare}: communities stay together`)
        // A block that was assigned before the map keeps its agent for one turn.
        await work(agents, 1)
        agents.brought.clear()
        await work(agents, 8)
        assert.ok(agents.loyalty() > 0.95, `${agents.loyalty()} of the pages by their host's agent`)
        const owners = deviceOf(first)
        for (const [host, counts] of agents.brought) {
          assert.ok((counts.get(owners.get(host)!) ?? 0) > 0, `${host} went to whom the map names`)
        }

        const gone = agents.devices.get('two')!.device.id
        agents.leave('two')
        agents.brought.clear()
        const orphans = [...owners.keys()].filter((host) => owners.get(host) === gone)
        // Ten seconds of silence, then its turns are everyone's.
        await work(agents, 24)
        assert.ok(
          orphans.every((host) => agents.brought.has(host)),
          'the others go on with its hosts',
        )
        const second = await agents.untilEpoch(2)
        assert.match(second.why, / left\. /)
        const after = deviceOf(second)
        const moved = [...owners].filter(([host, device]) => after.get(host) !== device)
        assert.ok(orphans.length >= 3 && orphans.length <= 9, `${orphans.length}`)
        assert.ok(moved.length <= 2 * orphans.length, `${moved.length} of 24 moved`)
        assert.ok(![...after.values()].includes(gone))
        await work(agents, 80)
        assert.equal(await agents.queued(), 0, 'everything was collected')
        assert.equal((await station.captures('?limit=10000')).length, 24 * 36 + 24)
      },
    )

    test('new hosts are placed within seconds, next to the hosts that link to them', async () => {
      const web = communityWeb({ ...SHAPE, pages: 3 })
      const extras = [0, 1, 2, 3].map((c) => `http://c${c}-0.example/extra`)
      for (const [c, url] of extras.entries()) {
        web[url] = { body: `<a href="http://new-${c}.example/">new</a>` }
      }
      const agents = await openAgents({ engine }, web, NAMES)
      await agents.operator.set({ mapExchangeMs: 100 })
      await agents.collect(SEEDS)
      await work(agents, 40)
      const first = await agents.untilEpoch(1)
      await agents.collect([...extras, 'http://lonely.example/'])
      await work(agents, 10)
      for (let i = 0; i < 4; i++) await agents.pass(4_000)
      const grown = await agents.map()
      assert.equal(grown.epoch, 1, 'no plan was needed')
      const devices = deviceOf(grown)
      for (let c = 0; c < 4; c++) {
        assert.equal(devices.get(`new-${c}.example`), devices.get(`c${c}-0.example`))
      }
      assert.ok(devices.get('lonely.example'), 'by its name')
      const hostsIn = ({ parts }: ShownMap): number =>
        parts.reduce((sum, { hosts }) => sum + hosts, 0)
      assert.equal(hostsIn(grown), hostsIn(first) + 5)
    })

    test('operators see the map, request another, and set its weights and when it is replanned', async () => {
      const agents = await openAgents({ engine }, communityWeb({ ...SHAPE, pages: 3 }), NAMES)
      const { operator } = agents
      const { station } = operator
      const head = { headers: { authorization: 'Bearer the key of writers' } }
      const none = await station.inject({ url: '/api/place/map', ...head })
      assertRefused(none, '404 MINGA_NO_MAP', /no map of hosts yet/)
      await agents.collect(SEEDS)
      await work(agents, 40)
      const map = await agents.untilEpoch(1)
      assert.equal(map.hosts, 24)
      assert.equal(map.parts.length, 4)
      assert.equal(map.placed.length, 24)
      const page = await operator.read<ShownMap>(
        `/place/map?after=${map.placed[9]!.hostId}&limit=5`,
      )
      assert.deepEqual(page.placed, map.placed.slice(10, 15))
      await assertTold(agents, map)
      assert.equal((await station.post('/place/repartition')).status, 202)
      const again = await agents.untilEpoch(2)
      assert.equal(again.reason, 'asked')
      assert.deepEqual(deviceOf(again), deviceOf(map), 'nothing better was found')

      await operator.set({ mapEveryMs: 60_000, mapDrift: 10, mapMoveMs: 0, mapExchangeMs: 0 })
      // Two minutes pass: it is time, but nothing would move, so no epoch is written.
      for (let i = 0; i < 24; i++) await agents.pass(5_000)
      assert.equal((await agents.map()).epoch, 2)
      await operator.set({ strategy: 'least-busy' })
      const refused = await station.post('/place/repartition')
      assertRefused(refused, '409 MINGA_NOT_PARTITIONED', /Set the strategy to `partitioned`/)
      const stranger = await station.inject({ method: 'POST', url: '/api/place/repartition' })
      assert.equal(stranger.status, 401)
    })

    test(
      'a process killed while it writes leaves one whole epoch, and the next resumes',
      { skip: skipRepeats(engine) },
      async () => {
        const home = await engine.home()
        const options = { ...home.options, operations }
        // A map has five pages: the first dies two pages into its second map, the other after the last page of its
        // second, before it holds.
        for (const [i, passage] of [7, 10].entries()) {
          const boot = i + 1
          await killedWriter({ options, boot }, passage)
          const store = await home.openHere<ContractOperations>({ operations })
          const map = await store.call('readMap', {})
          const { hosts } = await store.call('mappedHosts', {
            after: 0,
            atMost: 2 * HOSTS,
          })
          assert.equal(hosts.length, HOSTS)
          assert.deepEqual(
            [map?.epoch, map?.why],
            [boot, `${boot}.1`],
            'the first map of each holds',
          )
          const devices = new Set(hosts.map(({ device }) => device))
          assert.deepEqual([...devices], [`device ${boot}.1`], 'all of it, and nothing of the next')
          await store.close()
        }
      },
    )
  })
}

/** What the page shows of a first map. */
async function assertTold({ operator }: Agents, map: ShownMap): Promise<void> {
  const state = await operator.read<PlacementState>('/place/state')
  assert.deepEqual([state.strategy, state.readyAgents, state.map?.epoch], ['partitioned', 4, 1])
  assert.equal(Object.keys(state.names).length, 4)
  const { story } = state.map!
  assert.equal(story?.before, null)
  assert.equal(story?.newHosts, 24)
  assert.equal(story?.exchange.devices.length, 4)
  const epochs = await operator.read<SortedPage<PlacementEpochRow>>('/place/epochs')
  assert.deepEqual(
    epochs.rows.map(({ epoch, agents, movedHosts }) => [epoch, agents, movedHosts]),
    [[1, 4, 0]],
  )
  const whole = await operator.read<PlacementEpoch>('/place/epochs/1')
  assert.deepEqual(whole, state.map, 'with its matrix')
  const moves = await operator.read<SortedPage<PlacementMove>>('/place/epochs/1/moves')
  assert.deepEqual([moves.rows, moves.total], [[], 0])
  const device = map.placed[0]!.device!
  const own = map.placed.filter((host) => host.device === device).map(({ host }) => host)
  const read = (query: string): Promise<SortedPage<PlacedHostRow>> =>
    operator.read(`/place/hosts?${query}`)
  const first = await read(`device=${device}&limit=2`)
  assert.equal(first.total, own.length)
  const rest = await read(`device=${device}&limit=1000&cursor=${first.next}`)
  assert.deepEqual(
    [...first.rows, ...rest.rows].map(({ host }) => host),
    own.toSorted(),
  )
  assert.equal((await read('text=C0-')).total, 6)
  const { country } = first.rows[0]!
  const there = await read(`country=${country ?? ''}&limit=1000`)
  assert.ok(there.rows.length > 0 && there.rows.every((row) => row.country === country))
  const { station } = operator
  const headers = { authorization: 'Bearer the key of writers', host: 'localhost' }
  const file = await station.app.inject({ url: '/api/place/assignment?as=csv', headers })
  assert.equal(file.body.trim().split('\n').length, 25)
  const missing = await station.inject({ url: '/api/place/epochs/99', headers })
  assertRefused(missing, '404 MINGA_NO_SUCH_EPOCH', /99/)
}

/** It kills itself when it has written so many pages. */
async function killedWriter(args: WriterArgs, passage: number): Promise<void> {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(args)], {
    stdio: ['ignore', 'inherit', 'ignore'],
    env: { ...process.env, ...faultsEnv([killAt('map:page-written', { passage })]) },
  })
  await once(child, 'exit')
  assert.equal(child.signalCode, 'SIGKILL', `${writerName(args.boot)} ended by itself`)
}
