/**
 * The simulated station: the REAL operations of the frontier and of placement on a real database,
 * behind a server that serves one at a time and a line that all uploads share. Only time is virtual.
 */
import {
  acceptResults,
  discover,
  frontierOperations,
  hello,
  lease,
  noteOutcomes,
  noteRobots,
  openCollection,
  settle,
  type Accepted,
  type Strategy,
} from '@minga/frontier'
import { collectionSpec, type Block, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import {
  COMMIT_MS,
  DELAY_MS,
  GIVEN_CPU_MS,
  LOOKUP_MS,
  QUESTION_CPU_MS,
  RESULT_CPU_MS,
  RETRIES,
  STATION_LINE_BYTES_PER_MS,
  UPLOAD_CPU_MS,
} from './costs.ts'
import { SerialServer, SerialResource, type Events } from './events.ts'
import type { MachineSpec } from './machine.ts'
import type { Web } from './web.ts'

/** Any day will do; host clocks start at zero, so it must be far from that. */
const START = 1_700_000_000_000
/** As the coordinator: look-ups per question, and how long a question stays open unlooked at. */
const LOOKUP_ROUNDS_MAX = 4
const LOOK_AGAIN_MS = 5_000
/** The coordinator looks again after 50 ms when a turn is due but not this agent's to take. Here such
 * looks are spaced wider, unless new results arrive: they are most of a simulation's work. */
const LOOK_SPACING_MS = 250
const OTHERS_TURN_MS = 50
const ADDRESS_VALID_MS = 300_000
/** As the coordinator does; agents beat half as often as real ones, which nothing depends on. */
const SWEEP_EVERY_MS = 1_000
const BEAT_EVERY_MS = 5_000
const DISCOVER_AT_ONCE = 1_000
/** Longer than any lease lasts: a fleet without a result for so long will never have one. */
const STAND_STILL_MS = 1_800_000

export interface Question {
  name: string
  requestsMax: number
  answer: (block: Block) => void
}

/** What the station hears from an agent's heartbeat, and tells it back. */
export interface HeartbeatSource {
  name: string
  progress(): number
  fences(): number[]
  lost(fences: readonly number[]): void
}

interface Waiting extends Question {
  isLooking: boolean
  lookups: number
  lookAtMs: number
}

export interface World {
  events: Events
  web: Web
}

export class Station {
  readonly #sql: Sql
  readonly #events: Events
  readonly #web: Web
  readonly #server: SerialServer
  readonly #line = new SerialResource()
  readonly #waiting = new Map<string, Waiting>()
  readonly #hostIndex = new Map<number, number>()
  readonly #leasedAtMs = new Map<number, number>()
  #collectionId = 0
  #lastTakenAtMs = 0
  readonly repliesMs: number[] = []
  readonly endsMs: number[] = []
  stale = 0
  bytes = 0

  constructor(sql: Sql, world: World) {
    this.#sql = sql
    this.#events = world.events
    this.#web = world.web
    this.#server = new SerialServer(world.events)
  }

  get busyMs(): number {
    return this.#server.busyMs
  }

  /** Whole milliseconds, rounded down: a host is never taken for rested too early. */
  get #now(): number {
    return START + Math.floor(this.#events.nowMs)
  }

  async open(strategy: Strategy, agents: readonly MachineSpec[]): Promise<void> {
    const now = this.#now
    const spec = collectionSpec.parse({
      seeds: ['http://simulated.example/'],
      scope: 'any',
      delayMs: DELAY_MS,
      retries: RETRIES,
    })
    const { id } = await openCollection(this.#sql, {
      identity: 'simulated',
      spec,
      now,
      allowPrivateAddresses: true,
    })
    this.#collectionId = id
    await this.#discoverAll()
    const change = { name: 'strategy', value: JSON.stringify(strategy), otherwise: 'null' }
    const args = { changes: [change], by: null, note: null, now }
    await frontierOperations.changeSettings(this.#sql, args)
    for (const { name, country } of agents) {
      await hello(this.#sql, { boot: name, device: name, country, now })
    }
  }

  async #discoverAll(): Promise<void> {
    const { hosts } = this.#web
    const urls = hosts.flatMap(({ name, urls: pages }) =>
      Array.from({ length: pages }, (_, page) => `http://${name}/${page}`),
    )
    for (let i = 0; i < urls.length; i += DISCOVER_AT_ONCE) {
      const candidates = urls.slice(i, i + DISCOVER_AT_ONCE).map((url) => ({
        url,
        kind: 'page' as const,
        depth: 0,
        hops: 0,
        via: null,
        refusal: null,
      }))
      const args = { collectionId: this.#collectionId, candidates, trapBudget: false }
      await discover(this.#sql, args)
    }
    const rows = await this.#sql.all<{ id: number; name: string }>('SELECT id, name FROM hosts')
    const indexOf = new Map(hosts.map(({ name }, i) => [name, i]))
    for (const { id, name } of rows) this.#hostIndex.set(id, indexOf.get(name)!)
    // What a GeoIP file would say of their addresses.
    await this.#sql.updateMany({
      table: 'hosts',
      keys: ['id'],
      set: ['country'],
      rows: rows.map(({ id }) => [id, hosts[this.#hostIndex.get(id)!]!.country]),
    })
  }

  hostIndex(hostId: number): number {
    return this.#hostIndex.get(hostId)!
  }

  /** Sweeps and heartbeats, until the run ends. */
  keepWatch(sources: readonly HeartbeatSource[]): void {
    const sweep = async (): Promise<void> => {
      await frontierOperations.sweep(this.#sql, { now: this.#now })
      const isStandingStill = this.#events.nowMs - this.#lastTakenAtMs > STAND_STILL_MS
      if (isStandingStill || (await this.#isDone())) return this.#events.stop()
      this.#events.after(SWEEP_EVERY_MS, sweep)
    }
    const beat = async (): Promise<void> => {
      for (const agent of sources) {
        const [progress, fences] = [agent.progress(), agent.fences()]
        const message = { boot: agent.name, progress, fences, now: this.#now }
        agent.lost((await frontierOperations.beat(this.#sql, message)).ended)
      }
      this.#events.after(BEAT_EVERY_MS, beat)
    }
    this.#events.after(SWEEP_EVERY_MS, sweep)
    this.#events.after(BEAT_EVERY_MS, beat)
  }

  // ── ask ─────────────────────────────────────────────────────────────────────────────────

  /** A question arrives; it stays open until there is a block for it. */
  ask(question: Question): void {
    const waiting = { ...question, isLooking: false, lookups: 0, lookAtMs: Infinity }
    this.#waiting.set(question.name, waiting)
    this.#look(waiting)
  }

  #look(waiting: Waiting): void {
    waiting.isLooking = true
    this.#server.submit(() => this.#tryToLease(waiting))
  }

  async #tryToLease(waiting: Waiting): Promise<number> {
    const { name, requestsMax } = waiting
    const wanted = { boot: name, requestsMax, hostsMax: requestsMax, now: this.#now }
    const { block, unresolved, nextTurnAt } = await lease(this.#sql, wanted)
    waiting.isLooking = false
    if (block) {
      this.#waiting.delete(name)
      this.#leasedAtMs.set(block.fence, this.#events.nowMs)
      const given = block.hosts.reduce((sum, host) => sum + host.requests.length, 0)
      const tookMs = QUESTION_CPU_MS + given * GIVEN_CPU_MS
      this.#events.after(tookMs, () => waiting.answer(block))
      return tookMs
    }
    if (unresolved.length > 0 && waiting.lookups < LOOKUP_ROUNDS_MAX) {
      waiting.lookups++
      waiting.isLooking = true
      this.#events.after(LOOKUP_MS, () => this.#resolve(waiting, unresolved))
      return QUESTION_CPU_MS
    }
    waiting.lookups = 0
    const { nowMs } = this.#events
    const turnMs = nextTurnAt === null ? Infinity : nextTurnAt - START
    const isOthers = turnMs - nowMs <= OTHERS_TURN_MS
    this.#lookAt(
      waiting,
      Math.min(nowMs + LOOK_AGAIN_MS, isOthers ? nowMs + LOOK_SPACING_MS : turnMs),
    )
    return QUESTION_CPU_MS
  }

  #resolve(waiting: Waiting, unresolved: readonly { hostId: number; name: string }[]): void {
    this.#server.submit(async () => {
      const until = this.#now + ADDRESS_VALID_MS
      const resolutions = unresolved.map((host) => ({
        ...host,
        address: addressOf(host.hostId),
        until,
      }))
      await frontierOperations.noteResolutions(this.#sql, { resolutions, now: this.#now })
      this.#look(waiting)
      return QUESTION_CPU_MS
    })
  }

  #lookAt(waiting: Waiting, atMs: number): void {
    waiting.lookAtMs = atMs
    this.#events.at(atMs, () => {
      if (waiting.lookAtMs === atMs) this.#wake(waiting)
    })
  }

  #wake(waiting: Waiting): void {
    if (this.#waiting.get(waiting.name) !== waiting || waiting.isLooking) return
    this.#look(waiting)
  }

  // ── take ────────────────────────────────────────────────────────────────────────────────

  /** An upload's last byte leaves the agent's side of the line; `done` when it is on disk. */
  upload(
    upload: { name: string; bytes: number; resultsAt: (nowMs: number) => Result[] },
    done: () => void,
  ): void {
    this.bytes += upload.bytes
    const transferMs = upload.bytes / STATION_LINE_BYTES_PER_MS
    this.#events.at(this.#line.doneAt(this.#events.nowMs, transferMs), () => {
      this.#server.submit(async () => {
        const results = upload.resultsAt(Math.floor(this.#events.nowMs))
        const accepted = await this.#take(upload.name, results)
        const tookMs = UPLOAD_CPU_MS + results.length * RESULT_CPU_MS
        const isDone = await this.#isDone()
        this.#events.after(tookMs + COMMIT_MS, () => {
          this.#noteReplies(accepted)
          if (isDone) return this.#events.stop()
          for (const waiting of this.#waiting.values()) this.#wake(waiting)
          done()
        })
        return tookMs
      })
    })
  }

  /** What the coordinator's ingest does, without bytes, links and money. */
  async #take(device: string, results: Result[]): Promise<Accepted[]> {
    const now = this.#now
    const { accepted, stale } = await acceptResults(this.#sql, {
      items: results.map((result) => ({ result })),
      now,
    })
    this.stale += stale
    if (accepted.length > 0) this.#lastTakenAtMs = this.#events.nowMs
    await settle(this.#sql, { accepted, now, duplicates: new Map() })
    for (const { result, lease: held, url } of accepted) {
      if (url !== null || result.type === 'returned') continue
      await noteRobots(this.#sql, {
        collectionId: held.collection_id,
        hostId: held.host_id,
        scheme: 'http',
        url: result.url,
        hops: 0,
        result,
        now,
      })
    }
    await noteOutcomes(this.#sql, { device, accepted })
    return accepted
  }

  #noteReplies(accepted: readonly Accepted[]): void {
    for (const { url, decision, lease: held } of accepted) {
      const isReply = url !== null && (decision.type === 'captured' || decision.type === 'failed')
      if (!isReply) continue
      this.repliesMs.push(this.#events.nowMs - this.#leasedAtMs.get(held.fence)!)
      this.endsMs.push(this.#events.nowMs)
    }
  }

  async #isDone(): Promise<boolean> {
    return (await this.left()) === 0
  }

  async left(): Promise<number> {
    const row = await this.#sql.get<{ queued: number }>(
      'SELECT queued FROM collections WHERE id = ?',
      [this.#collectionId],
    )
    return row!.queued
  }

  async failed(): Promise<number> {
    const row = await this.#sql.get<{ failed: number }>(
      'SELECT failed FROM collections WHERE id = ?',
      [this.#collectionId],
    )
    return row!.failed
  }
}

/** Every host is a machine of its own. */
function addressOf(hostId: number): string {
  return `10.${hostId >> 16}.${(hostId >> 8) & 255}.${hostId & 255}`
}
