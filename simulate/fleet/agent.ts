/**
 * A simulated agent. `concurrent` works as Minga's does: it asks when half of what it may hold is
 * done, fetches with its threads, and uploads what is ready, all side by side. `sequential` is
 * Version 1 of the thesis's program: ask, fetch all, upload all, and again.
 */
import type { Block, BlockRequest, CapturedResult, HostBlock, Result } from '@minga/protocol'
import {
  AGENT_UP_BYTES_PER_MS,
  BLOCK_REQUEST_BYTES,
  RESULT_BYTES,
  roundTripMs,
  STATION_COUNTRY,
} from './costs.ts'
import { SerialResource, type Events } from './events.ts'
import type { Fetched, Machine } from './machine.ts'
import type { HeartbeatSource, Station } from './station.ts'
import { distanceKm } from './thesis-tables.ts'
import type { Web } from './web.ts'

export const MODES = ['concurrent', 'sequential'] as const
export type Mode = (typeof MODES)[number]

/** A batch leaves at this age even if it is small: Minga's agent, apps/agent/src/record/send.ts. */
const BATCH_AGE_MS = 100
/** A robots.txt that asks for a pause of one second. */
const DELAY_ROBOTS = Buffer.from('User-agent: *\nCrawl-delay: 1\n').toString('base64')

/** One host's share of a block. */
interface Lane {
  fence: number
  host: HostBlock
  next: number
  isLost: boolean
  /** Gives up the request under way; false when there is none. */
  giveUp: () => boolean
}

/** What is ready to be sent; its age is known only when it is. */
interface Ready {
  result: Result
  bytes: number
  endedAtMs: number
}

export class Agent implements HeartbeatSource {
  readonly name: string
  readonly #machine: Machine
  readonly #station: Station
  readonly #events: Events
  readonly #web: Web
  readonly #mode: Mode
  readonly #oneWayMs: number
  readonly #line = new SerialResource()
  readonly #lanes = new Set<Lane>()
  #atDoor: Lane[] = []
  #ready: Ready[] = []
  /** Requests of each lease that the station has not acknowledged. */
  readonly #open = new Map<number, number>()
  #inHand = 0
  #ended = 0
  #isAsking = false
  #isSending = false
  #flushAtMs = Infinity

  constructor(machine: Machine, parts: { station: Station; events: Events; web: Web; mode: Mode }) {
    this.name = machine.spec.name
    this.#machine = machine
    this.#station = parts.station
    this.#events = parts.events
    this.#web = parts.web
    this.#mode = parts.mode
    this.#oneWayMs = roundTripMs(distanceKm(machine.spec.country, STATION_COUNTRY)) / 2
  }

  /** Requests that ended here, robots.txt included. */
  progress(): number {
    return this.#ended
  }

