/**
 * Clients' side of the coordinator: batches in, results out. A request is judged here (address
 * and guard), then lives in the frontier like any other URL, without a trace of whose it is.
 */
import { writableDate } from '@minga/archive'
import { createHash, randomBytes } from 'node:crypto'
import {
  type BatchStatus,
  type NewRequest,
  type QuotaLimits,
  type RequestResult,
  type FindBatchesArgs,
  type FindResultsArgs,
} from '@minga/frontier'
import { guardUrl } from '@minga/net'
import {
  PRIORITIES,
  type BatchMessage,
  type BatchView,
  type ResultLine,
  type SortedPage,
} from '@minga/protocol'
import { createSubmissionCheck } from './abuse/submission-check.ts'
import { admit } from '../station/admission.ts'
import { BadWebhook } from '../station/errors.ts'
import { addHostOwners } from '../federation/host-owner.ts'
import { StationFilter } from '../station/filters/station-filter.ts'
import type { SettingValues } from '../station/settings/registry.ts'
import { toSortedPage } from '../station/sorted-lists.ts'
import type { Viewer } from '../accounts/visibility/viewer.ts'
import { pricesOf } from './paid-requests.ts'
import { Pseudonyms } from './pseudonyms.ts'
import { webhookSecret } from './close-batches.ts'
import type { Station } from '../station/station.ts'

interface BatchPage {
  before: number
  from?: number | undefined
  state?: BatchView['state'] | undefined
  limit: number
}

const NEWEST_FIRST = { order: 'createdAt', isDescending: true } as const
/** Other users cannot guess 80 bits. */
const ID_BYTES = 10
const newId = (): string => randomBytes(ID_BYTES).toString('hex')

/** The operator pays itself: its balance shows the value of its own requests. */
const OPERATOR = 'operator'
/** Requests per transaction: others wait about 50 ms for each. */
const CHUNK = 2_000
/** A submission that stopped in the middle may be taken up again this long. */
const ABANDONED_MS = 600_000
const SECOND_MS = 1_000
/** How long judging addresses may keep everyone else waiting. */
const JUDGE_MS = 20

export class Requests {
  readonly #station: Station
  readonly #pseudonyms: Pseudonyms
  readonly #filter: StationFilter

  constructor(station: Station) {
    this.#station = station
    this.#pseudonyms = new Pseudonyms(station.secret)
    this.#filter = new StationFilter(station.settings)
  }

