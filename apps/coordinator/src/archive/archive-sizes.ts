/**
 * Size of the archive and what deduplication saves, by collection. Captures do not change, so each
 * is counted once after a start and every call adds only new ones; captures that are taken down are
 * counted until the next start.
 */
import type { ArchiveSizes } from '@minga/protocol'
import type { Sql, Calls } from '@minga/store'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { Operations } from '../station/station-operations.ts'

/** Captures counted in one call: some hundredths of a second of the store's time. */
const STEP_ROWS = 50_000

interface Tally {
  collectionId: number
  kind: 'response' | 'revisit'
  captures: number
  storedBytes: number
  payloadBytes: number
}

export interface TallyStep {
  tallies: Tally[]
  lastId: number
  isOver: boolean
}

export async function tallyCaptures(sql: Sql, args: { afterId: number }): Promise<TallyStep> {
  const end = await sql.get<{ n: number; last: number | null }>(
    `SELECT COUNT(*) AS n, MAX(id) AS last FROM (
       SELECT id FROM captures WHERE id > ? ORDER BY id LIMIT ${STEP_ROWS}) AS step`,
    [args.afterId],
  )
  const lastId = end?.last ?? args.afterId
  const tallies = await sql.all<Tally>(
    `SELECT collection_id AS "collectionId", kind, COUNT(*) AS captures,
       CAST(SUM(length_bytes) AS BIGINT) AS "storedBytes",
       CAST(SUM(payload_bytes) AS BIGINT) AS "payloadBytes"
     FROM captures WHERE id > ? AND id <= ? GROUP BY collection_id, kind`,
    [args.afterId, lastId],
  )
  return { tallies, lastId, isOver: (end?.n ?? 0) < STEP_ROWS }
}

const NONE: ArchiveSizes = {
  captures: 0,
  responses: 0,
  revisits: 0,
  storedBytes: 0,
  payloadBytes: 0,
  savedBytes: 0,
}

const NOTHING: ReadonlySet<number> = new Set()

export class SizeTally {
  readonly #store: Calls<Operations>
  readonly #byCollection = new Map<number, ArchiveSizes>()
  #lastId = 0

  constructor(store: Calls<Operations>) {
    this.#store = store
  }

  /** Of one collection, or of all that are not hidden from the reader. */
  async sizes(
    collectionId: number | null,
    hidden: ReadonlySet<number> = NOTHING,
  ): Promise<ArchiveSizes> {
    await runExclusive(this, () => this.#catchUp())
    if (collectionId !== null) return this.#byCollection.get(collectionId) ?? NONE
    const seen = [...this.#byCollection].filter(([id]) => !hidden.has(id))
    return seen.map(([, sizes]) => sizes).reduce(added, NONE)
  }

  async #catchUp(): Promise<void> {
    for (;;) {
      const step = await this.#store.call('tallyCaptures', { afterId: this.#lastId })
      this.#lastId = step.lastId
      for (const tally of step.tallies) {
        const known = this.#byCollection.get(tally.collectionId) ?? NONE
        this.#byCollection.set(tally.collectionId, added(known, sizesOf(tally)))
      }
      if (step.isOver) return
    }
  }
}

/** A revisit would have been its payload once more. */
function sizesOf({ kind, captures, storedBytes, payloadBytes }: Tally): ArchiveSizes {
  const isRevisit = kind === 'revisit'
  return {
    captures,
    responses: isRevisit ? 0 : captures,
    revisits: isRevisit ? captures : 0,
    storedBytes,
    payloadBytes,
    savedBytes: isRevisit ? payloadBytes : 0,
  }
}

function added(one: ArchiveSizes, other: ArchiveSizes): ArchiveSizes {
  return {
    captures: one.captures + other.captures,
    responses: one.responses + other.responses,
    revisits: one.revisits + other.revisits,
    storedBytes: one.storedBytes + other.storedBytes,
    payloadBytes: one.payloadBytes + other.payloadBytes,
    savedBytes: one.savedBytes + other.savedBytes,
  }
}
