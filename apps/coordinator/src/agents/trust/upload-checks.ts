/**
 * How much of an upload is believed, by the device that sent it. What strangers sent is unpacked
 * and read in worker threads with a deadline: an upload that is too much for them ends in recorded
 * failures, and the main loop stays responsive.
 */
import { isDrawn, isFailure, type TrustView } from '@minga/fleet'
import {
  BadUpload,
  DeadlineWorker,
  splitUpload,
  systemClock,
  WorkerTooSlow,
  type Clock,
  type Result,
} from '@minga/protocol'
import type { LeasedHost } from '@minga/frontier'
import type { CollectionView } from '../../collect/found-links.ts'
import type { CheckAnswer, CheckCall, CheckQuestion } from './check-calls.ts'
import { checkOneByOne, isOfThread } from './check-one-by-one.ts'
import { LINK_CHARS_MAX, UNPACKED_BYTES_MAX, type CheckedResults } from './check-results.ts'
import { openUpload, type OpenedUpload, type Opening } from './open-upload.ts'
import type { Station } from '../../station/station.ts'

/** The largest upload takes some five seconds of an idle core; longer is a site or a device gone astray. */
const CHECK_MS = 20_000
/** A page takes milliseconds. What hangs costs twice this, and too many of these cost their upload the rest. */
const RESULT_MS = 5_000
/**
 * Of an upload that is checked result by result; its device waits for the answer in the meantime.
 */
const ONE_BY_ONE_MS = 20_000
const HEAP_MB = 512
/** A second one so that a slow upload does not stop all others; it starts when it is needed. */
const THREADS = 2
/** Clocks of machines differ a little. */
const CLOCK_SLACK_MS = 60_000
/** Of a device of which nothing is known, nothing is believed. */
const UNKNOWN = { isTrusted: false, isProven: false, auditProbability: 1 }

type Believed = Pick<TrustView, 'isTrusted' | 'isProven' | 'auditProbability'>

/** What the store knows of a sender. */
export interface UploadFacts {
  trust: TrustView | null
  leased: LeasedHost[]
}

export interface Sent extends Omit<OpenedUpload, 'spans'> {
  members: Buffer
  device: string
  trust: Believed
}

interface CheckParts extends Pick<Station, 'store' | 'secret'> {
  /** The machine's own: threads hang in real time. */
  machineClock: Pick<Clock, 'sleep' | 'monotonicMs'>
  /** Tests have a thread of their own, and wait for less. */
  thread?: URL
  deadlines?: { checkMs: number; resultMs: number; oneByOneMs: number }
}

const DEADLINES = { checkMs: CHECK_MS, resultMs: RESULT_MS, oneByOneMs: ONE_BY_ONE_MS }
const THREAD = new URL('./check-thread.ts', import.meta.url)

export class UploadChecks {
  readonly #parts: CheckParts
  readonly #threads: readonly CheckThread[]
  #isClosed = false

