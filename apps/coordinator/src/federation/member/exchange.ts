/**
 * The exchange between stations: what waits in the outbox leaves in order, many rows in a batch, and what
 * comes takes effect once. URLs leave at once, the journal every two seconds; a station that is away
 * is tried again ever more rarely, and loses nothing. What else has to be done a part at a time
 * (handovers, what a lost station left behind, the snapshot for a new keeper) is driven from here.
 */
import { zstdDecompressSync } from 'node:zlib'
import type {
  CollectionPayload,
  ForeignLimits,
  FrontierOperations,
  NextBatch,
  ShippedRow,
  WaitingStation,
} from '@minga/frontier'
import {
  BadUpload,
  DeadlineWorker,
  WorkerDied,
  WorkerTooSlow,
  faultPoint,
  systemClock,
  type Clock,
  type PeerExchange,
} from '@minga/protocol'
import type { Calls } from '@minga/store'
import { z } from 'zod'
import { resolveHosts } from '../../collect/resolve-hosts.ts'
import { findRefusal } from '../../station/admission.ts'
import type { StationCalls } from '../calls/station-calls.ts'
import type { Station } from '../../station/station.ts'
import { decodeBatch, encodeBatch, rowsOfBatch, type Batch } from './exchange-batch.ts'
import type { BatchAnswer } from './batch-thread.ts'

/** Known arrivals that make a URL hot: the second is chance, and with two stations there is no third. */
const HOT_FROM = 2
/** Entries counted at a time; when the table is full the counts begin again. */
const COUNTED_MAX = 50_000
/** URLs sent at a time; what is found beyond it will be found again. */
const TOLD_MAX = 500

/**
 * URLs that keep arriving although they are known: every site links to them, and every station
 * sends them once. After all stations have received them as known, those that have not met them yet
 * do not send them.
 */
export class HotUrls {
  #counts = new Map<string, number>()
  #hot = new Set<string>()