  /** Takes a batch in; when this resolves all of it is durable. */
  async submit(client: string, message: BatchMessage, viewer: Viewer | null): Promise<BatchView> {
    const { store, clock, guard, work } = this.#station
    const settings = this.#station.settings.current()
    const isOperator = client === OPERATOR
    const forbidden = message.webhook === null ? null : guardUrl(message.webhook, guard)
    if (forbidden !== null) throw new BadWebhook(message.webhook!, forbidden.reason)
    const opened = await store.call('openPaidBatch', {
      id: `bat_${newId()}`,
      client,
      idempotencyKey: message.idempotencyKey,
      fingerprint: fingerprintOf(message),
      total: message.urls.length,
      priority: PRIORITIES.indexOf(message.priority) + 1,
      maxAgeMs: maxAgeMs(message, settings),
      webhook: message.webhook,
      prices: pricesOf(settings),
      batchMax: settings.batchMax,
      ...(isOperator ? {} : { quota: quotaOf(settings) }),
      creditLimitMicros: isOperator ? null : 0,
      now: clock.now(),
    })
    for (let at = opened.received; at < message.urls.length; at += CHUNK) {
      const requests = await this.#judgeAll(message.urls.slice(at, at + CHUNK), at)
      await store.call('addPaidRequests', {
        batchId: opened.id,
        requests,
        viewer,
        check: createSubmissionCheck({ client, requests, newId: newId(), settings }),
        // A submission may take long: a change in the middle of it must not be undone by it.
        delayMs: this.#station.settings.current().delayMs,
        now: clock.now(),
      })
      work.notifyAll()
    }
    await store.call('sealBatch', { id: opened.id, now: clock.now() })
    const view = await this.status(client, opened.id)
    if (message.webhook === null) return view
    return { ...view, webhookSecret: webhookSecret(this.#station.secret, opened.id) }
  }

  /** Addresses made to be slow cost milliseconds each: others have their turn in between. */
  async #judgeAll(urls: readonly string[], first: number): Promise<NewRequest[]> {
    const { clock } = this.#station
    const judged: NewRequest[] = []
    let restedMs = clock.monotonicMs()
    for (const [i, url] of urls.entries()) {
      judged.push(this.#judge(url, first + i))
      if (clock.monotonicMs() - restedMs < JUDGE_MS) continue
      await clock.sleep(0)
      restedMs = clock.monotonicMs()
    }
    return judged
  }

  #judge(asked: string, seq: number): NewRequest {
    const { filter } = this.#filter.current()
    const policy = { guard: this.#station.guard, filters: filter === null ? [] : [filter] }
    const { url, refusal } = admit(asked, 'request', policy)
    const code = url === null ? 'MINGA_BAD_URL' : refusal?.code
    return { seq, asked: storable(asked), url, refusal: code === undefined ? null : { code } }
  }

  /** `isOwn`: not one that another has shared with them. */
  async status(client: string | null, id: string, isOwn = false): Promise<BatchView> {
    const asked = { id, client, isOwn }
    return viewOf(await this.#station.store.call('batchStatus', asked))
  }

  async list(client: string | null, { before, ...page }: BatchPage): Promise<BatchView[]> {
    const asked = { ...page, client, to: before, ...NEWEST_FIRST, after: null }
    const { rows } = await this.#station.store.call('findBatches', asked)
    return rows.map(viewOf)
  }

  async find(
    client: string | null,
    asked: Omit<FindBatchesArgs, 'client'>,
  ): Promise<SortedPage<BatchView>> {
    const { store } = this.#station
    const page = await store.call('findBatches', { ...asked, client })
    return toSortedPage({ ...page, rows: page.rows.map(viewOf) })
  }

  async results(
    client: string | null,
    id: string,
    page: { after: number; limit: number },
  ): Promise<ResultLine[]> {
    await this.status(client, id)
    const rows = await this.#station.store.call('listResults', { batchId: id, ...page })
    const lines = rows.map((row) => this.#line(id, row))
    return addHostOwners(this.#station.store, lines)
  }

  async findResults(
    client: string | null,
    id: string,
    asked: Omit<FindResultsArgs, 'batchId'>,
  ): Promise<SortedPage<ResultLine>> {
    await this.status(client, id)
    const { store } = this.#station
    const found = { ...asked, batchId: id }
    const page = await store.call('findResults', found)
    const lines = page.rows.map((row) => this.#line(id, row))
    return toSortedPage({ ...page, rows: await addHostOwners(store, lines) })
  }

  #line(batchId: string, row: RequestResult): ResultLine {
    const { url, outcome, status, bytes, digest, code, finalUrl, chain, seq, no } = row
    const { device, isVerified, capturedAt, fromCache } = row
    return {
      url,
      outcome,
      status,
      bytes,
      digest,
      device: device === null ? null : this.#pseudonyms.of(batchId, device),
      verified: isVerified,
      code,
      finalUrl,
      chain,
      capturedAt: capturedAt === null ? null : writableDate(capturedAt).toISOString(),
      fromCache,
      seq,
      no,
    }
  }

  async cancel(client: string | null, id: string): Promise<BatchView> {
    await this.status(client, id, true)
    await this.#cancelAll(id)
    return this.status(client, id)
  }

  async #cancelAll(id: string): Promise<void> {
    const { store, clock } = this.#station
    for (let left = 1; left > 0;) {
      const answer = await store.call('cancelBatch', { id, now: clock.now() })
      left = answer.left
    }
  }

  /**
   * Ends submissions that were abandoned and requests that waited too long, at every tick of the
   * station.
   */
  async tick(): Promise<void> {
    const { store, clock, settings } = this.#station
    const before = clock.now() - ABANDONED_MS
    for (const id of await store.call('abandonedBatches', { before })) {
      await this.#cancelAll(id)
    }
    for (let ended = 1; ended > 0;) {
      const now = clock.now()
      const overdue = { before: now - settings.current().requestTimeoutMs, now }
      ended = await store.call('endOverdue', overdue)
    }
  }
}

/** For clients without a quota of their own. */
export function quotaOf(settings: SettingValues): QuotaLimits {
  return { openMax: settings.openRequestsMax, dayMax: settings.dayRequestsMax }
}

/** PostgreSQL keeps no NUL in text; an address with one is no address anyway. */
function storable(asked: string): string {
  return asked.replaceAll('\0', '\uFFFD')
}

function maxAgeMs({ maxAgeS }: BatchMessage, { cacheMs }: SettingValues): number {
  return maxAgeS === undefined ? cacheMs : Math.round(maxAgeS * SECOND_MS)
}

function fingerprintOf({ urls, priority, maxAgeS, webhook }: BatchMessage): string {
  const text = JSON.stringify([urls, priority, maxAgeS ?? null, webhook])
  return createHash('sha256').update(text).digest('hex')
}

function viewOf(status: BatchStatus): BatchView {
  const { id, state, total, open, captured, failed, denied, cancelled } = status
  const { fromCache, bytes, createdAt, endedAt } = status
  const priority = PRIORITIES[status.priority - 1] ?? 'normal'
  return {
    id,
    state,
    priority,
    total,
    open,
    captured,
    failed,
    denied,
    cancelled,
    fromCache,
    bytes,
    createdAt,
    endedAt,
  }
}
