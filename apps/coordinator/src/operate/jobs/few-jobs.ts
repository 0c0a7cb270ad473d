/** Jobs of which a station has a handful: they are read whole. */
import { parseSpec } from '@minga/frontier'
import type { JobKind } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { extractedCollections } from '../../lake/extract/extract-operations.ts'
import type { JobRow } from './job-rows.ts'

export const FEW_JOBS: Partial<Record<JobKind, (sql: Sql) => Promise<JobRow[]>>> = {
  extract: extractions,
  sweep: sweeps,
  exchange: exchanges,
}

const BLANK = { about: null, startedAt: null, endedAt: null, attempts: null, error: null }

/** Rows drawn from captures by the rules of a collection: how far each has read what there is. */
async function extractions(sql: Sql): Promise<JobRow[]> {
  const newest = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM captures')
  const total = newest?.id ?? 0
  const jobs: JobRow[] = []
  for (const { id, owner, spec } of await extractedCollections(sql)) {
    const row = await sql.get<{ at: number }>(
      'SELECT created_at AS "at" FROM collections WHERE id = ?',
      [id],
    )
    const feed = await sql.get<{ cursor: string }>('SELECT cursor FROM lake_feeds WHERE feed = ?', [
      `extract:${id}`,
    ])
    const { last = 0 } = feed === undefined ? {} : (JSON.parse(feed.cursor) as { last?: number })
    jobs.push({
      ...BLANK,
      kind: 'extract',
      id: String(id),
      of: String(id),
      subject: spec.table,
      state: last >= total ? 'done' : 'running',
      at: row?.at ?? 0,
      startedAt: row?.at ?? null,
      done: last,
      total,
      owner,
    })
  }
  return jobs
}

/** Queues that are checked again because a user changed the rules of a collection. */
async function sweeps(sql: Sql): Promise<JobRow[]> {
  const rows = await sql.all<{ id: number; owner: string | null; spec: string; at: number }>(
    `SELECT c.id, c.owner, c.spec, COALESCE(
       (SELECT MAX(t.at) FROM collection_trail t WHERE t.collection_id = c.id), c.created_at) AS "at"
     FROM collection_sweeps s JOIN collections c ON c.id = s.collection_id`,
  )
  return rows.map(({ id, owner, spec, at }) => ({
    ...BLANK,
    kind: 'sweep',
    id: String(id),
    of: String(id),
    subject: parseSpec(spec).seeds[0] ?? String(id),
    state: 'running',
    at,
    startedAt: at,
    done: null,
    total: null,
    owner,
  }))
}

interface Pending {
  station: string
  name: string | null
  state: string | null
  at: number | null
  total: number
}

/** What waits to be sent to other stations: URLs and journals, and hosts that get a new owner. */
async function exchanges(sql: Sql): Promise<JobRow[]> {
  const outbox = await sql.all<Pending>(
    `SELECT o.station, MAX(s.name) AS name, MAX(s.state) AS state, MAX(s.joined_at) AS "at",
       CAST(SUM(o.entries) AS BIGINT) AS total
     FROM federation_outbox o LEFT JOIN federation_stations s ON s.id = o.station GROUP BY o.station`,
  )
  const handovers = await sql.all<Pending>(
    `SELECT h.to_station AS station, MAX(s.name) AS name, MAX(s.state) AS state,
       MAX(s.joined_at) AS "at", COUNT(*) AS total
     FROM federation_handovers h LEFT JOIN federation_stations s ON s.id = h.to_station
     GROUP BY h.to_station`,
  )
  return [
    ...outbox.map((pending) => exchangeOf(pending, 'urls')),
    ...handovers.map((pending) => exchangeOf(pending, 'hosts')),
  ]
}

function exchangeOf({ station, name, state, at, total }: Pending, about: string): JobRow {
  return {
    ...BLANK,
    kind: 'exchange',
    id: `${station}.${about}`,
    of: station,
    subject: name ?? station,
    about,
    state: state === 'active' ? 'running' : 'waiting',
    at: at ?? 0,
    done: null,
    total,
    owner: null,
  }
}