  /** Takes those that came once more, and answers those that are hot since now. */
  note(known: readonly string[]): string[] {
    const fresh: string[] = []
    for (const url of known) {
      const count = (this.#counts.get(url) ?? 0) + 1
      if (this.#counts.size >= COUNTED_MAX) this.#counts = new Map()
      this.#counts.set(url, count)
      if (count !== HOT_FROM || this.#hot.size >= TOLD_MAX) continue
      this.#hot.add(url)
      fresh.push(url)
    }
    return fresh
  }

  /** Since this was last asked. */
  drain(): string[] {
    const hot = [...this.#hot]
    this.#hot = new Set()
    return hot
  }
}

/** Before packing; a few times less is sent. More would keep the receiver's store busy for too long. */
const BATCH_BYTES_MAX = 3_000_000
/**
 * The journal is written behind what it is about; more often would only make more messages. It is
 * checked every half second, so no more than two seconds lie between two of its batches.
 */
const JOURNAL_EVERY_MS = 1_750
/** URLs wait this long for others: a batch per upload would be a message for every few pages. */
const URLS_EVERY_MS = 400
const PAUSE_FIRST_MS = 1_000
const PAUSE_MAX_MS = 60_000
/** Steps of one kind in one tick: the station has other work, too. */
const STEPS_MAX = 50
/** The coordinator has other work, too. */
const JUDGE_MS = 20
/** Names looked up in one tick. */
const RESOLVED_MAX = 100

export interface ExchangeParts extends Pick<Station, 'clock' | 'resolver' | 'guard' | 'countryOf'> {
  store: Calls<FrontierOperations>
  calls: StationCalls
  /** What others' collections may do here at most. */
  foreignLimits: () => ForeignLimits
  /** There may be new work for agents that wait. */
  ring: () => void
  /** A collection's scope may have changed. */
  changed?: (collectionId: number) => void
}

interface Line {
  /** By the monotonic clock. */
  sentMs: number
  pauseUntilMs: number
  pauseMs: number
}

export interface ExchangeCounts {
  batches: number
  rows: number
  bytes: number
  received: number
}

const answerText = z.object({ seq: z.number().int().min(0), hot: z.array(z.string()) })

/** Each does a part of what is to be done, and says whether there is more. */
type Step = 'continueRelease' | 'handOver' | 'continueSnapshot'

export class Exchange {
  readonly #parts: ExchangeParts
  readonly #lines = new Map<string, Line>()
  readonly #hot = new HotUrls()
  readonly #peers = new Map<string, PeerExchange>()
  readonly counts: ExchangeCounts = { batches: 0, rows: 0, bytes: 0, received: 0 }

  constructor(parts: ExchangeParts) {
    this.#parts = parts
  }

  /** To be called at the station's pulse, as `ship` is. */
  async upkeep(): Promise<void> {
    await this.#steps('continueRelease')
    await this.#steps('handOver')
    await this.#steps('continueSnapshot')
    await this.#resolveClaims()
  }

  async #steps(operation: Step): Promise<void> {
    const { store, clock } = this.#parts
    for (let i = 0; i < STEPS_MAX; i++) {
      const args = { now: clock.now() }
      const { isMore } = await store.call(operation, args)
      if (!isMore) return
    }
  }

  /** A host is claimed with its address, whether or not an agent waits for it. */
  async #resolveClaims(): Promise<void> {
    const { store, clock } = this.#parts
    const hosts = await store.call('claimsToResolve', { limit: RESOLVED_MAX, now: clock.now() })
    // Where it is does not matter yet: filters ask when it is leased.
    const parts = { ...this.#parts, positionOf: () => null }
    if (hosts.length > 0) await resolveHosts(parts, hosts)
  }

  // ── sending ─────────────────────────────────────────────────────────────────────────────

  async ship(): Promise<void> {
    const waiting = await this.#parts.store.call('stationsWaiting', {})
    const due = waiting.filter((station) => this.#isDue(station))
    await Promise.all(due.map(({ station }) => this.#shipTo(station)))
  }

  #isDue({ station, isUrgent }: WaitingStation): boolean {
    const { sentMs, pauseUntilMs } = this.#line(station)
    const nowMs = this.#parts.clock.monotonicMs()
    if (nowMs < pauseUntilMs) return false
    return nowMs - sentMs >= (isUrgent ? URLS_EVERY_MS : JOURNAL_EVERY_MS)
  }

  #line(station: string): Line {
    const line = this.#lines.get(station) ?? { sentMs: -Infinity, pauseUntilMs: 0, pauseMs: 0 }
    this.#lines.set(station, line)
    return line
  }

  /** Sends everything queued for one station; no other station waits for it. */
  async #shipTo(station: string): Promise<void> {
    const { clock } = this.#parts
    const line = this.#line(station)
    line.sentMs = clock.monotonicMs()
    try {
      while (await this.#shipBatch(station));
      line.pauseMs = 0
    } catch {
      // Whatever it is, the rows are still there; who looks after the federation sees them wait.
      line.pauseMs = Math.min(PAUSE_MAX_MS, Math.max(PAUSE_FIRST_MS, line.pauseMs * 2))
      line.pauseUntilMs = clock.monotonicMs() + line.pauseMs
    }
  }

  /** Answers whether there may be more. */
  async #shipBatch(station: string): Promise<boolean> {
    const { store, calls } = this.#parts
    const { rows, collections, isMore } = await this.#nextBatch(station)
    if (rows.length === 0) return false
    const body = encodeBatch(rows, collections)
    const answer = await calls.post(station, '/federation/batch', body)
    faultPoint('federation:batch-sent')
    if (rows.some(({ kind }) => kind === 'journal')) faultPoint('federation:journal-shipped')
    if (rows.some(({ kind }) => kind === 'over')) faultPoint('federation:handover-shipped')
    const { seq, hot } = answerText.parse(JSON.parse(answer.toString()))
    await store.call('acknowledge', { station, seq })
    if (hot.length > 0) await store.call('noteHot', { hot })
    this.counts.batches++
    this.counts.rows += rows.length
    this.counts.bytes += body.length
    this.#peer(station).sent += rows.reduce(
      (sum, { kind, entries }) => sum + (kind === 'urls' ? entries : 0),
      0,
    )
    // A receiver that takes nothing of it would be asked for ever.
    return isMore && seq >= rows.at(-1)!.seq
  }

  /** The next rows, no more of them than make one batch with the descriptions of their collections. */
  async #nextBatch(
    station: string,
  ): Promise<NextBatch & { collections: readonly CollectionPayload[] }> {
    const { store } = this.#parts
    const next = await store.call('nextBatch', { station, bytesMax: BATCH_BYTES_MAX })
    const described = await store.call('describeCollections', {
      identities: identitiesOf(next.rows),
    })
    const rows = rowsOfBatch(next.rows, described)
    const spokenOf = new Set(identitiesOf(rows))
    const collections = described.filter(({ identity }) => spokenOf.has(identity))
    return { rows, collections, isMore: next.isMore || rows.length < next.rows.length }
  }

  // ── receiving ───────────────────────────────────────────────────────────────────────────

  /** When this resolves, what the batch says is on disk, synced. */
  async receive(from: string, body: Buffer): Promise<Buffer> {
    const { store, clock, ring, changed } = this.#parts
    const batch = await readBatch(body)
    const answer = await store.call('receiveBatch', {
      from,
      ...batch,
      refusals: await this.#refusalsIn(batch),
      limits: this.#parts.foreignLimits(),
      now: clock.now(),
    })
    faultPoint('federation:batch-applied')
    this.counts.received += batch.rows.length
    this.#peer(from).received += batch.rows.reduce(
      (sum, row) => sum + (row.kind === 'urls' ? row.payload.urls.length : 0),
      0,
    )
    for (const id of answer.changed) changed?.(id)
    ring()
    const hot = this.#hot.note(answer.known)
    return Buffer.from(JSON.stringify({ seq: answer.seq, hot }))
  }

