/**
 * The last step of a takedown, in one transaction: the bytes are overwritten, now everything that the
 * tables say of these captures goes. What is counted (visits, sums of collections) stays counted.
 */
import { searchKey } from '@minga/archive'
import { hostKeyOf } from '@minga/net'
import { logEvents, noteStationEvents, type Sql } from '@minga/store'
import { KEY_CHARS } from '../archived-urls.ts'
import { markForPurge, lowerFeedMarks } from '../pending-purges.ts'
import { eraseTexts } from '../search/forget-texts.ts'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { marks } from './takedown-rows.ts'

interface TakenDown {
  id: number
  capture_id: number
  host_id: number
  hash: number
  url: string
  kind: string
  digest: string
  is_blocked: number
}

export async function finishTakedowns(
  sql: Sql,
  { ids, now }: { ids: readonly number[]; now: number },
): Promise<FinishedTakedowns> {
  const takenDown = await sql.all<TakenDown>(
    `SELECT id, capture_id, host_id, hash, url, kind, digest, is_blocked FROM takedowns
     WHERE id IN (${marks(ids)}) AND state = 'placed'`,
    ids,
  )
  if (takenDown.length === 0) return { unresolved: 0 }
  await sql.wipe()
  await forgetVisits(sql, takenDown)
  const captureIds = takenDown.map((row) => row.capture_id)
  await markForPurge(sql, `id IN (${marks(captureIds)})`, captureIds)
  await eraseTexts(sql, captureIds)
  const unresolved = await forgetReferences(sql, takenDown)
  await sql.run(`DELETE FROM captures WHERE id IN (${marks(captureIds)})`, captureIds)
  await sql.run(
    `DELETE FROM superseded_records WHERE capture_id IN (${marks(captureIds)})`,
    captureIds,
  )
  // Else the same payload would be kept as a reference to nothing when it comes again.
  await sql.deleteMany({
    table: 'payloads',
    keys: ['digest', 'url'],
    rows: takenDown.map(({ digest, url }) => [digest, url]),
  })
  await renewUrls(sql, takenDown)
  await block(sql, takenDown)
  await lowerMarks(sql)
  await lowerFeedMarks(sql)
  await noteTakenDown(sql, takenDown, now)
  await sql.updateMany({
    table: 'takedowns',
    keys: ['id'],
    set: ['state', 'places', 'done_at'],
    rows: takenDown.map(({ id }) => [id, 'done', null, now]),
  })
  await writeFact(sql, { name: 'indexed', value: STALE })
  return { unresolved }
}

export interface FinishedTakedowns {
  /** Revisits that referred to what is gone, though another response holds their payload. */
  unresolved: number
}

/** Those whose payload went with it are taken down as well; the others are to be led elsewhere. */
async function forgetReferences(sql: Sql, takenDown: readonly TakenDown[]): Promise<number> {
  const ids = takenDown.map((row) => row.capture_id)
  return sql.run(
    `UPDATE captures SET record_id = NULL WHERE kind = 'revisit'
       AND digest IN (SELECT digest FROM captures WHERE id IN (${marks(ids)}))
       AND record_id IN (SELECT record_id FROM captures
         WHERE kind = 'response' AND id IN (${marks(ids)}))`,
    [...ids, ...ids],
  )
}

/** Logged by host only: the complete addresses are what the takedown removes. */
async function noteTakenDown(
  sql: Sql,
  takenDown: readonly TakenDown[],
  now: number,
): Promise<void> {
  const captures = takenDown.filter(({ kind }) => kind !== 'superseded')
  const byHost = Map.groupBy(captures, ({ url }) => hostKeyOf(url))
  const events = [...byHost].map(([subject, gone]) => {
    return { at: now, kind: 'takedown:done', subject, detail: `${gone.length} captures` }
  })
  await noteStationEvents(sql, events)
  await logEvents(
    sql,
    [...byHost].map(([subject, { length: count }]) => {
      const sentence = `Taken down: ${count} captures.`
      return { at: now, code: 'takedown:done', subject, sentence, details: { count } } as const
    }),
  )
}

/** What the fact `indexed` says until the index has been written without them. */
export const STALE = '0/taken down'

interface VisitPlace {
  id: number
  collection_id: number
  host_id: number
  hash: number
  capture_id: number | null
}

