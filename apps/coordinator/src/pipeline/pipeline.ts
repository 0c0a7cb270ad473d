/**
 * The life of a capture on the coordinator's side, top to bottom. The store's operations hold the
 * transactions; this file shows their order.
 *
 *   1 frontier   seeds: canonical, guarded, queued (CollectionService)
 *   2 placement  ask()       whose turn a due host is, by the station's strategy
 *   3 lease      ask()       resolve names, then take clocks and a block in one transaction
 *     ── the agent fetches and records (apps/agent/src/pipeline.ts) ──
 *   6 ingest     take()      check, append, index, settle: one transaction, then acknowledge
 *   7 extract    take()      links, redirects, sitemaps, a wiki's next steps → 1, in that same
 *                            transaction; its revisions → histories (wiki/)
 *   8 change     take()      watched pages: read before it, compared with what counted in it
 *   9 forecast   take()      what the visit teaches and when to come back, in it, too;
 *                            visits/visit-scheduler.ts queues what is due → 1
 *     tick()                 silent agents lose their leases, finished collections end
 */
import { randomUUID } from 'node:crypto'
import { BadSignature } from '@minga/fleet'
import {
  SILENCE_MS,
  faultPoint,
  isProof,
  systemClock,
  uploadProof,
  type Block,
  type CapturedResult,
  type Heartbeat,
  type HeartbeatResponse,
  type LeaseRequest,
  type LeaseResponse,
  type LoadPart,
  type Result,
  type UploadAnswer,
} from '@minga/protocol'
import type { Filter } from '@minga/partition'
import type { AgentSession } from '../agents/agent-sessions.ts'
import type { CollectionViews } from '../collect/collection-views.ts'
import type { StationFilter } from '../station/filters/station-filter.ts'
import { notesOf, type NotedFeeds } from '../lake/feed/note-upload.ts'
import type { CommittedUpload } from '../placement/graph/crawl-graph-collector.ts'
import { nameOriginals } from '../archive/repair/repair.ts'
import { resolveHosts } from '../collect/resolve-hosts.ts'
import { pricesOf } from '../clients/paid-requests.ts'
import { REST_MS } from '../station/ticking.ts'
import { BlockMask } from '../agents/trust/block-mask.ts'
import { UploadChecks } from '../agents/trust/upload-checks.ts'
import { openLogIns } from '../wiki/wiki-tokens.ts'
import type { Station } from '../station/station.ts'
import type { CheckedResults } from '../agents/trust/check-results.ts'
import { unwantedPages } from '../collect/filters/unwanted-pages.ts'
import { findLinks, type CollectionView, type Found } from '../collect/found-links.ts'
import { readVisits } from '../watch/visits/read-visits.ts'
import { readWikiAnswers } from '../wiki/read/read-wiki-answers.ts'
import type { UploadItem } from './ingest-batch.ts'
import type { AskAnswer } from './lease-to-device.ts'

interface PipelineDeps {
  /** What uploads have to know of their collections. */
  views: CollectionViews
  filter: StationFilter
  right: DialRight
  /** Whether a device is called to a load test. */
  loadPartFor: (device: string) => LoadPart | null
  /** What uploads note for the lake's tables. */
  notedFeeds: (results: number) => NotedFeeds
  /** Notified of results that are on disk; it must not take long. */
  onCommitted: (upload: CommittedUpload) => void
  /** Notified of results that do not count; it must not take long. */
  onRefused: (refused: RefusedResults) => void
}

/** The run of a program that acts here, as its session says. */
interface OfBoot {
  boot: string
}

/** Whether agents may dial at all: a federation gives it for seconds. Without it whatever is out has to be ended. */
interface DialRight {
  mayDial(): boolean
  suspend(): Promise<void>
}

/** How many results of an upload do not count, and why. */
export interface RefusedResults {
  device: string
  /** They are of nothing that is leased to the device. */
  dropped: number
  /** Their records do not hold. */
  refused: number
}

interface SignedBy {
  session: AgentSession
  signature: string
}

/** Between two ticks. A machine that slept for longer did not work meanwhile. */
const AWAKE_MS = REST_MS + SILENCE_MS
/** An idle agent's request stays open this long before the agent is sent away. */
const LONG_POLL_MS = 5_000
/** An agent that is to come back later does so within this time, each at a moment of its own. */
const RETURN_MIN_MS = 5_000
const RETURN_MAX_MS = 30_000
/** Without the right to dial: about when it may be back. */
const LAPSED_MS = 2_000
/** Names resolved per ask: enough for a block, few enough to answer soon. */
const RESOLVE_ROUNDS_MAX = 4

export class Pipeline {
  readonly #station: Station
  readonly #deps: PipelineDeps
  readonly #mask: BlockMask
  readonly #checks: UploadChecks
  #lastTickMs: number
  #waiting = 0

