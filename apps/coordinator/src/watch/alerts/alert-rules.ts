/**
 * Alert rules as they are stored: who gets which alerts, and how. Every rule belongs to one
 * account.
 */
import {
  alertSettings,
  type AlertChannel,
  type AlertSettings,
  type MailboxState,
} from '@minga/protocol'
import type { Sql, Value } from '@minga/store'
import { NoSuchAlert, TooManyAlerts } from '../watch-errors.ts'
import { addressOf } from '../../accounts/mail/mailbox-key.ts'
import { MAY_SEND, suppressAddress, wantConfirmation } from './mailboxes.ts'
import { newestVisit } from './match-visits.ts'

export interface AlertRule {
  id: string
  account: string
  watchId: number | null
  channel: AlertChannel
  target: string
  settings: AlertSettings
  isActive: boolean
  unsubscribedAt: number | null
  mailbox: MailboxState | null
  afterVisitId: number
  createdAt: number
}

type RuleText = Omit<AlertRule, 'settings' | 'isActive'> & { settings: string; isActive: number }

const SELECT = `SELECT r.id, r.account, r.collection_id AS "watchId", r.channel, r.target, r.settings,
  r.is_active AS "isActive", r.unsubscribed_at AS "unsubscribedAt",
  CASE WHEN r.channel <> 'email' THEN NULL WHEN ${MAY_SEND} THEN 'confirmed'
    WHEN EXISTS (SELECT 1 FROM mail_suppressions m WHERE m.address = LOWER(r.target))
    THEN 'suppressed' ELSE 'unconfirmed' END AS mailbox,
  r.after_visit_id AS "afterVisitId", r.created_at AS "createdAt" FROM alert_rules r`

function ruleIn({ settings, isActive, ...row }: RuleText): AlertRule {
  return { ...row, settings: alertSettings.parse(JSON.parse(settings)), isActive: isActive === 1 }
}

/** Each is evaluated with every visit, and one for all watches does what a hundred do. */
const RULES_MAX = 100

export interface NewAlertRule extends Pick<
  AlertRule,
  'id' | 'account' | 'watchId' | 'channel' | 'target' | 'settings'
> {
  now: number
}

export async function addAlertRule(sql: Sql, args: NewAlertRule): Promise<AlertRule> {
  const { id, account, watchId, channel, target, settings, now } = args
  const known = await sql.get<{ count: number }>(
    'SELECT COUNT(*) AS count FROM alert_rules WHERE account = ?',
    [account],
  )
  if (known!.count >= RULES_MAX) throw new TooManyAlerts(RULES_MAX)
  const row = { id, account, collection_id: watchId, channel, target }
  const rest = { settings: JSON.stringify(settings), after_visit_id: await newestVisit(sql) }
  const columns = { ...row, ...rest, created_at: now }
  await sql.insertMany({
    table: 'alert_rules',
    columns: Object.keys(columns),
    rows: [Object.values(columns)],
  })
  const rule = await alertRule(sql, { id, owner: null })
  await askMailbox(sql, rule, now)
  return rule
}

/** Before the first alert, and whenever a user turns one on again. */
async function askMailbox(sql: Sql, rule: AlertRule, now: number): Promise<void> {
  const { channel, account, target, settings } = rule
  if (channel !== 'email') return
  const { language } = settings
  await wantConfirmation(sql, { address: addressOf(target), account, language, now })
}

/** The rule of another user is treated as missing; `owner` null: any user's. */
export async function alertRule(
  sql: Sql,
  args: { id: string; owner: string | null },
): Promise<AlertRule> {
  const row = await sql.get<RuleText>(`${SELECT} WHERE r.id = ?`, [args.id])
  if (!row || (args.owner !== null && row.account !== args.owner)) throw new NoSuchAlert(args.id)
  return ruleIn(row)
}

/** Claimed for this transaction; undefined when another coordinator has it, or it is gone. */
export async function ruleToSend(sql: Sql, id: string): Promise<AlertRule | undefined> {
  const row = await sql.get<RuleText>(`${SELECT} WHERE r.id = ?${sql.forUpdateSkipLocked}`, [id])
  return row && ruleIn(row)
}

