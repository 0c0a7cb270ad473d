/**
 * One list of all jobs, page by page. Each source is asked for a page of its own, by its index of time, and the newest
 * of all of them make the page: so a page costs the same however much lies behind it, and nothing is written twice.
 */
import { JOB_KINDS, type JobKind } from '@minga/protocol'
import type { OperationTable, Sql, Value } from '@minga/store'
import { parseSpec } from '@minga/frontier'
import { extractedCollections } from '../../lake/extract/extract-operations.ts'
import type { JobCursor, JobRow, JobsAsked } from './job-rows.ts'
import { JOB_SOURCES, type JobSource, type ToldRow } from './job-sources.ts'

/** The newest first; of one moment in the order of kinds, and within a kind as its source says. */
async function listJobs(sql: Sql, asked: JobsAsked): Promise<JobRow[]> {
  const found: JobRow[] = []
  for (const kind of JOB_KINDS) {
    const owner = asked.sees[kind]
    if (owner !== undefined) found.push(...(await jobsOf(sql, kind, { ...asked, owner })))
  }
  return found
    .toSorted((a, b) => b.at - a.at || rankOf(a.kind) - rankOf(b.kind))
    .slice(0, asked.limit)
}

interface AskedOf extends JobsAsked {
  owner: string | null
}

async function jobsOf(sql: Sql, kind: JobKind, asked: AskedOf): Promise<JobRow[]> {
  const source = JOB_SOURCES.find((one) => one.kind === kind)
  if (source !== undefined) return readSource(sql, source, asked)
  const { state, owner, after, limit } = asked
  const all = await FEW_JOBS[kind]!(sql)
  return all
    .filter((job) => state === undefined || job.state === state)
    .filter((job) => owner === null || job.owner === owner)
    .toSorted((a, b) => b.at - a.at || (a.id < b.id ? 1 : -1))
    .filter((job) => after === undefined || isBeyond(job, after))
    .slice(0, limit)
}

function isBeyond({ at, kind, id }: JobRow, after: JobCursor): boolean {
  if (at !== after.at) return at < after.at
  return rankOf(kind) - rankOf(after.kind) > 0 || (kind === after.kind && id < after.id)
}

const rankOf = (kind: JobKind): number => JOB_KINDS.indexOf(kind)

type Condition = readonly [text: string, ...params: Value[]]

async function readSource(sql: Sql, source: JobSource, asked: AskedOf): Promise<JobRow[]> {
  const { rows, groups } = conditionsFor(source, asked)
  const { columns, at, key, from, groupBy } = source
  const where = rows.map(([text]) => text).join(' AND ')
  const having = groups.map(([text]) => text).join(' AND ')
  const found = await sql.all<ToldRow>(
    `SELECT ${key} AS id, ${at} AS "at", ${source.state} AS state, ${columns.of} AS "of",
       ${columns.subject} AS subject, ${columns.about ?? 'NULL'} AS about,
       ${columns.startedAt ?? 'NULL'} AS "startedAt", ${columns.endedAt ?? 'NULL'} AS "endedAt",
       ${columns.attempts ?? 'NULL'} AS attempts, ${columns.done ?? 'NULL'} AS done,
       ${columns.total ?? 'NULL'} AS total, ${columns.owner ?? 'NULL'} AS owner,
       ${columns.error ?? 'NULL'} AS error, ${columns.more ?? 'NULL'} AS more
     FROM ${from} WHERE ${where}
     ${groupBy === undefined ? '' : `GROUP BY ${groupBy} HAVING ${having}`}
     ORDER BY ${at} DESC, ${key} DESC LIMIT ?`,
    [...paramsIn(rows), ...paramsIn(groups), asked.limit],
  )
  return found.map((row) => rowOf(source, row))
}

const paramsIn = (conditions: readonly Condition[]): Value[] =>
  conditions.flatMap(([, ...params]) => params)

/** What is said of whole groups stands apart where rows are grouped. */
function conditionsFor(
  source: JobSource,
  { state, owner, after }: AskedOf,
): { rows: Condition[]; groups: Condition[] } {
  const rows: Condition[] = [[source.where ?? '1 = 1']]
  const groups: Condition[] = [['1 = 1']]
  const ofGroups = source.groupBy === undefined ? rows : groups
  if (owner !== null) rows.push([`${source.columns.owner ?? 'NULL'} = ?`, owner])
  if (state !== undefined) ofGroups.push([`${source.state} = ?`, state])
  if (after !== undefined) {
    const rank = rankOf(source.kind) - rankOf(after.kind)
    rows.push([`${source.at} ${rank < 0 ? '<' : '<='} ?`, after.at])
    const key = source.isKeyNumber ? Number(after.id) : after.id
    if (rank === 0) ofGroups.push([`(${source.at} < ? OR ${source.key} < ?)`, after.at, key])
  }
  return { rows, groups }
}

function rowOf({ kind, tell }: JobSource, row: ToldRow): JobRow {
  const { more: _more, ...shared } = row
  const id = String(row.id)
  const subject = String(row.subject)
  return { ...shared, kind, id, of: String(row.of), subject, error: null, ...tell!(row) }
}

export const jobOperations = { listJobs } satisfies OperationTable

/** Jobs of which a station has a handful: they are read whole. */
const FEW_JOBS: Partial<Record<JobKind, (sql: Sql) => Promise<JobRow[]>>> = {
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