  constructor(station: Station, deps: PipelineDeps) {
    this.#station = station
    this.#deps = deps
    this.#mask = new BlockMask(station.secret)
    this.#checks = new UploadChecks({ ...station, machineClock: systemClock })
    this.#lastTickMs = station.clock.monotonicMs()
  }

  // ── 3 lease ─────────────────────────────────────────────────────────────────────────────

  /** A block for an agent, now or as soon as a host's clock allows. */
  async ask(
    ask: LeaseRequest & OfBoot & { device: string },
    signal: AbortSignal,
  ): Promise<LeaseResponse> {
    const { store, clock, settings } = this.#station
    const { right, loadPartFor } = this.#deps
    const patience = clock.monotonicMs() + LONG_POLL_MS
    for (let [resolved, looks] = [0, 0]; ; looks++) {
      if (!right.mayDial()) return { block: null, waitMs: LAPSED_MS }
      const load = loadPartFor(ask.device)
      if (load !== null) return { block: null, waitMs: 0, load }
      const answer = await store.call('leaseToDevice', {
        ...ask,
        delayMs: settings.current().delayMs,
        draw: this.#station.random(),
        looks,
        ...settings.startedFilter,
        now: clock.now(),
      })
      faultPoint('lease:after-commit')
      // Looking at hosts ends what robots.txt forbids.
      this.#station.settled.notifyAll()
      if (answer.block && !right.mayDial()) {
        // This process may have stood still since: what was leased meanwhile must not go out.
        await right.suspend()
        return { block: null, waitMs: LAPSED_MS }
      }
      const notice = messageIn(answer, clock.now())
      if (answer.block) return { block: this.#toSend(answer.block), waitMs: 0, ...notice }
      if (answer.pause) return { ...this.#comeBack(), pause: answer.pause, ...notice }
      if (answer.unresolved.length > 0 && resolved < RESOLVE_ROUNDS_MAX) {
        await resolveHosts(this.#station, answer.unresolved)
        resolved++
        continue
      }
      const leftMs = patience - clock.monotonicMs()
      if (leftMs <= 0 || signal.aborted) return { block: null, waitMs: 0, ...notice }
      if (this.#waiting >= settings.current().waitingMax) return { ...this.#comeBack(), ...notice }
      const turnMs = answer.nextTurnAt === null ? leftMs : answer.nextTurnAt - clock.now()
      this.#waiting++
      await this.#station.work.waitFor(Math.max(1, Math.min(leftMs, turnMs)), clock, signal)
      this.#waiting--
      // Nobody's turn has come, and it asks again at once: a look at the store now and another then is one too many.
      const isOver = turnMs >= leftMs && clock.monotonicMs() >= patience
      if (isOver) return { block: null, waitMs: 0, ...notice }
      resolved = 0
    }
  }

  #toSend(block: Block): Block {
    return this.#mask.mask(openLogIns(block, this.#station.secrets))
  }

  /** Each at a moment of its own: those who were sent away together must not return together. */
  #comeBack(): LeaseResponse {
    const spreadMs = (RETURN_MAX_MS - RETURN_MIN_MS) * this.#station.random()
    return { block: null, waitMs: Math.round(RETURN_MIN_MS + spreadMs) }
  }

  // ── 6 ingest, 7 extract ─────────────────────────────────────────────────────────────────

  /** Takes in an agent's results. When this resolves they are on disk, synced. */
  async take(body: Buffer, { session, signature }: SignedBy): Promise<UploadAnswer> {
    const { store, clock, guard } = this.#station
    const { views: known } = this.#deps
    // As they hold now: what is chosen by them here is chosen so in the transaction too.
    const settings = this.#station.settings.current()
    const { auditFloor, recheckShare } = settings
    if (!isProof(session.key, uploadProof(body), signature)) throw new BadSignature('The upload')
    const { boot, device } = session
    const sent = await this.#checks.open(body, { boot, device, auditFloor, now: clock.now() })
    faultPoint('ingest:received')
    const { filter: station, text: filter } = this.#deps.filter.current()
    known.follow(filter)
    const views = await known.of(sent.results.map((result) => result.collectionId))
    const checked = await this.#checks.check(sent, { views, now: clock.now() })
    this.#deps.onRefused({ device, dropped: sent.dropped, refused: checked.refused })
    const read = await readUpload(this.#station, checked, { views, station })
    const { items, refusals, remember } = read
    const notes = notesOf(items, this.#deps.notedFeeds(items.length))
    await nameOriginals(this.#station, checked.results)
    const answer = await store.call('ingest', {
      id: `upload ${randomUUID()}`,
      boot,
      items: items.map(withoutLinks),
      refusals,
      guard,
      uploadBytes: body.length,
      secret: this.#station.secret,
      prices: pricesOf(settings),
      auditFloor,
      recheckShare,
      ...(filter === null ? {} : { filter }),
      notes,
      now: clock.now(),
    })
    faultPoint('ingest:after-commit')
    const resultsAt = (positions: readonly number[]): Result[] =>
      positions.map((position) => items[position]!.result)
    remember(resultsAt(answer.learnt))
    this.#deps.onCommitted({
      device,
      fetched: resultsAt(answer.fetched).filter(isCaptured),
      pages: resultsAt(answer.pages).filter(isCaptured),
      takesEmbeds: (id) => views.get(id)?.spec.embeds ?? false,
    })
    for (const id of answer.grown) known.forget(id)
    this.#station.work.notifyAll()
    this.#station.settled.notifyAll()
    return { accepted: answer.accepted, stale: answer.stale + sent.dropped }
  }

  // ── agents ──────────────────────────────────────────────────────────────────────────────

  /** The answer lets an agent dial on: without the right to, everything it holds is over by then. */
  async beat(beat: Heartbeat & OfBoot): Promise<HeartbeatResponse> {
    const { store, clock } = this.#station
    const { right } = this.#deps
    for (;;) {
      const mayDial = right.mayDial()
      if (!mayDial) await right.suspend()
      const answer = await store.call('beat', { ...beat, now: clock.now() })
      if (!mayDial || right.mayDial()) return answer
    }
  }

  /** Ends the threads that check uploads. */
  close(): Promise<void> {
    return this.#checks.close()
  }

  async goodbye(boot: string): Promise<void> {
    const { store, clock } = this.#station
    await store.call('goodbye', { boot, now: clock.now() })
    this.#station.work.notifyAll()
  }

  // ── upkeep ──────────────────────────────────────────────────────────────────────────────

  /** To be called when the station opens: agents could not be heard while it was away. */
  async start(): Promise<void> {
    const { store, clock } = this.#station
    faultPoint('coordinator:starting')
    await store.call('forgiveAbsence', { now: clock.now() })
    const { text: filter } = this.#deps.filter.current()
    if (filter !== null) await store.call('recallFiltered', { filter, now: clock.now() })
  }

  async tick(): Promise<void> {
    const { store, clock } = this.#station
    const nowMs = clock.monotonicMs()
    const elapsedMs = Math.round(Math.min(nowMs - this.#lastTickMs, AWAKE_MS))
    this.#lastTickMs = nowMs
    const now = clock.now()
    await store.call('sweep', { now, slowFactor: this.#station.settings.current().stragglerFactor })
    await store.call('sweepTrust', { now })
    this.#station.settled.notifyAll()
    await store.call('finishCollections', { now, elapsedMs })
    await store.call('writeFact', { name: 'latestSeen', value: String(now) })
  }
}

/** Links were read already; they need not cross into the store's thread. */
function withoutLinks(item: UploadItem): UploadItem {
  const { result } = item
  if (result.type !== 'captured') return item
  return { ...item, result: { ...result, links: [], embeds: [], sitemaps: [] } }
}

function isCaptured(result: Result): result is CapturedResult {
  return result.type === 'captured'
}

/** Machines need not agree on the time of day: agents get the age of the message. */
function messageIn({ message }: AskAnswer, now: number): Pick<LeaseResponse, 'message'> {
  if (message === null) return {}
  return { message: { text: message.text, ageMs: Math.max(0, now - message.at) } }
}

/** By which rules an upload is read: the scope and filters that hold now. */
interface ReadingRules {
  views: ReadonlyMap<number, CollectionView>
  /** What the station wants at all; null: everything. */
  station: Filter | null
}

interface ReadUpload extends Found {
  items: UploadItem[]
}

type Reader = (
  station: Station,
  upload: ReadingRules & { items: readonly UploadItem[] },
) => Promise<void>

/** Each fills in what is its own. */
const READERS: readonly Reader[] = [unwantedPages, readVisits, readWikiAnswers]

/**
 * The half of ingest before its transaction: what the results of an upload say. Reading a page costs milliseconds, and
 * the store has one thread.
 */
async function readUpload(
  station: Station,
  checked: Pick<CheckedResults, 'results' | 'members' | 'pages'>,
  rules: ReadingRules,
): Promise<ReadUpload> {
  const items = toItems(checked)
  const found = await findLinks(items, { ...station, ...rules })
  for (const read of READERS) await read(station, { items, ...rules })
  return { items, ...found }
}

/** Where the records of a result begin is known only from those before it: they are cut once, here. */
function toItems({
  results,
  members,
  pages,
}: Pick<CheckedResults, 'results' | 'members' | 'pages'>): UploadItem[] {
  let offset = 0
  return results.map((result, position) => {
    const lengths = result.type === 'captured' ? result.members : []
    const own = lengths.map((length) => {
      offset += length
      return members.subarray(offset - length, offset)
    })
    const page = pages.get(position)
    return { result, members: own, ...(page === undefined ? {} : { page }) }
  })
}