/** Of an account, of a watch, or all; newest first. */
export async function alertRules(
  sql: Sql,
  args: { owner: string | null; watchId: number | null },
): Promise<(AlertRule & { waiting: number })[]> {
  const where = ['1 = 1']
  const params: Value[] = []
  if (args.owner !== null) {
    where.push('r.account = ?')
    params.push(args.owner)
  }
  if (args.watchId !== null) {
    where.push('r.collection_id = ?')
    params.push(args.watchId)
  }
  const rows = await sql.all<RuleText>(
    `${SELECT} WHERE ${where.join(' AND ')} ORDER BY r.created_at DESC, r.id LIMIT 1000`,
    params,
  )
  const waiting = await sql.all<{ ruleId: string; count: number }>(
    `SELECT rule_id AS "ruleId", COUNT(*) AS count FROM alerts
     WHERE delivery_id IS NULL AND due_at IS NOT NULL GROUP BY rule_id`,
  )
  const counts = new Map(waiting.map(({ ruleId, count }) => [ruleId, count]))
  return rows.map((row) => ({ ...ruleIn(row), waiting: counts.get(row.id) ?? 0 }))
}

/** Those that visits of these watches may concern. */
export async function rulesFor(
  sql: Sql,
  args: { watches: readonly number[]; owners: readonly string[] },
): Promise<AlertRule[]> {
  const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
  const rows = await sql.all<RuleText>(
    `${SELECT} WHERE r.is_active = 1 AND ${MAY_SEND} AND (r.collection_id IN (${marks(args.watches)})
       OR (r.collection_id IS NULL AND r.account IN (${marks(args.owners)})))`,
    [...args.watches, ...args.owners],
  )
  return rows.map(ruleIn)
}

/**
 * Events while a rule is off are not reported afterwards. A mailbox that refused gets a request for
 * confirmation, and nothing else.
 */
export async function turnAlertRule(
  sql: Sql,
  args: { id: string; owner: string | null; isActive: boolean; now: number },
): Promise<AlertRule> {
  const rule = await alertRule(sql, args)
  const { id } = rule
  if (args.isActive) {
    await sql.run(
      `UPDATE alert_rules SET is_active = 1, unsubscribed_at = NULL, after_visit_id = ?
       WHERE id = ? AND is_active = 0`,
      [await newestVisit(sql), id],
    )
    await askMailbox(sql, rule, args.now)
  } else await switchOff(sql, { id, unsubscribedAt: null })
  return alertRule(sql, args)
}

/** By the link in an e-mail: its address gets no more alerts, of any account. Answers whether it got any. */
export async function unsubscribeAlert(
  sql: Sql,
  args: { id: string; now: number },
): Promise<boolean> {
  const { target, channel } = await alertRule(sql, { id: args.id, owner: null })
  const wasOn = await switchOff(sql, { id: args.id, unsubscribedAt: args.now })
  if (channel === 'email') {
    await suppressAddress(sql, { address: addressOf(target), now: args.now })
  }
  return wasOn
}

async function switchOff(
  sql: Sql,
  { id, unsubscribedAt }: { id: string; unsubscribedAt: number | null },
): Promise<boolean> {
  const changed = await sql.run(
    'UPDATE alert_rules SET is_active = 0, unsubscribed_at = ? WHERE id = ? AND is_active = 1',
    [unsubscribedAt, id],
  )
  await sql.run(
    'DELETE FROM alerts WHERE rule_id = ? AND delivery_id IS NULL AND due_at IS NOT NULL',
    [id],
  )
  await sql.run(
    `UPDATE alert_deliveries SET state = 'failed', next_try_at = NULL, fence = fence + 1,
       problem = 'the alert was switched off' WHERE rule_id = ? AND next_try_at IS NOT NULL`,
    [id],
  )
  return changed > 0
}

export async function removeAlertRule(
  sql: Sql,
  args: { id: string; owner: string | null },
): Promise<void> {
  const { id } = await alertRule(sql, args)
  await sql.run('DELETE FROM alert_deliveries WHERE rule_id = ?', [id])
  await sql.run('DELETE FROM alerts WHERE rule_id = ?', [id])
  await sql.run('DELETE FROM alert_rules WHERE id = ?', [id])
}

export async function removeAlertsOf(sql: Sql, { id }: { id: string }): Promise<void> {
  const rules = await sql.all<{ id: string }>('SELECT id FROM alert_rules WHERE account = ?', [id])
  for (const rule of rules) await removeAlertRule(sql, { id: rule.id, owner: null })
}