  constructor(parts: CheckParts) {
    this.#parts = parts
    const isUsual = parts.thread === undefined && parts.deadlines === undefined
    this.#threads = isUsual ? usualThreads : newThreads(parts)
    users.set(this.#threads, (users.get(this.#threads) ?? 0) + 1)
  }

  /** Ends its threads, unless another station of this process uses them. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    const left = users.get(this.#threads)! - 1
    users.set(this.#threads, left)
    if (left === 0) await Promise.all(this.#threads.map(({ worker }) => worker.close()))
  }

  /** Unpacks the manifest, and drops what is not leased to its sender. */
  async open(
    body: Buffer,
    sender: { boot: string; device: string; auditFloor: number; now: number },
  ): Promise<Sent> {
    const { boot, device, auditFloor, now } = sender
    const { head, members } = splitUpload(body)
    const facts = await this.#parts.store.call('uploadFacts', { boot, device, auditFloor })
    const { leased } = facts
    const trust = facts.trust ?? UNKNOWN
    const { secret } = this.#parts
    const opening = { head, membersBytes: members.length, boot, secret, leased, now }
    const opened = trust.isTrusted ? openUpload(opening) : await this.#openInThread(opening)
    const { spans, ...sent } = opened
    const pieces = spans.map(([from, to]) => members.subarray(from, to))
    const left = sent.dropped === 0 ? members : Buffer.concat(pieces)
    return { ...sent, members: left, device, trust }
  }

  /** What a stranger says is read again from the bytes; our own devices are believed. */
  async check(
    sent: Sent,
    { views, now }: { views: ReadonlyMap<number, CollectionView>; now: number },
  ): Promise<CheckedResults> {
    const { results, members, trust, openedAt, unpackedBytes } = sent
    const { isTrusted: isOurs, isProven } = trust
    const isAudit = ({ collectionId }: Result): boolean =>
      views.get(collectionId)?.spec.kind === 'audits'
    const budget = { bytes: UNPACKED_BYTES_MAX - unpackedBytes, linkChars: LINK_CHARS_MAX }
    if (isOurs && !results.some(isAudit)) {
      return { results, members, refused: 0, pages: new Map(), left: budget }
    }
    const wanted = results.flatMap((result, position) =>
      isAudit(result) || this.#isDrawn(result, trust) ? [position] : [],
    )
    const question: CheckQuestion = {
      results,
      members,
      isProven: isOurs || isProven,
      pages: wanted,
      windows: openedAt.map((at) => (isOurs ? null : [at - CLOCK_SLACK_MS, now + CLOCK_SLACK_MS])),
      budget,
    }
    try {
      return (await this.#call({ check: question })).checked!
    } catch (error) {
      if (!isOfThread(error)) throw error
      return this.#checkOneByOne(question)
    }
  }

  /** One page that is too much for its reader must not cost the upload all others. */
  #checkOneByOne(question: CheckQuestion): Promise<CheckedResults> {
    const { machineClock, deadlines = DEADLINES } = this.#parts
    const { resultMs, oneByOneMs } = deadlines
    const endsAt = machineClock.monotonicMs() + oneByOneMs
    return checkOneByOne(question, async (one) => {
      const leftMs = endsAt - machineClock.monotonicMs()
      if (leftMs <= 0) throw new WorkerTooSlow(oneByOneMs)
      const deadlineMs = Math.min(resultMs, leftMs)
      return (await this.#call({ check: one }, deadlineMs)).checked!
    })
  }

  #isDrawn(result: Result, { isTrusted, isProven, auditProbability }: Believed): boolean {
    if (isTrusted || result.type !== 'captured') return false
    // Whether a failure ends its request is known when it is accepted.
    const isAlways = isFailure(result.status) || (result.kind === 'robots' && !isProven)
    return isAlways || isDrawn(this.#parts.secret, result, auditProbability)
  }

  async #openInThread(opening: Opening): Promise<OpenedUpload> {
    const { opened, problem } = await this.#call({ open: opening }).catch((error: unknown) => {
      if (!isOfThread(error)) throw error
      throw new BadUpload('reading its manifest takes too long or too much memory', {
        cause: error,
      })
    })
    if (opened === undefined) throw new BadUpload(problem ?? 'its manifest cannot be read')
    return opened
  }

  async #call(call: CheckCall, deadlineMs?: number): Promise<CheckAnswer> {
    const thread = this.#threads.reduce((a, b) => (b.calls < a.calls ? b : a))
    thread.calls += 1
    try {
      return await thread.worker.call(call, deadlineMs === undefined ? {} : { deadlineMs })
    } finally {
      thread.calls -= 1
    }
  }
}

interface CheckThread {
  /** How many wait for it or are in it. */
  calls: number
  worker: DeadlineWorker<CheckCall, CheckAnswer>
}

/** Each starts with its first call. */
function newThreads({
  machineClock,
  thread = THREAD,
  deadlines = DEADLINES,
}: Omit<CheckParts, 'store' | 'secret'>): CheckThread[] {
  const options = {
    file: thread,
    deadlineMs: deadlines.checkMs,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    clock: machineClock,
  }
  return Array.from({ length: THREADS }, () => ({ calls: 0, worker: new DeadlineWorker(options) }))
}

/**
 * Of all stations of this process: a thread keeps nothing between two calls, and starting it takes longer than most
 * uploads.
 */
const usualThreads = newThreads({ machineClock: systemClock })
/** How many stations have not closed them. */
const users = new WeakMap<readonly CheckThread[], number>()
