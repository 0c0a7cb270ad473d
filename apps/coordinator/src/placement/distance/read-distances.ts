/**
 * How far hosts are from agents, from everything the station knows: measured times, coordinates,
 * routes, places. It is learnt in a thread of its own; this side carries pages of rows there and a
 * table back, so that agents are heard in the meantime. One question at a time.
 */
import { Worker } from 'node:worker_threads'
import { hostNameOf } from '@minga/frontier'
import type { AgreementRow, Nearness, PlaceSource, Position } from '@minga/partition'
import type { Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { AgentFacts, DistanceRequest, HostEntry, Learnt } from './distance-service.ts'
import { readSnapshot, writeSnapshot } from './distance-snapshot.ts'
import type { DistanceMessage } from './distance-thread.ts'
import { hostPages, hostTimes } from '../graph/graph-iterators.ts'
import { DistancesFailed } from '../place-errors.ts'
import type { DevicePlaces } from './places-devices.ts'
import type { PlaceTexts } from './places-files.ts'
import type { Operations } from '../../station/station-operations.ts'

/** Round trips in ms as a table: of host h and agent a at `rtt.values[h · agents + a]`. */
export interface KnownDistances {
  rtt: Nearness
  /** Pairs of an agent and a host that were measured seven times or more. */
  measuredPairs: number
}

export interface DistanceQuestion {
  /** Ids of devices. */
  agents: readonly string[]
  /** Names as in the host graph. */
  hosts: readonly string[]
}

export interface DistanceReader {
  distancesOf(question: DistanceQuestion): Promise<KnownDistances>
}

/** How the sources of places agree with each other. */
export interface PlaceAgreement {
  at: number
  hosts: number
  placedBy: Record<PlaceSource, number>
  agreement: AgreementRow[]
}

export interface PlaceKnowledge {
  /** Where an address is, when a GeoIP file says so. */
  positionOf: (address: string) => (Position & { errorKm?: number }) | null
  devices: DevicePlaces
  texts: () => PlaceTexts
}

interface DistanceParts extends PlaceKnowledge {
  store: Calls<Operations>
  clock: Clock
}

const PAGE_HOSTS = 2_000
/** A sample of the web, and a second of a thread. */
const AGREEMENT_HOSTS_MOST = 100_000
const AGREEMENT_KEPT_MS = 600_000
/** A million hosts and pairs with all that belongs to them take about half of it. */
const THREAD = { resourceLimits: { maxOldGenerationSizeMb: 2_048 } }

export class PlaceDistances implements DistanceReader {
  readonly #parts: DistanceParts
  #agreement: PlaceAgreement | null = null

  constructor(parts: DistanceParts) {
    this.#parts = parts
  }

  async distancesOf({ agents, hosts }: DistanceQuestion): Promise<KnownDistances> {
    const { rtt, measuredPairs } = await runExclusive(this, async () => {
      const learnt = await this.#learn(await this.#agentFacts(agents), hosts)
      const { store, clock } = this.#parts
      const { coordinates } = learnt
      if (coordinates !== null && coordinates.names.length > 0) {
        await writeSnapshot(store, coordinates, clock.now())
      }
      return learnt
    })
    return { rtt, measuredPairs }
  }

  /** Ten minutes old at most. Those who ask while it is found out wait for the same answer. */
  async agreement(): Promise<PlaceAgreement> {
    return (
      this.#freshAgreement() ??
      runExclusive(this, async () => this.#freshAgreement() ?? this.#findAgreement())
    )
  }

  #freshAgreement(): PlaceAgreement | null {
    const known = this.#agreement
    const isFresh = known !== null && this.#parts.clock.now() - known.at < AGREEMENT_KEPT_MS
    return isFresh ? known : null
  }

  async #findAgreement(): Promise<PlaceAgreement> {
    const hosts: string[] = []
    for await (const rows of hostPages(this.#parts.store)) {
      hosts.push(...rows.map(({ host }) => host))
      if (hosts.length >= AGREEMENT_HOSTS_MOST) break
    }
    await this.#learn([], hosts)
    return this.#agreement!
  }

  async #agentFacts(ids: readonly string[]): Promise<AgentFacts[]> {
    const { store, devices } = this.#parts
    const named = await store.call('devicesNamed', { ids })
    return named.map((device) => ({ ...device, place: devices.of(device.id) }))
  }

  async #learn(agents: readonly AgentFacts[], hosts: readonly string[]): Promise<Learnt> {
    const { store, clock, texts } = this.#parts
    const nowMs = clock.now()
    const previous = agents.length === 0 ? null : await readSnapshot(store)
    const worker = new Worker(new URL('./distance-thread.ts', import.meta.url), THREAD)
    const post = (message: DistanceMessage): void => worker.postMessage(message)
    try {
      const answer = answerOf(worker)
      // Also while no caller waits for it yet, a thread that died must not become an unhandled
      // rejection.
      answer.catch(() => {})
      for await (const rows of hostTimes(store)) {
        post({ kind: 'pairs', nowMs, pairs: rows.map(pairOf) })
      }
      for (let from = 0; from < hosts.length; from += PAGE_HOSTS) {
        const page = hosts.slice(from, from + PAGE_HOSTS)
        post({ kind: 'hosts', nowMs, hosts: await this.#entriesOf(page) })
      }
      const question: DistanceRequest = { nowMs, agents, texts: texts(), previous }
      post({ kind: 'question', nowMs, question })
      const learnt = await answer
      const { placedBy, agreement } = learnt
      this.#agreement = { at: nowMs, hosts: hosts.length, placedBy, agreement }
      return learnt
    } finally {
      await worker.terminate()
    }
  }

  async #entriesOf(keys: readonly string[]): Promise<HostEntry[]> {
    const { store, positionOf } = this.#parts
    const placed = await store.call('factsOfHosts', { hosts: keys })
    return keys.map((key, i) => {
      const { address, loc } = placed[i]!
      const geoip = address === null ? null : positionOf(address)
      return { key, host: hostNameOf(key), address, dnsLoc: loc, geoip }
    })
  }
}

function answerOf(worker: Worker): Promise<Learnt> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve)
    worker.once('error', (cause) => reject(new DistancesFailed({ cause })))
    worker.once('exit', () => reject(new DistancesFailed()))
  })
}

function pairOf({
  host,
  device,
  connection,
  first_byte: firstByte,
}: {
  host: string
  device: string
  connection: Uint8Array
  first_byte: Uint8Array
}): { agent: string; host: string; connection: Uint8Array; firstByte: Uint8Array } {
  return { agent: device, host, connection, firstByte }
}
