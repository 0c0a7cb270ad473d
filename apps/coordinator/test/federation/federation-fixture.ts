/** Stations that federate over real HTTP on this machine, each on a virtual clock of its own. */
import assert from 'node:assert/strict'
import type { LeaseResponse, DeviceKeys, FederationStatus } from '@minga/protocol'
import { AbuseMonitor } from '../../src/clients/abuse/abuse-monitor.ts'
import { Alerts } from '../../src/watch/alerts/alerts.ts'
import { LoadTests } from '../../src/site-services/load-tests/load-tests.ts'
import { Monitors } from '../../src/site-services/neutrality/monitors.ts'
import {
  leasedRequestsOf,
  openStation,
  type PartClass,
  type StationChanges,
  type TestStation,
  type Web,
} from '../station-fixture.ts'
import { VisitScheduler } from '../../src/watch/visits/visit-scheduler.ts'
import { ChangeSignals } from '../../src/watch/signals/change-signals.ts'
import { WikiService } from '../../src/wiki/wiki-service.ts'

/** What it says while it is in one. */
export type Federated = Extract<FederationStatus, { isFederated: true }>

/** They protect nothing. */
const KEYS: DeviceKeys[] = [
  {
    publicKey: 'XmlQz9O0-Wnmi7oZRZcx3tSPkQR2eDHM1rRekHLsF_I',
    privateKey: 'lKXycW9JXIrjhGGIJp_8W8Qfx78-EzdvH56_pNftMwY',
  },
  {
    publicKey: 'PLzPhEgKEuT15wyIgy8TXJVqHXYjHmiz0gF62EMUdPg',
    privateKey: 'dSgQ3DFlz5iALPxFfeZaFoESnR6_YcwGVMdZFtknFko',
  },
  {
    publicKey: '4-LXeQCnglE6sRtm_GyR5Z0OZs5zgxIWC3O1s2M0KpI',
    privateKey: 'ObXGB8ukgYPJbHnULXA_hNkLFtp5EqRBU4D8LNpV-6k',
  },
  {
    publicKey: 'u0k-pXfv0nn6wOh-QyIOvsUqu21XAZ1iOgXWWHAjZrE',
    privateKey: 'tnr0sDKdnZKECoTGI1nIOKE0rXpu2v6nLsjmOknxh0w',
  },
]

/** As often as a station ticks while it is being served. */
const TICK_MS = 1_000

/** No test of federations gives these work, and each tick would query the store for it. */
const IDLE_PARTS: readonly PartClass[] = [
  AbuseMonitor,
  Alerts,
  ChangeSignals,
  LoadTests,
  Monitors,
  VisitScheduler,
  WikiService,
]

export class TestFederation {
  readonly stations: TestStation[] = []
  /** Those whose time stands still: dead or paused, as others see it. */
  readonly asleep = new Set<TestStation>()

  /** A station that listens, and collects alone. */
  async open(changes: StationChanges = {}): Promise<TestStation> {
    const station = await openStation({
      allowPrivateAddresses: true,
      idleParts: IDLE_PARTS,
      ...changes,
      addressesOf: (name) => (name === 'localhost' ? ['127.0.0.1'] : changes.addressesOf?.(name)),
    })
    // With keys of its own making it would be given other hosts in every run.
    const value = JSON.stringify(KEYS[this.stations.length])
    await station.store.call('writeFact', { name: 'federation.keys', value })
    await listen(station)
    this.stations.push(station)
    return station
  }

  /** The first is the registrar. */
  async found(names: readonly string[], changes: StationChanges = {}): Promise<TestStation[]> {
    const stations: TestStation[] = []
    for (const name of names) {
      const station = await this.open(changes)
      stations.push(station)
      if (stations.length === 1) await act(station, 'found', { name, capacity: 1 })
      else await this.join(station, { name, at: stations[0]! })
      await this.pass(TICK_MS)
    }
    await this.pass(5_000)
    return stations
  }

  async join(station: TestStation, { name, at }: { name: string; at: TestStation }): Promise<void> {
    const { token, url } = await act<{ token: string; url: string }>(at, 'invite')
    await act(station, 'join', { name, token, url, capacity: 1 })
  }

