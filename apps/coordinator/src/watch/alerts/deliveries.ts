/**
 * The outbox of alerts. A delivery is formed and its alerts are tied to it in one transaction; it
 * is claimed with a higher fence before it is sent, and recorded under that fence afterwards. A
 * sender that dies in between leaves a claim that lapses: the same delivery then goes out again
 * with the same number, so nothing is lost, and a receiver that knows the number processes it once.
 */
import type { AlertChannel, DeliveryView } from '@minga/protocol'
import { logEvents, type Sql, type Value } from '@minga/store'
import { alertRule, ruleToSend, type AlertRule } from './alert-rules.ts'
import { MailboxUnconfirmed } from '../watch-errors.ts'
import { endOfQuiet } from './alert-schedule.ts'
import { addressOf } from '../../accounts/mail/mailbox-key.ts'
import { MAY_SEND } from './mailboxes.ts'
import type { AlertFacts, AlertKind } from './match-visits.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** Pauses after the first, second, … try; after the last one it is given up: not quite two days. */
const RETRY_MS = [1, 5, 30, 120, 360, 720, 1_440].map((minutes) => minutes * MINUTE_MS)
/** Longer than any try may take. Too short sends twice; too long only delays the next try. */
const CLAIM_MS = 5 * MINUTE_MS
/** A message that cannot be sent at all (no coordinator has a mail server) is given up, too. */
const GIVEN_UP_MS = 3 * DAY_MS
/** Sent alerts stay readable: in feeds, and in the list of deliveries. */
const KEPT_MS = 30 * DAY_MS

const DUE = 'delivery_id IS NULL AND excerpt IS NOT NULL AND due_at <= ?'

/** Ties what is due to deliveries, one for each rule. Resolves to how many were formed. */
export async function formDeliveries(
  sql: Sql,
  args: { now: number; limit: number; mailsPerHour: number },
): Promise<number> {
  const { mailsPerHour } = args
  const due = await sql.all<{ ruleId: string }>(
    `SELECT rule_id AS "ruleId" FROM alerts WHERE ${DUE} GROUP BY rule_id ORDER BY MIN(due_at) LIMIT ?`,
    [args.now, args.limit],
  )
  let formed = 0
  for (const { ruleId } of due) {
    // Two coordinators must not both form a delivery of the same alerts.
    const rule = await ruleToSend(sql, ruleId)
    if (rule === undefined) continue
    const at = await sendableAt(sql, rule, { now: args.now, mailsPerHour })
    if (at > args.now) await putOff(sql, { ruleId, until: at, now: args.now })
    else if (await formOne(sql, rule, args.now)) formed++
  }
  return formed
}

/** Now, or when quiet hours end, or when the hour has room again: the rule's own, and its mailbox's. */
async function sendableAt(
  sql: Sql,
  { id, settings, channel, target }: AlertRule,
  { now, mailsPerHour }: { now: number; mailsPerHour: number },
): Promise<number> {
  const quietUntil = endOfQuiet(settings, now)
  if (quietUntil > now) return quietUntil
  const most = settings.mostPerHour
  const own = { where: `rule_id = ? AND kind = 'alert'`, value: id, most }
  const ofMailbox = {
    where: `rule_id IN (SELECT id FROM alert_rules WHERE channel = 'email' AND LOWER(target) = ?)`,
    value: addressOf(target),
    most: mailsPerHour,
  }
  const limits = channel === 'email' ? [own, ofMailbox] : [own]
  let at = now
  for (const { where, value, most: count } of limits) {
    const recent = await sql.all<{ at: number }>(
      `SELECT created_at AS at FROM alert_deliveries WHERE ${where} AND created_at > ?
       ORDER BY created_at DESC LIMIT ?`,
      [value, now - HOUR_MS, count],
    )
    if (recent.length >= count) at = Math.max(at, recent.at(-1)!.at + HOUR_MS)
  }
  return at
}

async function putOff(
  sql: Sql,
  { ruleId, until, now }: { ruleId: string; until: number; now: number },
): Promise<void> {
  await sql.run(`UPDATE alerts SET due_at = ? WHERE rule_id = ? AND ${DUE}`, [until, ruleId, now])
}

async function formOne(sql: Sql, { id: ruleId, channel }: AlertRule, now: number) {
  const first = await sql.get<{ id: number | null }>(
    `SELECT MIN(id) AS id FROM alerts WHERE rule_id = ? AND ${DUE}`,
    [ruleId, now],
  )
  if (first?.id == null) return false
  // An alert belongs to one delivery only, so its number serves both.
  const id = `dlv_${first.id}`
  const alerts = await sql.run(`UPDATE alerts SET delivery_id = ? WHERE rule_id = ? AND ${DUE}`, [
    id,
    ruleId,
    now,
  ])
  const delivery = { id, rule_id: ruleId, channel, kind: 'alert', state: 'waiting' }
  await insertDelivery(sql, { ...delivery, alerts, next_try_at: now, created_at: now })
  return true
}