  /**
   * What others found is judged by our own guard and our own abuse rules; closed hosts are known to the store.
   * Addresses made to be slow cost milliseconds each: others have their turn in between.
   */
  async #refusalsIn({ rows }: Batch): Promise<Record<string, string>> {
    const { clock, guard } = this.#parts
    const refusals: Record<string, string> = {}
    let restedMs = clock.monotonicMs()
    for (const row of rows) {
      const found =
        row.kind === 'urls' ? row.payload.urls : row.kind === 'handover' ? row.payload.found : []
      for (const [url] of found) {
        const refusal = findRefusal(url, 'received', { guard })
        if (refusal !== null) refusals[url] = refusal.code
        if (clock.monotonicMs() - restedMs < JUDGE_MS) continue
        await clock.sleep(0)
        restedMs = clock.monotonicMs()
      }
    }
    return refusals
  }

  /** URLs that went to each other station, and that came from it. */
  peers(): PeerExchange[] {
    return [...this.#peers.values()]
  }

  #peer(station: string): PeerExchange {
    const peer = this.#peers.get(station) ?? { station, sent: 0, received: 0 }
    this.#peers.set(station, peer)
    return peer
  }

  /** URLs that keep arriving, as `IDENTITY URL`, since this was last asked. */
  hotUrls(): string[] {
    return this.#hot.drain()
  }
}

function identitiesOf(rows: readonly ShippedRow[]): string[] {
  return [...new Set(rows.flatMap(({ identity }) => identity ?? []))]
}

/** Unpacked, of what is read in place: some milliseconds, whatever it is. */
const IN_PLACE_BYTES = 128 * 1024
/** The largest batch that was not made to be slow takes a second or two. */
const READ_MS = 10_000
/** The largest batch of nothing but brackets has more values than this holds, which ends the thread. */
const HEAP_MB = 512

/**
 * Reads batches of other stations. Sixteen megabytes of brackets, of names or of addresses made to be slow take seconds
 * to parse, and a main loop that is blocked for ten is replaced: what is not short is read in a thread with a deadline.
 */
export class BatchReader {
  readonly #thread: DeadlineWorker<Uint8Array, BatchAnswer>

  /** The thread starts with the first batch that is not short. */
  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#thread = new DeadlineWorker({
      file: new URL('./batch-thread.ts', import.meta.url),
      deadlineMs: READ_MS,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      clock,
    })
  }

  /** Fails with `BadUpload` when it is no batch, or none that can be read in time. */
  async read(body: Uint8Array): Promise<Batch> {
    if (isShort(body)) return decodeBatch(body)
    const { batch, problem } = await this.#call(body)
    if (batch === undefined) throw new BadUpload(problem ?? 'it is no batch')
    return batch
  }

  close(): Promise<void> {
    return this.#thread.close()
  }

  async #call(body: Uint8Array): Promise<BatchAnswer> {
    try {
      return await this.#thread.call(body)
    } catch (cause) {
      if (!(cause instanceof WorkerTooSlow || cause instanceof WorkerDied)) throw cause
      throw new BadUpload('reading it takes too much time or memory', { cause })
    }
  }
}

const reader = new BatchReader(systemClock)

const readBatch = (body: Uint8Array): Promise<Batch> => reader.read(body)

/** What is no frame at all is short as well: it is refused in place. */
function isShort(body: Uint8Array): boolean {
  try {
    zstdDecompressSync(body, { maxOutputLength: IN_PLACE_BYTES })
    return true
  } catch (error) {
    return !(error instanceof RangeError)
  }
}