  /** Time passes for all that are awake, and everything that it brings about is done. */
  async pass(ms: number): Promise<void> {
    for (let left = ms; left > 0; left -= TICK_MS) {
      const awake = this.stations.filter((station) => !this.asleep.has(station))
      for (const station of awake) {
        await station.clock.advance(Math.min(TICK_MS, left))
        await station.tick()
      }
      // A message to one makes another busy: the last to begin ends last.
      for (const station of awake) await station.federation.idle()
    }
  }

  /** An agent of the station asks once, and fetches what it gets. Answers which pages. */
  async work(station: TestStation, web: Web): Promise<string[]> {
    // It may have been silent for too long.
    await station.hello()
    await station.agent('beat', { progress: station.clock.now(), fences: [] })
    const asked = station.agent('ask', { requestsMax: 100, hostsMax: 10 })
    const isOver = asked.then(() => true)
    while (!(await Promise.race([isOver, turn()]))) await this.pass(TICK_MS)
    const { block } = (await asked).body as LeaseResponse
    if (!block) return []
    await station.send(station.fetch(block, web))
    return leasedRequestsOf(block).map(({ request }) => request.url)
  }

  /** All that are awake work in turns until a while after none of them has found anything to do. */
  async workOut(web: Web): Promise<Map<TestStation, string[]>> {
    const done = new Map<TestStation, string[]>()
    for (let idle = 0; idle < IDLE_ROUNDS;) {
      idle++
      for (const station of this.stations) {
        if (this.asleep.has(station)) continue
        const urls = (await this.work(station, web)).filter((url) => !url.endsWith('/robots.txt'))
        if (urls.length > 0) idle = 0
        done.set(station, [...(done.get(station) ?? []), ...urls])
      }
    }
    return done
  }

  /** It cannot be reached any more, and it does nothing. */
  async kill(station: TestStation): Promise<void> {
    this.asleep.add(station)
    await new Promise((resolve) => station.app.server.close(resolve).closeAllConnections())
  }

  /** On its old address again; its clock has gone on in the meantime. */
  async wake(station: TestStation): Promise<void> {
    const awake = this.stations.find((other) => !this.asleep.has(other))!
    this.asleep.delete(station)
    await station.clock.advance(Math.max(0, awake.clock.now() - station.clock.now()))
    if (!station.app.server.listening) await this.answerAgain(station)
  }

  /** It can be called, and may still be asleep: then it makes no calls by itself. */
  async answerAgain({ app, federation }: TestStation): Promise<void> {
    const { port } = new URL(federation.url!)
    await new Promise<void>((resolve) => {
      app.server.listen({ host: 'localhost', port: Number(port) }, resolve)
    })
  }
}

/** Each takes about five seconds per station. */
const IDLE_ROUNDS = 3

function turn(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 1))
}

/** Sites that link to each other, as many pages on each. */
export function linkedWeb(sites: number, pages: number): Web {
  const web: Web = {}
  const urlOf = (site: number, page: number): string =>
    `http://site${site % sites}.test/${page % pages}`
  for (let site = 0; site < sites; site++) {
    for (let page = 0; page < pages; page++) {
      const to = [urlOf(site, page + 1), urlOf(site + 1, page), urlOf(site + 3, page + 2)]
      const body = to.map((url) => `<a href="${url}">x</a>`).join('')
      web[urlOf(site, page)] = { body }
    }
  }
  return web
}

async function listen(station: TestStation): Promise<void> {
  await station.app.listen({ host: 'localhost', port: 0 })
  const address = station.app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  station.federation.listens(`http://localhost:${address.port}`)
}

/** What an operator does. */
export async function act<R>(station: TestStation, what: string, body: object = {}): Promise<R> {
  const said = await station.post(`/federation/${what}`, body)
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return said.body as R
}

export async function statusOf(station: TestStation): Promise<Federated> {
  const headers = { authorization: 'Bearer the key of writers' }
  const { body } = await station.inject({ url: '/api/federation', headers })
  return body as Federated
}
