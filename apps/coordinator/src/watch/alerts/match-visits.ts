/**
 * From visits to alerts. Visits are read in the order of their numbers, and a rule reports a visit
 * once (a unique key): reading one again, by this coordinator after a crash or by another at the
 * same time, adds nothing.
 */
import type { VisitOutcome } from '@minga/protocol'
import { logEvents, noteStationEvents, type Sql, type Value } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import { rulesFor, type AlertRule } from './alert-rules.ts'
import { dueAt } from './alert-schedule.ts'

export type AlertKind = 'changed' | 'failing' | 'back'

/** What a message says of a visit. */
export interface AlertFacts {
  url: string
  watchName: string
  visual: number
  structural: number
  content: number
  magnitude: number
  isImportant: boolean
  /** Why the visit failed. */
  code: string | null
  /** In a row: those that ended with this visit, or that it ended. */
  failures: number
  /** The two captures; null when there is none (any more). */
  after: AlertCapture | null
  before: AlertCapture | null
}

export interface AlertCapture {
  url: string
  at: number
}

const FACT = 'visitsAlerted'
/**
 * Several coordinators of one PostgreSQL commit visits out of order: skipped numbers are read again
 * for this time. A transaction takes seconds; a number may also stay unused.
 */
const LATE_MS = 600_000
/** After a jump of the numbers (a restored database) those far behind are unused. */
const LATE_MAX = 2_000
/** For one rule in one run: pages that change by the thousand are reported without an excerpt. */
const EXCERPTS_MAX = 20

interface Cursor {
  /** Visits up to here have been read. */
  id: number
  /** But for these, which were not there: until when they are looked for. */
  late: (readonly [id: number, untilAt: number])[]
}

interface VisitRow {
  id: number
  at: number
  outcome: VisitOutcome
  code: string | null
  visual: number
  structural: number
  content: number
  magnitude: number
  isImportant: number
  afterUrl: string | null
  afterAt: number | null
  beforeUrl: string | null
  beforeAt: number | null
  watchId: number
  hostId: number
  hash: number
  url: string
  watchName: string
  owner: string | null
}

/** Resolves to whether there is more to read at once. */
export async function matchVisits(
  sql: Sql,
  args: { now: number; limit: number },
): Promise<boolean> {
  const { now, limit } = args
  const cursor = await readCursor(sql)
  const newest = await newestVisit(sql)
  if (newest <= cursor.id && cursor.late.length === 0) return false
  if (!(await hasRules(sql))) {
    await writeCursor(sql, { id: newest, late: [] })
    return false
  }
  const late = cursor.late.map(([id]) => id)
  const marks = late.map(() => '?').join(', ')
  const found = late.length === 0 ? [] : await visitsWhere(sql, `v.id IN (${marks})`, late)
  const fresh = await visitsWhere(sql, 'v.id > ? ORDER BY v.id LIMIT ?', [cursor.id, limit])
  const visits = [...found, ...fresh]
  await tellOf(sql, visits, now)
  const next = movedOn(cursor, visits, now)
  if (JSON.stringify(next) !== JSON.stringify(cursor)) await writeCursor(sql, next)
  return fresh.length === limit
}

function movedOn(cursor: Cursor, visits: readonly VisitRow[], now: number): Cursor {
  const seen = new Set(visits.map(({ id }) => id))
  const id = visits.reduce((most, visit) => Math.max(most, visit.id), cursor.id)
  const late = cursor.late.filter(([missed, untilAt]) => !seen.has(missed) && untilAt > now)
  for (let missed = Math.max(cursor.id, id - LATE_MAX) + 1; missed < id; missed++) {
    if (!seen.has(missed)) late.push([missed, now + LATE_MS])
  }
  return { id, late: late.slice(-LATE_MAX) }
}

/** Before the first read nothing was reported: it begins where the first rule does. */
async function readCursor(sql: Sql): Promise<Cursor> {
  const text = await readFact(sql, { name: FACT })
  if (text !== null) return JSON.parse(text) as Cursor
  const row = await sql.get<{ id: number | null }>(
    'SELECT MIN(after_visit_id) AS id FROM alert_rules',
  )
  return { id: row?.id ?? 0, late: [] }
}

async function writeCursor(sql: Sql, cursor: Cursor): Promise<void> {
  await writeFact(sql, { name: FACT, value: JSON.stringify(cursor) })
}

async function hasRules(sql: Sql): Promise<boolean> {
  return (await sql.get('SELECT 1 AS one FROM alert_rules WHERE is_active = 1')) !== undefined
}

function visitsWhere(sql: Sql, where: string, params: readonly Value[]): Promise<VisitRow[]> {
  return sql.all<VisitRow>(
    `SELECT v.id, v.at, v.outcome, v.code, v.visual, v.structural, v.content, v.magnitude,
       v.is_important AS "isImportant", a.url AS "afterUrl", a.captured_at AS "afterAt",
       b.url AS "beforeUrl", b.captured_at AS "beforeAt",
       v.collection_id AS "watchId", v.host_id AS "hostId", v.hash, f.url, w.name AS "watchName",
       c.owner
     FROM visits v
     JOIN watches w ON w.collection_id = v.collection_id
     JOIN collections c ON c.id = v.collection_id
     JOIN forecasts f
       ON f.collection_id = v.collection_id AND f.host_id = v.host_id AND f.hash = v.hash
     LEFT JOIN captures a ON a.id = v.capture_id
     LEFT JOIN captures b ON b.id = v.before_id
     WHERE ${where}`,
    params,
  )
}

