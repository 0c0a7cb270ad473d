/**
 * A station with several hand-driven agents, on a synthetic web of communities. The fetches of each
 * are recorded.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MapView, MappedHost } from '@minga/frontier'
import type { LeaseResponse } from '@minga/protocol'
import { TestDevice } from '../../agents/device-fixture.ts'
import { openOperator, type Operator } from '../../station/settings/settings-fixture.ts'
import { uploadOf, type Said, type StationChanges, type Web } from '../../station-fixture.ts'

export type ShownMap = MapView & { placed: MappedHost[] }

/** Hosts of community c are named c-0, c-1, …; every page leads to the next of its host and to two neighbours. */
export function communityWeb(shape: { communities: number; hosts: number; pages: number }): Web {
  const web: Web = {}
  for (let c = 0; c < shape.communities; c++) {
    for (let h = 0; h < shape.hosts; h++) {
      for (let p = 0; p < shape.pages; p++) {
        const near = [h + 1, h + 2].map((other) => pageUrl(c, other % shape.hosts, 0))
        const links = p + 1 < shape.pages ? [pageUrl(c, h, p + 1), ...near] : near
        web[pageUrl(c, h, p)] = { body: links.map((url) => `<a href="${url}">x</a>`).join('') }
      }
    }
  }
  return web
}

export function pageUrl(community: number, host: number, page: number): string {
  return `http://c${community}-${host}.example/p${page}`
}

const ROUND_MS = 500

export class Agents {
  readonly operator: Operator
  readonly web: Web
  readonly devices = new Map<string, { device: TestDevice; boot: string }>()
  /** By host: how many pages each device brought since the count began. */
  readonly brought = new Map<string, Map<string, number>>()
  #collectionId = 0

  constructor(operator: Operator, web: Web) {
    this.operator = operator
    this.web = web
  }

  async join(name: string): Promise<string> {
    const device = new TestDevice(this.operator.station)
    await device.enrol(undefined, name)
    const boot = `boot of ${name}`
    await device.hello(boot)
    this.devices.set(name, { device, boot })
    return device.id
  }

  /** It falls silent; the station finds out by itself. */
  leave(name: string): void {
    this.devices.delete(name)
  }

  async collect(seeds: string[]): Promise<void> {
    const { id } = await this.operator.station.collect({ seeds, delayMs: 0, scope: 'any' })
    this.#collectionId = id
  }

  async queued(): Promise<number> {
    const { store } = this.operator.station
    const [status] = await store.call('collectionStatus', {
      id: this.#collectionId,
    })
    return status!.queued
  }

  /** Everyone is heard, asks once, and brings what it got. */
  async round(): Promise<void> {
    const { station } = this.operator
    for (const { device, boot } of this.devices.values()) {
      await this.#beat(device)
      const { block } = await this.#ask(device)
      if (block === null) continue
      const parcels = station.fetch(block, this.web)
      for (const { result } of parcels) {
        if (result.type === 'captured' && result.kind === 'page') this.#note(result.url, device.id)
      }
      const said: Said = await device.upload(uploadOf(parcels, boot))
      assert.equal(said.status, 200, JSON.stringify(said.body))
    }
    await station.clock.advance(ROUND_MS)
    await station.tick()
  }

  async #ask(device: TestDevice): Promise<LeaseResponse> {
    const said = await device.call('ask', { requestsMax: 100, hostsMax: 40 })
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as LeaseResponse
  }

  async #beat(device: TestDevice): Promise<void> {
    const { clock } = this.operator.station
    await device.call('beat', { progress: clock.now(), fences: [] })
  }

  #note(url: string, device: string): void {
    const { hostname } = new URL(url)
    let counts = this.brought.get(hostname)
    if (counts === undefined) this.brought.set(hostname, (counts = new Map()))
    counts.set(device, (counts.get(device) ?? 0) + 1)
  }

  /** Of all pages brought, the share that the busiest agent of their host brought. */
  loyalty(): number {
    let all = 0
    let own = 0
    for (const counts of this.brought.values()) {
      const values = [...counts.values()]
      all += values.reduce((sum, count) => sum + count, 0)
      own += Math.max(...values)
    }
    return own / all
  }

  map(limit = 1_000): Promise<ShownMap> {
    return this.operator.read(`/place/map?limit=${limit}`)
  }

  /** Time passes, and agents are heard. */
  async pass(ms: number): Promise<void> {
    const { station } = this.operator
    for (const { device } of this.devices.values()) await this.#beat(device)
    await station.clock.advance(ms)
    await station.tick()
  }

  /** Until an epoch holds. Planning takes real time. */
  async untilEpoch(epoch: number): Promise<ShownMap> {
    const { store } = this.operator.station
    for (let tries = 0; tries < 600; tries++) {
      await this.pass(1_000)
      const map = await store.call('readMap', {})
      if (map !== null && map.epoch >= epoch) return this.map()
      await sleep(20)
    }
    throw new Error(`epoch ${epoch} does not come`)
  }
}

export async function openAgents(
  changes: StationChanges,
  web: Web,
  names: readonly string[],
): Promise<Agents> {
  // No agent has to wait: a busy machine must not look like slow agents.
  const agents = new Agents(await openOperator({ waitingMax: 0, ...changes }), web)
  await agents.operator.set({ strategy: 'partitioned' })
  for (const name of names) await agents.join(name)
  return agents
}
