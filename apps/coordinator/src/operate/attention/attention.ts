/** What needs attention at this station, for each reader as far as they may see it. */
import { JOB_KINDS, type AttentionItem, type AttentionList, type Clock } from '@minga/protocol'
import type { Calls } from '@minga/store'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ArchiveGrowth } from '../../watch/metrics/archive-growth.ts'
import { diskRoomAt } from '../../station/disk-room.ts'
import type { JobRow, JobsAsked } from '../jobs/job-rows.ts'
import type { Operations } from '../../station/station-operations.ts'
import type { Access, RouteContext } from '../../accounts/access.ts'
import type { Repartitioner } from '../../placement/map/repartition.ts'
import type { WatchMetrics } from '../../watch/metrics/watch-metrics.ts'
import { jobsSeenBy } from '../jobs/job-routes.ts'
import type { AttentionRows } from './attention-rows.ts'
import {
  RECENT_MS,
  collectionItem,
  deviceItems,
  diskItem,
  inOrder,
  jobItem,
  placementItem,
  processItem,
  stationItems,
  watchItems,
  type StationFacts,
} from './attention-rules.ts'

export interface AttentionParts {
  store: Calls<Operations>
  clock: Clock
  data: string
  growth: Pick<ArchiveGrowth, 'view'>
  station: StationFacts
  /** By how much the fullest agent exceeds its share; null when it was not measured. */
  imbalance: () => number | null
}

/** What a reader may see. */
export interface Sight {
  collections: boolean
  watches: boolean
  /** Collections of which nothing is said. */
  hidden: ReadonlySet<number>
  /** Whose devices are included: null for everyone's, false for none. */
  devices: string | null | false
  station: boolean
  events: boolean
  jobs: JobsAsked['sees']
}

/** Many pages ask every half minute; the store is asked once in this time. */
const KEPT_MS = 10_000
/** To see how the archive grows takes longer, and it changes slowly. */
const GROWTH_KEPT_MS = 600_000
const JOBS_MOST = 20
const ITEMS_MOST = 100

export class Attention {
  readonly #parts: AttentionParts
  #rows: { read: Promise<AttentionRows>; untilMs: number } | null = null
  #growth: { fullAt: number | null; untilMs: number } = { fullAt: null, untilMs: 0 }

  constructor(parts: AttentionParts) {
    this.#parts = parts
  }

  /** Jobs are read from `store`, which shows what the reader may see. */
  async list(sight: Sight, store: Calls<Operations>): Promise<AttentionItem[]> {
    const rows = await this.#read()
    const now = this.#parts.clock.now()
    const { devices: owner, hidden } = sight
    const isSeen = ({ id }: { id: number }): boolean => !hidden.has(id)
    const devices = rows.devices.filter((device) => owner === null || device.owner === owner)
    const found = [
      ...(sight.collections ? rows.collections.filter(isSeen).map(collectionItem) : []),
      ...(sight.watches ? rows.watches.filter(isSeen).flatMap(watchItems) : []),
      ...deviceItems(devices, now),
      ...(sight.events ? rows.processes.map(processItem) : []),
      ...(sight.station ? await this.#ofStation(now) : []),
      ...(await this.#failedJobs(sight.jobs, now, store)).map(jobItem),
    ]
    return inOrder(found.filter((item) => item !== null)).slice(0, ITEMS_MOST)
  }

  #read(): Promise<AttentionRows> {
    const { store, clock } = this.#parts
    if (this.#rows !== null && clock.monotonicMs() < this.#rows.untilMs) return this.#rows.read
    const read = store.call('attentionRows', { now: clock.now() })
    const kept = { read, untilMs: clock.monotonicMs() + KEPT_MS }
    this.#rows = kept
    // A failure is not kept for the next reader.
    read.catch(() => {
      if (this.#rows === kept) this.#rows = null
    })
    return read
  }

  async #ofStation(now: number): Promise<(AttentionItem | null)[]> {
    const { data, station, imbalance } = this.#parts
    this.#followGrowth()
    const room = await diskRoomAt(data)
    return [
      diskItem({ room, fullAt: this.#growth.fullAt }, now),
      placementItem(imbalance()),
      ...stationItems(station),
    ]
  }

  /**
   * The first reading of a large archive takes long: no reader waits for it, the next one has it.
   */
  #followGrowth(): void {
    const { clock, growth } = this.#parts
    if (clock.monotonicMs() < this.#growth.untilMs) return
    this.#growth.untilMs = clock.monotonicMs() + GROWTH_KEPT_MS
    growth.view().then(
      ({ archive }) => {
        this.#growth.fullAt = archive.fullAt?.likely ?? null
      },
      // The station is closing, or the store is away: what was known stays.
      () => {},
    )
  }

  async #failedJobs(
    sees: JobsAsked['sees'],
    now: number,
    store: Calls<Operations>,
  ): Promise<JobRow[]> {
    const asked: JobsAsked = { sees, state: 'failed', limit: JOBS_MOST }
    const jobs = await store.call('listJobs', asked)
    return jobs.filter(({ at, endedAt }) => (endedAt ?? at) >= now - RECENT_MS)
  }
}

interface AttentionContext extends RouteContext {
  watchMetrics: WatchMetrics
  repartitioner: Repartitioner
  /** How to reach the operator; null when no contact is configured. */
  contact?: string | null
}

/** One list of what needs attention, for the page and the command line. */
export function attentionRoutes(app: FastifyInstance, context: AttentionContext): void {
  let attention: Attention | null = null
  app.get('/attention', async (request): Promise<AttentionList> => {
    attention ??= attentionOf(context)
    const store = context.access.storeFor(request)
    const hidden = new Set(await store.call('hiddenCollections', {}))
    return { items: await attention.list({ ...sightOf(context.access, request), hidden }, store) }
  })
}

function attentionOf(context: AttentionContext): Attention {
  const { store, clock, data, watchMetrics, repartitioner, publicUrl, contact = null } = context
  return new Attention({
    store,
    clock,
    data,
    growth: watchMetrics.growth,
    station: { contact, publicUrl, isOnNetwork: !context.readOpenly },
    imbalance: () => repartitioner.measured?.imbalance ?? null,
  })
}

/** By the same rights as everywhere; collections that fail are reported as collections. */
function sightOf(access: Access, request: FastifyRequest): Omit<Sight, 'hidden'> {
  const kinds = JOB_KINDS.filter((kind) => kind !== 'collection')
  return {
    collections: access.isAllowed(request, 'collections:read'),
    watches: access.isAllowed(request, 'watches:read'),
    devices: access.hasRight(request, 'devices:read')
      ? access.ownerFor(request, 'devices:read')
      : false,
    station: access.hasRight(request, 'settings:read'),
    events: access.hasRight(request, 'events:read'),
    jobs: jobsSeenBy(access, request, kinds),
  }
}
