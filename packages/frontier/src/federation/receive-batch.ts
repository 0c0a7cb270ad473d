/**
 * A batch from another station takes effect in one transaction with the number of its last row: what
 * comes twice counts once. Rows that came before are passed over one by one, so a batch may
 * overlap with an earlier one.
 */
import type { Sql } from '@minga/store'
import type { Candidate } from '../queue/discover.ts'
import { forUpdate } from '../row-locks.ts'
import { arrive } from './arrive.ts'
import { endHandover } from './end-handover.ts'
import {
  entryOf,
  type CollectionPayload,
  type HandoverPayload,
  type JournalPayload,
  type OverPayload,
  type UrlsPayload,
  type UrlTuple,
} from './entries.ts'
import { keepBatch } from './kept-batches.ts'
import type { ForeignLimits } from './limit-foreign.ts'
import { noteDone } from './note-done.ts'
import { Owners } from './owners.ts'
import { hasTrapBudget, hearCollection } from './shared-collections.ts'

type OfCollection<K, P> = { seq: number; kind: K; identity: string; payload: P }

/** As it was sent, read and checked. */
export type ReceivedRow =
  | OfCollection<'urls', UrlsPayload>
  | OfCollection<'journal', JournalPayload>
  | OfCollection<'handover', HandoverPayload>
  | { seq: number; kind: 'over'; payload: OverPayload }
  | { seq: number; kind: 'collection'; payload: CollectionPayload }

export interface ReceiveArgs {
  from: string
  /** In order. */
  rows: readonly ReceivedRow[]
  /** Of which collections the rows speak. */
  collections: readonly CollectionPayload[]
  /** Found URLs that the address guard or the abuse rules refuse, with the code of the refusal. */
  refusals: Readonly<Record<string, string>>
  /** What this station allows others' collections. */
  limits: ForeignLimits
  now: number
}

export interface ReceiveAnswer {
  /** Up to here this station has the sender's rows. */
  seq: number
  /** URLs that came although they were known, as `IDENTITY URL`. */
  known: string[]
  /** Collections of which something changed. */
  changed: number[]
}

export async function receiveBatch(sql: Sql, args: ReceiveArgs): Promise<ReceiveAnswer> {
  const owners = await Owners.read(sql)
  const before = await lockInbox(sql, args.from)
  const rows = args.rows.filter(({ seq }) => seq > before)
  const last = rows.at(-1)
  if (owners === null || !last) return { seq: before, known: [], changed: [] }
  const receiving = new Receiving(sql, owners, args)
  await receiving.hearCollections(rows)
  await receiving.takeUrls(rows)
  await receiving.keepJournals(rows)
  for (const row of rows) {
    if (row.kind === 'handover') await receiving.takeHandover(row)
    else if (row.kind === 'over') await receiving.takeOver(row.payload)
  }
  await sql.run('UPDATE federation_inbox SET seq = ? WHERE station = ?', [last.seq, args.from])
  return { seq: last.seq, known: receiving.known, changed: [...receiving.changed] }
}

/** Two copies of a batch may come at once: one after the other. */
async function lockInbox(sql: Sql, station: string): Promise<number> {
  await sql.insertMany({
    table: 'federation_inbox',
    columns: ['station', 'seq'],
    rows: [[station, 0]],
    onConflict: 'ignore',
  })
  const row = await sql.get<{ seq: number }>(
    `SELECT seq FROM federation_inbox WHERE station = ?${forUpdate(sql)}`,
    [station],
  )
  return row!.seq
}

class Receiving {
  readonly #sql: Sql
  readonly #owners: Owners
  readonly #args: ReceiveArgs
  readonly #ids = new Map<string, number>()
  /** Collections of which nothing is queued here. */
  readonly #refused = new Map<string, string>()
  readonly known: string[] = []
  readonly changed = new Set<number>()

  constructor(sql: Sql, owners: Owners, args: ReceiveArgs) {
    this.#sql = sql
    this.#owners = owners
    this.#args = args
  }

  async hearCollections(rows: readonly ReceivedRow[]): Promise<void> {
    const told = rows.flatMap((row) => (row.kind === 'collection' ? [row.payload] : []))
    const { self } = this.#owners
    const { now, collections, limits } = this.#args
    for (const each of [...collections, ...told]) {
      const telling = { self, told: each, limits, now }
      const { id, isChanged, refusal } = await hearCollection(this.#sql, telling)
      this.#ids.set(each.identity, id)
      if (refusal !== null) this.#refused.set(each.identity, refusal)
      if (isChanged) this.changed.add(id)
    }
  }

  /** All of a collection together, so that what is in several rows is read once. */
  async takeUrls(rows: readonly ReceivedRow[]): Promise<void> {
    const byIdentity = new Map<string, UrlTuple[]>()
    for (const row of rows) {
      if (row.kind !== 'urls') continue
      const list = byIdentity.get(row.identity) ?? []
      byIdentity.set(row.identity, list)
      for (const tuple of row.payload.urls) list.push(tuple)
    }
    for (const [identity, tuples] of byIdentity) {
      const known = await this.#arrive(identity, tuples)
      for (const url of known) this.known.push(`${identity} ${url}`)
    }
  }

  async #arrive(identity: string, tuples: readonly UrlTuple[]): Promise<string[]> {
    const collectionId = this.#ids.get(identity)!
    const { refusals } = this.#args
    const refused = this.#refused.get(identity)
    const candidates = tuples.map((tuple): Candidate => {
      const entry = entryOf(tuple)
      return { ...entry, refusal: refused ?? refusals[entry.url] ?? null }
    })
    const trapBudget = await hasTrapBudget(this.#sql, collectionId)
    return arrive(this.#sql, { owners: this.#owners, collectionId, candidates, trapBudget })
  }

  async keepJournals(rows: readonly ReceivedRow[]): Promise<void> {
    const journals = rows.filter((row) => row.kind === 'journal')
    for (const [identity, list] of Map.groupBy(journals, (row) => row.identity)) {
      await keepBatch(this.#sql, {
        station: this.#args.from,
        seq: list[0]!.seq,
        collectionId: this.#ids.get(identity)!,
        journal: {
          found: list.flatMap(({ payload }) => payload.found),
          done: list.flatMap(({ payload }) => payload.done),
        },
      })
    }
  }

  async takeHandover(row: Extract<ReceivedRow, { kind: 'handover' }>): Promise<void> {
    const { identity, payload } = row
    await this.#arrive(identity, payload.found)
    const collectionId = this.#ids.get(identity)!
    await noteDone(this.#sql, { owners: this.#owners, collectionId, done: payload.done })
  }

  /** The former owner has sent everything. */
  async takeOver({ hosts }: OverPayload): Promise<void> {
    const { from, now } = this.#args
    for (const clock of hosts)
      await endHandover(this.#sql, { self: this.#owners.self, from, clock, now })
  }
}