  fences(): number[] {
    return [...this.#open.keys()]
  }

  /**
   * Leases that the station has ended: nothing more of them is dialled, and what is in the air is
   * given up, as Minga's agent does (apps/agent/src/fetch/work-buffer.ts). A host taken from a straggler rests long
   * enough for the straggler to hear of it, not for a response of up to 40 s: heard out, it would
   * overlap with the next agent's request.
   */
  lost(fences: readonly number[]): void {
    for (const lane of this.#lanes) {
      if (!fences.includes(lane.fence)) continue
      lane.isLost = true
      if (lane.giveUp()) this.#givenUp(lane)
    }
    for (const fence of fences) this.#open.delete(fence)
    if (fences.length > 0) this.#goOn()
  }

  start(): void {
    this.#goOn()
  }

  #goOn(): void {
    this.#dial()
    if (this.#mayAsk()) this.#ask()
    if (this.#maySend()) this.#send()
  }

  // ── ask ─────────────────────────────────────────────────────────────────────────────────

  #mayAsk(): boolean {
    if (this.#isAsking) return false
    if (this.#mode === 'sequential') {
      return this.#lanes.size === 0 && this.#ready.length === 0 && !this.#isSending
    }
    return this.#inHand < Math.max(1, this.#machine.spec.inHand / 2)
  }

  #ask(): void {
    this.#isAsking = true
    const requestsMax = this.#machine.spec.inHand - this.#inHand
    this.#events.after(this.#oneWayMs, () =>
      this.#station.ask({
        name: this.name,
        requestsMax,
        answer: (block) => this.#events.after(this.#oneWayMs, () => this.#take(block)),
      }),
    )
  }

  #take({ fence, hosts }: Block): void {
    this.#isAsking = false
    for (const host of hosts) {
      const lane: Lane = { fence, host, next: 0, isLost: false, giveUp: () => false }
      this.#lanes.add(lane)
      this.#atDoor.push(lane)
      this.#inHand += host.requests.length
      this.#open.set(fence, (this.#open.get(fence) ?? 0) + host.requests.length)
    }
    this.#goOn()
  }

  // ── fetch ───────────────────────────────────────────────────────────────────────────────

  #dial(): void {
    while (this.#machine.freeThreads > 0 && this.#atDoor.length > 0) {
      const lane = this.#atDoor.shift()!
      if (lane.isLost) this.#giveBack(lane)
      else this.#fetch(lane, lane.host.requests[lane.next++]!)
    }
  }

  #fetch(lane: Lane, request: BlockRequest): void {
    const host = this.#station.hostIndex(lane.host.hostId)
    const page = request.kind === 'robots' ? null : Number(request.url.split('/').at(-1))
    lane.giveUp = this.#machine.fetch({ host, page }, (fetched) => {
      this.#inHand--
      this.#ended++
      const result = this.#resultOf(lane, request, fetched)
      const bytes = RESULT_BYTES + fetched.bytes
      this.#ready.push({ result, bytes, endedAtMs: fetched.endedAtMs })
      this.#rest(lane, fetched.isLost)
      this.#flushLater()
      this.#goOn()
    })
  }

  /** After the pause the lane stands at the door again; after a failure the host is left alone. */
  #rest(lane: Lane, isLost: boolean): void {
    if (lane.next >= lane.host.requests.length) {
      this.#lanes.delete(lane)
      return
    }
    if (isLost || lane.isLost) return this.#giveBack(lane)
    this.#events.after(lane.host.delayMs, () => {
      this.#atDoor.push(lane)
      this.#goOn()
    })
  }

  /** The request that was under way goes back with those that were not begun. */
  #givenUp(lane: Lane): void {
    lane.next--
    this.#ended++
    this.#giveBack(lane)
  }

  #giveBack(lane: Lane): void {
    const { fence, host } = lane
    const { collectionId, hostId } = host
    for (const { hash } of host.requests.slice(lane.next)) {
      const result = { type: 'returned' as const, fence, collectionId, hostId, hash }
      this.#ready.push({ result, bytes: BLOCK_REQUEST_BYTES, endedAtMs: this.#events.nowMs })
      this.#inHand--
    }
    this.#lanes.delete(lane)
  }

  #resultOf({ fence, host }: Lane, request: BlockRequest, fetched: Fetched): Result {
    const totalMs = Math.round(fetched.endedAtMs - fetched.startedAtMs)
    const { collectionId, hostId } = host
    const { hash, url } = request
    const common = { fence, collectionId, hostId, hash, url, endedAgoMs: 0, totalMs }
    if (!fetched.isLost) return { ...common, ...this.#capture(host, request, fetched) }
    const message = 'The simulated connection was lost.'
    return { ...common, type: 'failed', code: 'MINGA_CONNECTION_LOST', message, retry: 'later' }
  }

  #capture(
    host: HostBlock,
    { kind }: BlockRequest,
    { bytes }: Fetched,
  ): Omit<
    CapturedResult,
    'fence' | 'collectionId' | 'hostId' | 'hash' | 'url' | 'endedAgoMs' | 'totalMs'
  > {
    const { crawlDelayS } = this.#web.hosts[this.#station.hostIndex(host.hostId)]!
    const hasFile = kind !== 'robots' || crawlDelayS !== null
    return {
      type: 'captured',
      kind,
      status: hasFile ? 200 : 404,
      capturedAt: 0,
      firstByteMs: 1,
      record: 'response',
      mime: kind === 'robots' ? 'text/plain' : 'text/html',
      digest: '',
      payloadBytes: bytes,
      members: [1],
      retryAfterMs: null,
      location: null,
      etag: null,
      lastModified: null,
      title: null,
      nofollow: false,
      links: [],
      embeds: [],
      sitemaps: [],
      body: kind === 'robots' && hasFile ? DELAY_ROBOTS : null,
    }
  }

  // ── send ────────────────────────────────────────────────────────────────────────────────

  /**
   * At half a block, or when threads have nothing to do: results free hosts, which is what idle
   * threads wait for. So the tail of a run is never left waiting for company.
   */
  #maySend(): boolean {
    if (this.#isSending || this.#ready.length === 0) return false
    if (this.#mode === 'sequential') return this.#lanes.size === 0
    const isHalf = this.#ready.length >= this.#machine.spec.inHand / 2
    const isIdle = this.#inHand < this.#machine.spec.threads
    return isHalf || isIdle || this.#events.nowMs >= this.#flushAtMs
  }

  #flushLater(): void {
    if (this.#mode === 'sequential' || this.#flushAtMs !== Infinity) return
    this.#flushAtMs = this.#events.nowMs + BATCH_AGE_MS
    this.#events.at(this.#flushAtMs, () => this.#goOn())
  }

  #send(): void {
    this.#isSending = true
    this.#flushAtMs = Infinity
    const sent = this.#ready
    this.#ready = []
    const bytes = sent.reduce((sum, one) => sum + one.bytes, 0)
    const leavesAtMs = this.#line.doneAt(this.#events.nowMs, bytes / AGENT_UP_BYTES_PER_MS)
    const resultsAt = (nowMs: number): Result[] => sent.map((one) => aged(one, nowMs))
    this.#events.at(leavesAtMs + this.#oneWayMs, () =>
      this.#station.upload({ name: this.name, bytes, resultsAt }, () =>
        this.#events.after(this.#oneWayMs, () => {
          this.#isSending = false
          for (const { result } of sent) this.#acknowledged(result.fence)
          if (this.#ready.length > 0) this.#flushLater()
          this.#goOn()
        }),
      ),
    )
  }

  #acknowledged(fence: number): void {
    const left = (this.#open.get(fence) ?? 0) - 1
    if (left > 0) this.#open.set(fence, left)
    else this.#open.delete(fence)
  }
}

/** Rounded so that a response never seems to have ended earlier than it did. */
function aged({ result, endedAtMs }: Ready, nowMs: number): Result {
  if (result.type === 'returned') return result
  return { ...result, endedAgoMs: nowMs - Math.ceil(endedAtMs) }
}
