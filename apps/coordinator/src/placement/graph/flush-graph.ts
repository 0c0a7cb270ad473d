/**
 * Adds a batch to the tables of the graph, in one transaction and once: the batch's number moves with
 * its counts, so one that is sent again after a lost answer changes nothing.
 */
import {
  BadDistanceInput,
  BadTimes,
  TimeSketch,
  type GraphBatch,
  type PairBytes,
} from '@minga/partition'
import type { Sql } from '@minga/store'

/** What a coordinator, or another station, found out since its last batch. */
export interface PlaceBatch extends GraphBatch {
  /** How long devices waited for hosts; nothing else of a device is stored but its id. */
  times: PairBytes[]
}

interface Flush {
  batch: PlaceBatch
  now: number
}

const QUARTER_DAY_MS = 6 * 3_600_000

/** As times are kept in slices, so is their age: an index that seldom moves costs little. */
export const heardAt = (now: number): number => now - (now % QUARTER_DAY_MS)

/** False for a batch that was there already. */
export async function flushGraph(sql: Sql, { batch, now }: Flush): Promise<boolean> {
  requireCounts(batch)
  if (!(await isNext(sql, batch, now))) return false
  const hosts = await addPages(sql, batch)
  await addLinks(sql, batch, heardAt(now))
  const timeRows = await addTimes(sql, batch, heardAt(now))
  await sql.run(
    `UPDATE place_totals SET hosts = hosts + ?, pages = pages + ?, link_rows = link_rows + ?,
       links = links + ?, time_rows = time_rows + ? WHERE id = 1`,
    [hosts, sumOf(batch.pages), batch.links.length, sumOf(batch.links), timeRows],
  )
  return true
}

/** Batches of other stations come here, too: what counts nothing is refused before the first is added. */
function requireCounts({ sequence, pages, links }: GraphBatch): void {
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0
  const wrong = [[sequence], ...pages, ...links].find((entry) => !isCount(entry.at(-1)))
  if (wrong !== undefined) throw new BadDistanceInput(`${wrong.join(' ')} counts nothing`)
}

async function isNext(sql: Sql, { source, sequence }: GraphBatch, now: number): Promise<boolean> {
  // First of all, as a lock: two that add to the same rows in their own orders would wait for each other.
  await sql.run('UPDATE place_totals SET batches = batches + 1 WHERE id = 1')
  await sql.insertMany({
    table: 'graph_sources',
    columns: ['source', 'sequence', 'heard_at'],
    rows: [[source, 0, now]],
    onConflict: 'ignore',
  })
  const changed = await sql.run(
    'UPDATE graph_sources SET sequence = ?, heard_at = ? WHERE source = ? AND sequence < ?',
    [sequence, now, source, sequence],
  )
  return changed > 0
}

const sumOf = (counts: readonly (readonly [...string[], number])[]): number =>
  counts.reduce((sum, entry) => sum + (entry.at(-1) as number), 0)

/** Each answers how many rows are new. */
async function addPages(sql: Sql, { pages }: GraphBatch): Promise<number> {
  const known = await sql.selectMany<{ pages: number }>({
    table: 'place_pages',
    keys: ['host'],
    rows: pages.map(([host]) => [host]),
    columns: ['pages'],
  })
  await sql.insertMany({
    table: 'place_pages',
    columns: ['host', 'pages'],
    rows: pages.map(([host, count], i) => [host, count + (known[i]?.pages ?? 0)]),
    onConflict: { keys: ['host'], update: ['pages'] },
  })
  return missingIn(known)
}

const ON_KNOWN_LINK = `ON CONFLICT (from_host, to_host)
  DO UPDATE SET links = place_links.links + excluded.links, heard_at = excluded.heard_at`

/** Links are most of a batch. Each is one seek: to look which are new would be a second one. */
async function addLinks(sql: Sql, { links }: GraphBatch, at: number): Promise<void> {
  if (sql.dialect === 'postgres') return addLinksAtOnce(sql, links, at)
  for (const [from, to, count] of links) {
    await sql.run(
      `INSERT INTO place_links (from_host, to_host, links, heard_at) VALUES (?, ?, ?, ?)
       ${ON_KNOWN_LINK}`,
      [from, to, count, at],
    )
  }
}

/** A server is asked once, not once per link. */
async function addLinksAtOnce(sql: Sql, links: GraphBatch['links'], at: number): Promise<void> {
  await sql.run(
    `INSERT INTO place_links (from_host, to_host, links, heard_at)
     SELECT item.value ->> 0, item.value ->> 1, sum(CAST(item.value ->> 2 AS BIGINT)), CAST(? AS BIGINT)
     FROM json_array_elements(CAST(? AS json)) AS item(value) GROUP BY 1, 2
     ${ON_KNOWN_LINK}`,
    [at, JSON.stringify(links)],
  )
}

async function addTimes(sql: Sql, { times }: PlaceBatch, at: number): Promise<number> {
  const known = await sql.selectMany<{ connection: Uint8Array; first_byte: Uint8Array }>({
    table: 'place_times',
    keys: ['host', 'device'],
    rows: times.map(({ host, agent }) => [host, agent]),
    columns: ['connection', 'first_byte'],
  })
  await sql.insertMany({
    table: 'place_times',
    columns: ['host', 'device', 'connection', 'first_byte', 'heard_at'],
    rows: times.map(({ host, agent, connection, firstByte }, i) => {
      const before = known[i]
      return [
        host,
        agent,
        before === undefined ? connection : merged(before.connection, connection),
        before === undefined ? firstByte : merged(before.first_byte, firstByte),
        at,
      ]
    }),
    onConflict: { keys: ['host', 'device'], update: ['connection', 'first_byte', 'heard_at'] },
  })
  return missingIn(known)
}

const missingIn = (known: readonly unknown[]): number =>
  known.filter((row) => row === undefined).length

function merged(before: Uint8Array, news: Uint8Array): Uint8Array {
  const sketch = TimeSketch.fromBytes(news)
  try {
    sketch.merge(TimeSketch.fromBytes(before))
  } catch (error) {
    // Bytes that a disk spoilt: times are soon measured again, and must not hold up everything else.
    if (!(error instanceof BadTimes)) throw error
  }
  return sketch.toBytes()
}