async function tellOf(sql: Sql, visits: readonly VisitRow[], now: number): Promise<void> {
  if (visits.length === 0) return
  const rules = await rulesFor(sql, {
    watches: [...new Set(visits.map(({ watchId }) => watchId))],
    owners: [...new Set(visits.map(({ owner }) => owner ?? ''))],
  })
  const failuresOf = countedOnce((visit) => failuresBefore(sql, visit))
  const rows: Value[][] = []
  for (const rule of rules) {
    const found: { visit: VisitRow; kind: AlertKind; failures: number }[] = []
    for (const visit of visits) {
      if (!concerns(rule, visit)) continue
      for (const matched of await matchesOf(rule, visit, failuresOf))
        found.push({ visit, ...matched })
    }
    const due = rule.channel === 'feed' ? null : dueAt(rule.settings, now)
    rows.push(...found.map((each, i) => alertRow(rule, { ...each, due, now, i })))
  }
  // All writers use one order: two coordinators must not wait for each other.
  const ordered = rows.toSorted((a, b) => Number(a[1]) - Number(b[1]) || (a[0]! < b[0]! ? -1 : 1))
  const isNew = await sql.insertNew({
    table: 'alerts',
    columns: COLUMNS,
    keys: ['rule_id', 'visit_id', 'kind'],
    rows: ordered,
  })
  const raised = ordered.filter((_, i) => isNew[i])
  await noteStationEvents(
    sql,
    raised.map(([, , kind, watch]) => ({
      at: now,
      kind: 'alert:raised',
      subject: String(watch),
      detail: String(kind),
    })),
  )
  const byWatch = Map.groupBy(raised, ([, , , watch]) => String(watch))
  await logEvents(
    sql,
    [...byWatch].map(([subject, alerts]) => {
      const sentence = `Alerts were raised: ${alerts.length}.`
      const details = { count: alerts.length }
      return { at: now, code: 'watch:alerted', subject, sentence, details } as const
    }),
  )
}

function concerns({ watchId, account, afterVisitId }: AlertRule, visit: VisitRow): boolean {
  if (visit.id <= afterVisitId) return false
  return watchId === null ? visit.owner === account : visit.watchId === watchId
}

interface Match {
  kind: AlertKind
  failures: number
}

/** In a row, just before a visit. */
type FailuresOf = (visit: VisitRow) => Promise<number>

/** Many rules may ask for the same. */
function countedOnce(count: FailuresOf): FailuresOf {
  const known = new Map<number, Promise<number>>()
  return (visit) => {
    const counted = known.get(visit.id) ?? count(visit)
    known.set(visit.id, counted)
    return counted
  }
}

async function matchesOf(
  { settings }: AlertRule,
  visit: VisitRow,
  failuresOf: FailuresOf,
): Promise<Match[]> {
  const { changes, leastMagnitude, failuresInRow, tellsBack } = settings
  if (visit.outcome === 'failed') {
    if (failuresInRow === null) return []
    const failures = await failuresOf(visit)
    // Once for each row of failures: at the visit that makes it long enough.
    return failures + 1 === failuresInRow ? [{ kind: 'failing', failures: failures + 1 }] : []
  }
  const matched: Match[] = []
  if (tellsBack) {
    const failures = await failuresOf(visit)
    if (failures >= (failuresInRow ?? 1)) matched.push({ kind: 'back', failures })
  }
  const isWanted = changes === 'all' || (changes === 'important' && visit.isImportant === 1)
  const isChange = visit.outcome === 'changed' && visit.magnitude >= leastMagnitude
  if (isWanted && isChange) matched.push({ kind: 'changed', failures: 0 })
  return matched
}

/** As many as a rule may ask for. */
const FAILURES_MAX = 100

async function failuresBefore(sql: Sql, visit: VisitRow): Promise<number> {
  const rows = await sql.all<{ outcome: VisitOutcome }>(
    `SELECT outcome FROM visits WHERE collection_id = ? AND host_id = ? AND hash = ?
       AND at <= ? AND id < ? ORDER BY at DESC, id DESC LIMIT ?`,
    [visit.watchId, visit.hostId, visit.hash, visit.at, visit.id, FAILURES_MAX],
  )
  const end = rows.findIndex(({ outcome }) => outcome !== 'failed')
  return end === -1 ? rows.length : end
}

const COLUMNS = [
  'rule_id',
  'visit_id',
  'kind',
  'collection_id',
  'at',
  'facts',
  'excerpt',
  'due_at',
  'created_at',
]

function alertRow(
  rule: AlertRule,
  matched: Match & { visit: VisitRow; due: number | null; now: number; i: number },
): Value[] {
  const { visit, kind, failures, due, now, i } = matched
  const { url, watchName, visual, structural, content, magnitude, code } = visit
  const facts: AlertFacts = {
    url,
    watchName,
    visual,
    structural,
    content,
    magnitude,
    isImportant: visit.isImportant === 1,
    code,
    failures,
    after: captureIn(visit.afterUrl, visit.afterAt),
    before: captureIn(visit.beforeUrl, visit.beforeAt),
  }
  const isCompared = kind === 'changed' && facts.before !== null && i < EXCERPTS_MAX
  const excerpt = isCompared ? null : ''
  const { id, watchId, at } = visit
  return [rule.id, id, kind, watchId, at, JSON.stringify(facts), excerpt, due, now]
}

function captureIn(url: string | null, at: number | null): AlertCapture | null {
  return url === null || at === null ? null : { url, at }
}

/** Visits up to this one have happened. */
export async function newestVisit(sql: Sql): Promise<number> {
  const row = await sql.get<{ id: number | null }>('SELECT MAX(id) AS id FROM visits')
  return row?.id ?? 0
}
