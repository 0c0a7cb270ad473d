/** A fleet around a station whose hosts have one page each, so that every turn is one request. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Store } from '@minga/store'
import { ENGINES, type TestEngine } from '../../../store/test/contract-engines.ts'
import {
  captured,
  leasedRequestsOf,
  failed,
  TestStation,
  type LeasedRequest,
} from '../station-fixture.ts'
import type { Load } from '../../src/placement/loads.ts'
import type { Strategy } from '../../src/placement/settings.ts'
import type { PlacementOperations } from './placement-operations.ts'

const FAR_AWAY = Number.MAX_SAFE_INTEGER

export class Fleet extends TestStation {
  override readonly store: Store<PlacementOperations>
  collectionId = 0
  #hosts = 0
  readonly held = new Map<string, LeasedRequest[]>()

  constructor(store: Store<PlacementOperations>) {
    super(store)
    this.store = store
  }

  /** Requests of a host in one go: the pause decides how many make a turn. */
  async begin(delayMs = 0): Promise<void> {
    const seeds = ['http://203.0.113.1/']
    this.collectionId = await this.open({ seeds, delayMs, retries: 5, scope: 'any' })
    await this.change('DELETE FROM urls')
    await this.change('DELETE FROM collection_hosts')
    await this.change('UPDATE collections SET queued = 0, found = 0')
  }

  /** New hosts whose robots.txt is known, in order of their ids; '' for an unknown country. */
  async addHosts(countries: readonly string[]): Promise<number[]> {
    const first = this.#hosts
    this.#hosts += countries.length
    const names = countries.map((_, i) => addressOf(first + i))
    await this.discover(
      this.collectionId,
      names.map((name) => `http://${name}/`),
    )
    const rows = await this.query<{ id: number; name: string }>('SELECT id, name FROM hosts')
    const ids = new Map(rows.map(({ id, name }) => [name, id]))
    const added = names.map((name) => ids.get(name)!)
    for (const country of new Set(countries)) {
      const there = added.filter((_, i) => countries[i] === country)
      const text = `UPDATE hosts SET country = ? WHERE id IN (${there.join(', ')})`
      await this.change(text, [country || null])
    }
    await this.change(
      `INSERT INTO robots (host_id, scheme, verdict, fetched_at, expires_at)
       SELECT id, 'http', 'allow-all', 0, ${FAR_AWAY} FROM hosts
       WHERE id NOT IN (SELECT host_id FROM robots)`,
    )
    await this.inOrderOfIds()
    return added
  }

  /** All turns are due, the oldest host first. */
  async inOrderOfIds(): Promise<void> {
    await this.change('UPDATE collection_hosts SET turn_at = host_id WHERE turn_at <= ?', [
      this.now,
    ])
  }

  async connect(device: string, country = ''): Promise<void> {
    const { now } = this
    await this.store.call('hello', {
      boot: `${device}-boot`,
      device,
      now,
      country: country || null,
    })
    if (!this.held.has(device)) this.held.set(device, [])
  }

  async disconnect(device: string): Promise<void> {
    await this.store.call('goodbye', { boot: `${device}-boot`, now: this.now })
    this.held.set(device, [])
    await this.inOrderOfIds()
  }

  async strategy(strategy: Strategy): Promise<void> {
    await this.set('strategy', strategy)
  }

  /** The ids of the hosts that the agent gets. */
  async ask(device: string, hostsMax: number): Promise<number[]> {
    const { block } = await this.lease(`${device}-boot`, { hostsMax, requestsMax: 1_000 })
    this.held.get(device)!.push(...leasedRequestsOf(block))
    return (block?.hosts ?? []).map((host) => host.hostId)
  }

  /** Answers the oldest requests that the agent holds. */
  async complete(
    device: string,
    answers: readonly ('good' | 'bad')[],
    totalMs = 2,
  ): Promise<number> {
    const leasedRequests = this.held.get(device)!.splice(0, answers.length)
    const results = leasedRequests.map((leased, i) =>
      answers[i] === 'good' ? captured(leased, { totalMs }) : failed(leased, { retry: 'never' }),
    )
    return this.store.call('complete', { device, results, now: this.now })
  }

  async loads(): Promise<Map<string, Load>> {
    const rows = await this.query<Load>('SELECT * FROM agent_loads ORDER BY device')
    return new Map(rows.map((row) => [row.device, row]))
  }

  async left(): Promise<number> {
    const [row] = await this.query<{ n: number }>(
      'SELECT COUNT(*) AS n FROM urls WHERE outcome IS NULL',
    )
    return row!.n
  }

  /** Figures of agents against the rows they are about. */
  async assertLoadsAddUp(): Promise<void> {
    const orphans = await this.query(
      `SELECT c.host_id, c.device FROM collection_hosts c
       LEFT JOIN agent_loads a ON a.device = c.device AND a.connected = 1
       WHERE c.device IS NOT NULL AND a.device IS NULL`,
    )
    assert.deepEqual(orphans, [], 'nothing is meant for an agent that is not there')
    const leases = await this.query<{ device: string; items: string }>(
      `SELECT a.device, h.items FROM host_leases h JOIN leases l ON l.fence = h.fence
       JOIN agents a ON a.boot = l.boot`,
    )
    const turns = await this.query<{ device: string; n: number; promised: number }>(
      `SELECT device, COUNT(*) AS n, SUM(promised) AS promised FROM collection_hosts
       WHERE device IS NOT NULL GROUP BY device`,
    )
    for (const load of (await this.loads()).values()) {
      const own = turns.find(({ device }) => device === load.device)
      const held = leases.filter(({ device }) => device === load.device)
      const inHand = held.reduce((sum, { items }) => sum + (JSON.parse(items) as []).length, 0)
      assert.deepEqual(
        { due: load.due, promised: load.promised, inHand: load.in_hand },
        { due: own?.n ?? 0, promised: own?.promised ?? 0, inHand },
        `the figures of ${load.device}`,
      )
      assert.ok(Math.abs(load.busy - (load.promised + load.in_hand + 1) / load.success) < 1e-9)
    }
  }
}

function addressOf(index: number): string {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
}

const TABLES = [
  'agents',
  'leases',
  'host_leases',
  'hosts',
  'address_groups',
  'robots',
  'collection_hosts',
  'urls',
  'collections',
  'agent_loads',
  'agent_latencies',
  'settings',
  'host_parts',
  'place_maps',
  'place_map_parts',
]

/**
 * For every engine something that opens empty fleets, which share a store one after the other. To be
 * called once, before the first suite: the databases live until the file's end, and a file that
 * waits between two suites ends after the first.
 */
export async function fleetsOnEngines(): Promise<EngineFleets[]> {
  const fleets = ENGINES.map(async (engine) => ({ engine, openFleet: await fleetsOn(engine) }))
  return Promise.all(fleets)
}

export interface EngineFleets {
  engine: TestEngine
  openFleet: () => Promise<Fleet>
}

async function fleetsOn(engine: TestEngine): Promise<() => Promise<Fleet>> {
  if (engine.skip !== false) return () => Promise.reject(new Error(`Skipped: ${engine.skip}.`))
  const opened: Store<PlacementOperations>[] = []
  after(() => Promise.all(opened.map((store) => store.close())))
  const home = await engine.home()
  const operations = new URL('./placement-operations.ts', import.meta.url).href
  const store = await home.openHere<PlacementOperations>({ operations })
  opened.push(store)
  return async () => {
    const fleet = new Fleet(store)
    for (const table of TABLES) await fleet.change(`DELETE FROM ${table}`)
    return fleet
  }
}