/** Excerpts of what changed, what the detector remembers of the text, and masks learnt from it. */
async function forgetVisits(sql: Sql, takenDown: readonly TakenDown[]): Promise<void> {
  const ids = takenDown.map((row) => row.capture_id)
  const visits = await sql.all<VisitPlace>(
    `SELECT id, collection_id, host_id, hash, capture_id FROM visits
     WHERE capture_id IN (${marks(ids)}) OR before_id IN (${marks(ids)})`,
    [...ids, ...ids],
  )
  await sql.updateMany({
    table: 'alerts',
    keys: ['visit_id'],
    set: ['excerpt'],
    rows: visits.map(({ id }) => [id, '']),
  })
  for (const column of ['capture_id', 'before_id']) {
    await sql.run(`UPDATE visits SET ${column} = NULL WHERE ${column} IN (${marks(ids)})`, ids)
  }
  await sql.run(`UPDATE audits SET capture_id = NULL WHERE capture_id IN (${marks(ids)})`, ids)
  for (const visit of visits) await forgetSketch(sql, visit, ids)
}

async function forgetSketch(
  sql: Sql,
  { collection_id: collectionId, host_id: hostId, hash }: VisitPlace,
  gone: readonly number[],
): Promise<void> {
  const place = [collectionId, hostId, hash]
  const at = 'collection_id = ? AND host_id = ? AND hash = ?'
  const wasNewest = await sql.run(
    `UPDATE forecasts SET capture_id = NULL WHERE ${at} AND capture_id IN (${marks(gone)})`,
    [...place, ...gone],
  )
  if (wasNewest > 0) await sql.run(`DELETE FROM sketches WHERE ${at}`, place)
  else {
    const forget = 'UPDATE sketches SET noise = NULL, noise_regions = 0'
    await sql.run(`${forget} WHERE ${at} AND noise IS NOT NULL`, place)
  }
  await sql.run(`DELETE FROM twin_requests WHERE ${at}`, place)
}

/** The table of archived URLs tells the newest title: another one, or none. */
async function renewUrls(sql: Sql, takenDown: readonly TakenDown[]): Promise<void> {
  const places = new Map(takenDown.map((row) => [`${row.host_id} ${row.hash} ${row.url}`, row]))
  for (const { host_id: hostId, hash, url } of places.values()) {
    const place = [searchKey(url).slice(0, KEY_CHARS), hostId, hash]
    const at = 'url_key = ? AND host_id = ? AND hash = ?'
    const left = await sql.all<{ title: string | null; url: string; captured_at: number }>(
      `SELECT title, url, captured_at FROM captures WHERE host_id = ? AND hash = ?
       ORDER BY captured_at DESC`,
      [hostId, hash],
    )
    const newest = left.find((capture) => capture.title !== null) ?? left[0]
    if (newest === undefined) {
      await sql.run(`DELETE FROM archived_urls WHERE ${at}`, place)
      continue
    }
    await sql.run(`UPDATE archived_urls SET title = ?, first_at = ?, last_at = ? WHERE ${at}`, [
      newest.title,
      left.at(-1)!.captured_at,
      left[0]!.captured_at,
      ...place,
    ])
  }
}

async function block(sql: Sql, takenDown: readonly TakenDown[]): Promise<void> {
  const blocked = takenDown.filter((row) => row.is_blocked === 1 && row.digest !== '-')
  await sql.insertMany({
    table: 'blocked_payloads',
    columns: ['digest', 'host_id', 'hash'],
    rows: blocked.map((row) => [row.digest, row.host_id, row.hash]),
    onConflict: 'ignore',
  })
}

/**
 * SQLite assigns the numbers after the last row again: counters that use them must not be beyond.
 */
async function lowerMarks(sql: Sql): Promise<void> {
  if (sql.dialect !== 'sqlite') return
  const row = await sql.get<{ last: number | null }>('SELECT MAX(id) AS last FROM captures')
  const last = row?.last ?? 0
  const indexed = Number((await readFact(sql, { name: 'urlsIndexed' })) ?? 0)
  if (indexed > last) await writeFact(sql, { name: 'urlsIndexed', value: String(last) })
  for (const [table, column] of [
    ['versions', 'after_id'],
    ['versions', 'last_id'],
    ['quarantines', 'since_capture_id'],
  ]) {
    await sql.run(`UPDATE ${table} SET ${column} = ? WHERE ${column} > ?`, [last, last])
  }
}
