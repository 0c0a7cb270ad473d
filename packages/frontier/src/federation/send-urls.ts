/**
 * URLs of others' hosts: into the seen-set as sent, and into the outbox, in one transaction. The seen-set
 * is the filter of what was sent already, and it is exact.
 */
import type { Sql } from '@minga/store'
import { tupleOf, type UrlEntry } from './entries.ts'
import { insertForeignUrls } from './insert-foreign-urls.ts'
import type { Owners } from './owners.ts'
import { writeOutbox } from './outbox.ts'

export interface LeavingUrl extends UrlEntry {
  hostId: number
  hash: number
  /** Whose host it is. */
  owner: string
}

interface Leaving {
  collectionId: number
  urls: readonly LeavingUrl[]
}

/** Notes new URLs in the seen-set as sent to their owners. */
export async function insertSent(sql: Sql, { collectionId, urls }: Leaving): Promise<void> {
  if (urls.length === 0) return
  const numbers = await numbersOf(sql, ownersIn(urls))
  const sent = urls.map((url) => ({ ...url, code: null, number: numbers.get(url.owner)! }))
  await insertForeignUrls(sql, { collectionId, urls: sent })
  await listSent(sql, { collectionId, urls }, numbers)
}

/** By the station, so that they are found should it be lost. */
async function listSent(
  sql: Sql,
  { collectionId, urls }: Leaving,
  numbers: ReadonlyMap<string, number>,
): Promise<void> {
  await sql.insertMany({
    table: 'sent_urls',
    columns: ['number', 'collection_id', 'host_id', 'hash'],
    rows: urls.map(({ hostId, hash, owner }) => [numbers.get(owner)!, collectionId, hostId, hash]),
    onConflict: 'ignore',
  })
}

/** Notes URLs that are in the seen-set as sent to their owners. */
export async function markSent(sql: Sql, { collectionId, urls }: Leaving): Promise<void> {
  if (urls.length === 0) return
  const numbers = await numbersOf(sql, ownersIn(urls))
  await sql.updateMany({
    table: 'urls',
    keys: ['collection_id', 'host_id', 'hash'],
    set: ['outcome', 'code', 'status'],
    rows: urls.map(({ hostId, hash, owner }) => [
      collectionId,
      hostId,
      hash,
      'elsewhere',
      null,
      numbers.get(owner)!,
    ]),
  })
  await listSent(sql, { collectionId, urls }, numbers)
}

const ownersIn = (urls: readonly LeavingUrl[]): string[] => [
  ...new Set(urls.map(({ owner }) => owner)),
]

/** One row for each owner. */
export async function sendUrls(sql: Sql, { collectionId, urls }: Leaving): Promise<void> {
  const byOwner = Map.groupBy(urls, ({ owner }) => owner)
  await writeOutbox(
    sql,
    [...byOwner].map(([station, list]) => ({
      station,
      kind: 'urls',
      collectionId,
      entries: list.length,
      payload: { urls: list.map(tupleOf) },
    })),
  )
}

/** For the keeper. It receives its own URLs already. */
export async function journalFound(
  sql: Sql,
  args: { owners: Owners; collectionId: number; found: readonly (UrlEntry & { owner?: string })[] },
): Promise<void> {
  const { keeper } = args.owners
  if (keeper === null) return
  const found = args.found.filter(({ owner }) => owner !== keeper)
  if (found.length === 0) return
  await writeJournal(sql, { ...args, keeper, found: found.map(tupleOf), done: [] })
}

export async function journalDone(
  sql: Sql,
  args: { owners: Owners; collectionId: number; done: readonly string[] },
): Promise<void> {
  const { keeper } = args.owners
  if (keeper === null || args.done.length === 0) return
  await writeJournal(sql, { ...args, keeper, found: [], done: [...args.done] })
}

interface JournalRow {
  keeper: string
  collectionId: number
  found: ReturnType<typeof tupleOf>[]
  done: string[]
}

export async function writeJournal(
  sql: Sql,
  { keeper, collectionId, found, done }: JournalRow,
): Promise<void> {
  await writeOutbox(sql, [
    {
      station: keeper,
      kind: 'journal',
      collectionId,
      entries: found.length + done.length,
      payload: { found, done },
    },
  ])
}

/** Those that have none yet get one, for ever. */
async function numbersOf(sql: Sql, stations: readonly string[]): Promise<Map<string, number>> {
  const numbers = await readNumbers(sql)
  for (const station of stations) {
    if (numbers.has(station)) continue
    // Another operation may take the number, or number the station, in this moment: then once more.
    await sql.run(
      `INSERT INTO station_numbers (station, number)
       SELECT ?, COALESCE(MAX(number), 0) + 1 FROM station_numbers WHERE true ON CONFLICT DO NOTHING`,
      [station],
    )
    return numbersOf(sql, stations)
  }
  return numbers
}

async function readNumbers(sql: Sql): Promise<Map<string, number>> {
  const rows = await sql.all<{ station: string; number: number }>(
    'SELECT station, number FROM station_numbers',
  )
  return new Map(rows.map(({ station, number }) => [station, number]))
}