async function insertDelivery(sql: Sql, columns: Record<string, Value>): Promise<void> {
  await sql.insertMany({
    table: 'alert_deliveries',
    columns: Object.keys(columns),
    rows: [Object.values(columns)],
  })
}

/** A user tests a rule: sent at once, once, at any hour. */
export async function openTestDelivery(
  sql: Sql,
  args: { id: string; ruleId: string; owner: string | null; now: number },
): Promise<ClaimedDelivery> {
  const rule = await alertRule(sql, { id: args.ruleId, owner: args.owner })
  const { channel, mailbox } = rule
  if (mailbox !== null && mailbox !== 'confirmed') throw new MailboxUnconfirmed(rule.target)
  const delivery = { id: args.id, rule_id: rule.id, channel, kind: 'test', state: 'sending' }
  await insertDelivery(sql, { ...delivery, alerts: 0, tries: 1, fence: 1, created_at: args.now })
  return { id: args.id, kind: 'test', fence: 1, count: 0, createdAt: args.now, rule, alerts: [] }
}

export interface DeliveredAlert {
  id: number
  visitId: number
  kind: AlertKind
  watchId: number
  at: number
  facts: AlertFacts
  excerpt: string
}

export interface ClaimedDelivery {
  id: string
  kind: 'alert' | 'test'
  fence: number
  /** Number of all changes in it; the first of them are in `alerts`. */
  count: number
  createdAt: number
  rule: AlertRule
  alerts: DeliveredAlert[]
}

interface DeliveryRow {
  id: string
  rule_id: string
  kind: 'alert' | 'test'
  alerts: number
  tries: number
  fence: number
  created_at: number
}

/** More than people read in one message. */
const LISTED_MAX = 50

/** Those to be sent now, each for one coordinator only. */
export async function claimDeliveries(
  sql: Sql,
  args: { now: number; channels: readonly AlertChannel[]; limit: number },
): Promise<ClaimedDelivery[]> {
  const rows = await sql.all<DeliveryRow>(
    `SELECT id, rule_id, kind, alerts, tries, fence, created_at FROM alert_deliveries
     WHERE next_try_at <= ? AND channel IN (${args.channels.map(() => '?').join(', ')})
       AND rule_id IN (SELECT id FROM alert_rules r WHERE is_active = 1 AND ${MAY_SEND})
     ORDER BY next_try_at, id LIMIT ?${sql.forUpdateSkipLocked}`,
    [args.now, ...args.channels, args.limit],
  )
  await sql.updateMany({
    table: 'alert_deliveries',
    keys: ['id'],
    set: ['state', 'tries', 'fence', 'next_try_at'],
    rows: rows.map(({ id, tries, fence }) => [
      id,
      'sending',
      tries + 1,
      fence + 1,
      args.now + CLAIM_MS,
    ]),
  })
  const claimed: ClaimedDelivery[] = []
  for (const { id, rule_id: ruleId, kind, fence, alerts: count, created_at: createdAt } of rows) {
    const rule = await alertRule(sql, { id: ruleId, owner: null })
    const alerts = await alertsWhere(sql, 'delivery_id = ? ORDER BY id LIMIT ?', [id, LISTED_MAX])
    claimed.push({ id, kind, fence: fence + 1, count, createdAt, rule, alerts })
  }
  return claimed
}

type AlertText = Omit<DeliveredAlert, 'facts' | 'excerpt'> & {
  facts: string
  excerpt: string | null
}

async function alertsWhere(sql: Sql, where: string, params: Value[]): Promise<DeliveredAlert[]> {
  const rows = await sql.all<AlertText>(
    `SELECT id, visit_id AS "visitId", kind, collection_id AS "watchId", at, facts, excerpt
     FROM alerts WHERE ${where}`,
    params,
  )
  return rows.map((row) => ({
    ...row,
    facts: JSON.parse(row.facts) as AlertFacts,
    excerpt: row.excerpt ?? '',
  }))
}

export interface FeedRows {
  rule: AlertRule
  /** Of the one watch that it is about; null: all of an account. */
  watchName: string | null
  /** Newest first. */
  alerts: DeliveredAlert[]
}

/** What a feed shows. */
export async function alertFeed(
  sql: Sql,
  args: { id: string; limit: number },
): Promise<FeedRows | null> {
  const row = await sql.get<{ name: string | null }>(
    `SELECT w.name FROM alert_rules r LEFT JOIN watches w ON w.collection_id = r.collection_id
     WHERE r.id = ? AND r.channel = 'feed'`,
    [args.id],
  )
  if (!row) return null
  const newest = 'rule_id = ? AND excerpt IS NOT NULL ORDER BY id DESC LIMIT ?'
  return {
    rule: await alertRule(sql, { id: args.id, owner: null }),
    watchName: row.name,
    alerts: await alertsWhere(sql, newest, [args.id, args.limit]),
  }
}

