/**
 * A new keeper receives everything that the former one had: what waits in the outbox for others,
 * what is queued here and what is done. A page at a time; what happens in the meantime goes to it
 * as usual.
 */
import type { Sql } from '@minga/store'
import { tupleOf, type UrlEntry, type UrlsPayload } from './entries.ts'
import { isDone } from './hand-over.ts'
import { writeJournal } from './send-urls.ts'

const KEEPER = 'federation.keeper'
const SNAPSHOT = 'federation.snapshot'
const ROWS_PER_STEP = 200
const URLS_PER_STEP = 2_000

interface Snapshot {
  keeper: string
  /** Rows of the outbox up to here are to be sent, from `seq` on. */
  lastSeq: number
  seq: number
  /** The last URL that was sent. */
  at: [collection: number, host: number, hash: number]
}

/** Records who keeps the journal; a new keeper receives all existing entries. */
export async function keepTo(sql: Sql, keeper: string | null): Promise<void> {
  if ((await readFact(sql, KEEPER)) === keeper) return
  // The journal of the former keeper is of no use: the snapshot has all of it.
  await sql.run(`DELETE FROM federation_outbox WHERE kind = 'journal'`)
  await writeFact(sql, KEEPER, keeper)
  const last = await sql.get<{ value: number }>(`SELECT value FROM sequences WHERE name = 'outbox'`)
  const snapshot = keeper && { keeper, lastSeq: last!.value, seq: 0, at: [0, 0, -1] }
  await writeFact(sql, SNAPSHOT, snapshot && JSON.stringify(snapshot))
}

async function readFact(sql: Sql, name: string): Promise<string | null> {
  const row = await sql.get<{ value: string }>('SELECT value FROM station_facts WHERE name = ?', [
    name,
  ])
  return row?.value ?? null
}

async function writeFact(sql: Sql, name: string, value: string | null): Promise<void> {
  if (value === null) {
    await sql.run('DELETE FROM station_facts WHERE name = ?', [name])
    return
  }
  await sql.insertMany({
    table: 'station_facts',
    columns: ['name', 'value'],
    rows: [[name, value]],
    onConflict: { keys: ['name'], update: ['value'] },
  })
}

/** One step; answers whether there may be more to do at once. */
export async function continueSnapshot(sql: Sql): Promise<{ isMore: boolean }> {
  const text = await readFact(sql, SNAPSHOT)
  if (text === null) return { isMore: false }
  const snapshot = JSON.parse(text) as Snapshot
  const next = (await tellOutbox(sql, snapshot)) ?? (await tellUrls(sql, snapshot))
  await writeFact(sql, SNAPSHOT, next && JSON.stringify(next))
  return { isMore: next !== null }
}

/** Null when there is nothing of the outbox left to tell. */
async function tellOutbox(sql: Sql, snapshot: Snapshot): Promise<Snapshot | null> {
  const { keeper, seq, lastSeq } = snapshot
  const rows = await sql.all<{ seq: number; collection_id: number; payload: string }>(
    `SELECT seq, collection_id, payload FROM federation_outbox
     WHERE kind = 'urls' AND station <> ? AND seq > ? AND seq <= ? ORDER BY seq LIMIT ?`,
    [keeper, seq, lastSeq, ROWS_PER_STEP],
  )
  const last = rows.at(-1)
  if (!last) return null
  for (const { collection_id: collectionId, payload } of rows) {
    const { urls } = JSON.parse(payload) as UrlsPayload
    await writeJournal(sql, { keeper, collectionId, found: urls, done: [] })
  }
  return { ...snapshot, seq: last.seq }
}

interface KnownUrl extends UrlEntry {
  collection_id: number
  host_id: number
  hash: number
  outcome: string | null
  code: string | null
}

/** Null when this was all. */
async function tellUrls(sql: Sql, snapshot: Snapshot): Promise<Snapshot | null> {
  const { keeper, at } = snapshot
  const rows = await sql.all<KnownUrl>(
    `SELECT u.collection_id, u.host_id, u.hash, u.url, u.kind, u.depth, u.hops, u.via, u.outcome, u.code
     FROM urls u JOIN collections c ON c.id = u.collection_id
     WHERE c.federated = 1 AND (u.collection_id, u.host_id, u.hash) > (?, ?, ?)
     ORDER BY u.collection_id, u.host_id, u.hash LIMIT ?`,
    [...at, URLS_PER_STEP],
  )
  const pages = rows.filter(({ kind }) => kind !== 'robots')
  for (const [collectionId, list] of Map.groupBy(pages, (row) => row.collection_id)) {
    const found = list.filter(({ outcome }) => outcome === null).map(tupleOf)
    const done = list.filter(isDone).map(({ url }) => url)
    if (found.length + done.length > 0) {
      await writeJournal(sql, { keeper, collectionId, found, done })
    }
  }
  const last = rows.at(-1)
  if (!last || rows.length < URLS_PER_STEP) return null
  return { ...snapshot, at: [last.collection_id, last.host_id, last.hash] }
}
