/**
 * How the archive and its collections grow. The size of captures is summed once and remembered;
 * after that only new ones are read, in small batches, so that no other caller waits for the store.
 */
import { DAY_MS, projectGrowth } from '@minga/forecast'
import type { ArchiveGrowthView, CollectionGrowth, GrowthPart, GrowthSample } from '@minga/protocol'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { CollectionLimit, GrowthTally } from './growth-rows.ts'
import type { Station } from '../../station/station.ts'

export interface ArchiveGrowthParts extends Pick<Station, 'store' | 'clock'> {
  /** What still fits on the disk of the archive; null when the system does not say. */
  freeBytes: () => Promise<number | null>
}

/** Captures read in one go: some tens of milliseconds of the store. */
const ROWS = 20_000
const COLLECTIONS_MOST = 100

type Days = Map<number, number>

export class ArchiveGrowth {
  readonly #parts: ArchiveGrowthParts
  /** Bytes by day: of the archive, and of each collection. */
  readonly #archive: Days = new Map()
  readonly #collections = new Map<number, Days>()
  #afterId = 0
  #latestAt = 0

  constructor(parts: ArchiveGrowthParts) {
    this.#parts = parts
  }

  async view(): Promise<ArchiveGrowthView> {
    await runExclusive(this, () => this.#catchUp())
    const now = this.#parts.clock.now()
    const samples = samplesOf(this.#archive, now)
    const stored = samples.at(-1)?.bytes ?? 0
    const free = await this.#parts.freeBytes()
    const archive = partOf(samples, { now, capacityBytes: free === null ? null : stored + free })
    return {
      at: now,
      archive: { ...archive, samples },
      collections: await this.#largest(now),
      collectionsLeftOut: Math.max(0, this.#collections.size - COLLECTIONS_MOST),
    }
  }

  async #catchUp(): Promise<void> {
    const { store, clock } = this.#parts
    for (;;) {
      const { tallies, ...upTo } = await store.call('growthTallies', {
        afterId: this.#afterId,
        latestAt: this.#latestAt,
        limit: ROWS,
        now: clock.now(),
      })
      if (upTo.afterId === this.#afterId) return
      this.#afterId = upTo.afterId
      this.#latestAt = upTo.latestAt
      for (const tally of tallies) this.#add(tally)
    }
  }

  #add({ id, day, bytes }: GrowthTally): void {
    const own = this.#collections.get(id) ?? new Map<number, number>()
    this.#collections.set(id, own)
    for (const days of [own, this.#archive]) days.set(day, (days.get(day) ?? 0) + bytes)
  }

  async #largest(now: number): Promise<CollectionGrowth[]> {
    const grown = [...this.#collections].map(([id, days]) => ({
      id,
      samples: samplesOf(days, now),
    }))
    const bytesOf = ({ samples }: { samples: GrowthSample[] }): number => samples.at(-1)?.bytes ?? 0
    const largest = grown.toSorted((a, b) => bytesOf(b) - bytesOf(a)).slice(0, COLLECTIONS_MOST)
    const ids = largest.map(({ id }) => id)
    const limits = await this.#parts.store.call('collectionLimits', { ids })
    const limitOf = new Map(limits.map((limit) => [limit.id, limit]))
    return largest.flatMap(({ id, samples }) => {
      const limit = limitOf.get(id)
      if (limit === undefined) return []
      const capacityBytes = capacityOf(limit, samples.at(-1)?.bytes ?? 0)
      return [{ id, name: limit.name, ...partOf(samples, { now, capacityBytes }) }]
    })
  }
}

/** A limit counts what was received; what is stored of it is packed. */
function capacityOf({ maxBytes, receivedBytes }: CollectionLimit, stored: number): number | null {
  if (maxBytes === null) return null
  return receivedBytes === 0 ? maxBytes : Math.round((maxBytes * stored) / receivedBytes)
}

function partOf(
  samples: readonly GrowthSample[],
  room: { now: number; capacityBytes: number | null },
): GrowthPart {
  return { ...projectGrowth(samples, room), capacityBytes: room.capacityBytes }
}

/** Totals at the end of each day, the last one as of now. */
function samplesOf(days: Days, now: number): GrowthSample[] {
  const inOrder = [...days].toSorted(([a], [b]) => a - b)
  const [first] = inOrder
  if (first === undefined) return []
  let bytes = 0
  const ends = inOrder.map(([day, grown]) => {
    bytes += grown
    return { at: Math.min(now, (day + 1) * DAY_MS), bytes }
  })
  return [{ at: first[0] * DAY_MS, bytes: 0 }, ...ends]
}