/** Those whose captures are to be compared. */
export function bareAlerts(sql: Sql, args: { limit: number }): Promise<DeliveredAlert[]> {
  return alertsWhere(sql, 'excerpt IS NULL ORDER BY id LIMIT ?', [args.limit])
}

export async function noteExcerpts(
  sql: Sql,
  args: { excerpts: readonly { id: number; excerpt: string }[] },
): Promise<void> {
  await sql.updateMany({
    table: 'alerts',
    keys: ['id'],
    set: ['excerpt'],
    rows: args.excerpts.map(({ id, excerpt }) => [id, excerpt]),
  })
}

/** How a try ended: `problem` null when it was taken. False: the claim had lapsed. */
export async function noteDelivery(
  sql: Sql,
  args: { id: string; fence: number; problem: string | null; now: number },
): Promise<boolean> {
  const { id, fence, problem, now } = args
  const row = await sql.get<{ tries: number; kind: string }>(
    'SELECT tries, kind FROM alert_deliveries WHERE id = ? AND fence = ?',
    [id, fence],
  )
  if (!row) return false
  const pauseMs = row.kind === 'test' ? undefined : RETRY_MS[row.tries - 1]
  const [state, sentAt, nextTryAt]: [string, number | null, number | null] =
    problem === null
      ? ['sent', now, null]
      : pauseMs === undefined
        ? ['failed', null, null]
        : ['waiting', null, now + pauseMs]
  const changed = await sql.run(
    `UPDATE alert_deliveries SET state = ?, sent_at = ?, next_try_at = ?, problem = ?
     WHERE id = ? AND fence = ?`,
    [state, sentAt, nextTryAt, problem?.slice(0, 500) ?? null, id, fence],
  )
  if (state === 'failed' && changed > 0) await logUndelivered(sql, args)
  return changed > 0
}

async function logUndelivered(
  sql: Sql,
  { id, problem, now }: { id: string; problem: string | null; now: number },
): Promise<void> {
  const rule = await sql.get<{ channel: string; watch: number | null; account: string }>(
    `SELECT r.channel, r.collection_id AS watch, r.account FROM alert_deliveries d
     JOIN alert_rules r ON r.id = d.rule_id WHERE d.id = ?`,
    [id],
  )
  if (!rule) return
  const subject = String(rule.watch ?? rule.account)
  const sentence = `An alert by ${rule.channel} could not be delivered: ${problem ?? 'no reason is known'}`
  const details = { channel: rule.channel, problem: problem ?? undefined }
  await logEvents(sql, [{ at: now, code: 'watch:undelivered', subject, sentence, details }])
}

/** The last of an account, of one rule or of one watch; newest first. */
export async function alertDeliveries(
  sql: Sql,
  args: { owner: string | null; ruleId: string | null; watchId: number | null; limit: number },
): Promise<DeliveryView[]> {
  const conditions: [string, Value][] = [
    ['r.account = ?', args.owner],
    ['r.id = ?', args.ruleId],
    ['r.collection_id = ?', args.watchId],
  ]
  const asked = conditions.filter(([, value]) => value !== null)
  return sql.all<DeliveryView>(
    `SELECT d.id, d.rule_id AS "ruleId", r.collection_id AS "watchId", r.channel, r.target, d.kind,
       d.state, d.alerts, d.tries, d.created_at AS "createdAt", d.sent_at AS "sentAt",
       d.next_try_at AS "nextTryAt", d.problem
     FROM alert_deliveries d JOIN alert_rules r ON r.id = d.rule_id
     WHERE ${['1 = 1', ...asked.map(([where]) => where)].join(' AND ')}
     ORDER BY d.created_at DESC, d.id DESC LIMIT ?`,
    [...asked.map(([, value]) => value), args.limit],
  )
}

/** Deletes old alerts and those of removed rules; gives up what is stuck. */
export async function pruneAlerts(sql: Sql, args: { now: number }): Promise<void> {
  const old = args.now - KEPT_MS
  for (const table of ['alerts', 'alert_deliveries']) {
    await sql.run(
      `DELETE FROM ${table} WHERE created_at < ? OR rule_id NOT IN (SELECT id FROM alert_rules)`,
      [old],
    )
  }
  await sql.run(
    `UPDATE alert_deliveries SET state = 'failed', next_try_at = NULL,
       problem = COALESCE(problem, 'no coordinator could send it in time')
     WHERE next_try_at IS NOT NULL AND created_at < ?`,
    [args.now - GIVEN_UP_MS],
  )
}
