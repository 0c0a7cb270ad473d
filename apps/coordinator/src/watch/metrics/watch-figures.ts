/** What the visits of watches come to, read in the store's own thread: one small answer per watch. */
import {
  DAY_MS,
  lostByDay,
  observationOf,
  sumDays,
  sumObservations,
  type DayTally,
  type SiteObservation,
} from '@minga/forecast'
import type { WatchDay } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { countIf, isWatched } from '../watch-rows.ts'
import { NoSuchWatch } from '../../station/errors.ts'

export interface WatchName {
  id: number
  name: string
  subject: string
  /** The first that is watched. */
  url: string
}

/** Half-open, whole days. */
export interface DaySpan {
  fromDay: number
  toDay: number
}

export interface WatchFigures extends WatchName {
  observation: SiteObservation
  /** The longest observation of one of its URLs. */
  spanDays: number
  days: WatchDay[]
  urls: number
  urlsLeftOut: number
}

/** Sitemaps and feeds report changes; they are not what is watched. */
const WATCHED = isWatched('f')

export async function watchName(sql: Sql, { id }: { id: number }): Promise<WatchName> {
  const [watch] = await namesAfter(sql, { after: id - 1, limit: 1 })
  if (watch?.id !== id) throw new NoSuchWatch(id)
  return watch
}

function namesAfter(sql: Sql, args: { after: number; limit: number }): Promise<WatchName[]> {
  return sql.all<WatchName>(
    `SELECT w.collection_id AS id, w.name, w.subject, COALESCE((SELECT MIN(f.url) FROM forecasts f
       WHERE f.collection_id = w.collection_id AND ${WATCHED}), '') AS url
     FROM watches w WHERE w.collection_id > ? ORDER BY w.collection_id LIMIT ?`,
    [args.after, args.limit],
  )
}

export async function watchFigures(
  sql: Sql,
  args: DaySpan & { id: number; urlsMost: number },
): Promise<WatchFigures> {
  return figuresOf(sql, await watchName(sql, args), args)
}

/** The watches after one, in order of their numbers; days are left out. */
export async function groupFigures(
  sql: Sql,
  args: DaySpan & { after: number; limit: number; urlsMost: number },
): Promise<Omit<WatchFigures, 'days'>[]> {
  const all: Omit<WatchFigures, 'days'>[] = []
  for (const watch of await namesAfter(sql, args)) {
    const { days: _days, ...figures } = await figuresOf(sql, watch, args)
    all.push(figures)
  }
  return all
}

interface UrlDay extends DayTally {
  host: number
  hash: number
  rate: number
}

async function figuresOf(
  sql: Sql,
  watch: WatchName,
  args: DaySpan & { urlsMost: number },
): Promise<WatchFigures> {
  const found = (await urlDays(sql, watch.id, args)).map((url) => {
    const days = lostByDay(url, url[0]!.rate)
    return { days, observation: observationOf(days, daysOf(url)) }
  })
  const harvests = watch.subject === 'site' ? await harvestDays(sql, watch.id, args) : []
  const observation = sumObservations(found.map((url) => url.observation))
  const { urls } = (await sql.get<{ urls: number }>(
    `SELECT COUNT(*) AS urls FROM forecasts f WHERE collection_id = ? AND ${WATCHED}`,
    [watch.id],
  ))!
  return {
    ...watch,
    observation: {
      ...observation,
      storedBytes: harvests.reduce((sum, day) => sum + day.storedBytes, observation.storedBytes),
    },
    spanDays: found.reduce((most, url) => Math.max(most, url.observation.days), 0),
    days: sumDays([...found.flatMap(({ days }) => days), ...harvests]),
    urls,
    urlsLeftOut: Math.max(0, urls - args.urlsMost),
  }
}

/** From the first to the last day with an observation: later days are unknown. */
function daysOf(url: readonly UrlDay[]): number {
  const seen = url.filter(({ visits }) => visits > 0)
  return seen.length === 0 ? 0 : seen.at(-1)!.day - seen[0]!.day + 1
}

/** The days of every URL, of the most visited ones where there are many. */
async function urlDays(
  sql: Sql,
  id: number,
  args: DaySpan & { urlsMost: number },
): Promise<UrlDay[][]> {
  const rows = await sql.all<UrlDay>(
    `WITH watched AS (
       SELECT collection_id, host_id, hash, rate FROM forecasts f
       WHERE collection_id = ? AND ${WATCHED} ORDER BY visits DESC, host_id, hash LIMIT ?
     )
     SELECT u.host_id AS host, u.hash, u.rate, v.at / ${DAY_MS} AS day,
       ${countIf(`v.outcome <> 'failed'`)} AS visits, ${countIf(`v.outcome = 'changed'`)} AS changes,
       ${countIf(`v.outcome IN ('first', 'changed')`)} AS versions,
       ${countIf(`v.outcome = 'failed'`)} AS failures,
       CAST(COALESCE(SUM(c.length_bytes), 0) AS BIGINT) AS "storedBytes"
     FROM watched u JOIN visits v ON v.collection_id = u.collection_id
       AND v.host_id = u.host_id AND v.hash = u.hash AND v.at >= ? AND v.at < ?
     LEFT JOIN captures c ON c.id = v.capture_id
     GROUP BY u.host_id, u.hash, u.rate, v.at / ${DAY_MS}
     ORDER BY u.host_id, u.hash, v.at / ${DAY_MS}`,
    [id, args.urlsMost, args.fromDay * DAY_MS, args.toDay * DAY_MS],
  )
  return [...Map.groupBy(rows, ({ host, hash }) => `${host}/${hash}`).values()]
}

/** What the harvests of a site stored, by the day they began. */
async function harvestDays(sql: Sql, id: number, args: DaySpan): Promise<WatchDay[]> {
  const rows = await sql.all<{ day: number; bytes: number }>(
    `SELECT started_at / ${DAY_MS} AS day, CAST(SUM(bytes) AS BIGINT) AS bytes FROM versions
     WHERE collection_id = ? AND started_at >= ? AND started_at < ?
     GROUP BY started_at / ${DAY_MS}`,
    [id, args.fromDay * DAY_MS, args.toDay * DAY_MS],
  )
  return rows.map(({ day, bytes }) => ({
    day,
    visits: 0,
    changes: 0,
    versions: 0,
    failures: 0,
    lost: 0,
    storedBytes: bytes,
  }))
}
