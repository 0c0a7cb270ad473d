/**
 * Which mailboxes may be written to. Alerts go to an address only for an account that its owner has
 * agreed to, by the link in a message that names nothing of the watched pages; an address that
 * refused gets none of any account, until its owner follows the link of a new confirmation. The
 * number of confirmations per address is limited over all accounts, so that they cannot be used to
 * send unwanted mail.
 */
import type { AlertLanguage, MailboxState, SuppressedAddress } from '@minga/protocol'
import type { Sql } from '@minga/store'
import type { MailboxKey } from '../../accounts/mail/mailbox-key.ts'
import { NoSuchConfirmation } from '../watch-errors.ts'
import { newestVisit } from './match-visits.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Of a link: over a weekend. */
const LINK_MS = 3 * DAY_MS
/** Between two confirmations to one address. */
const ADDRESS_EVERY_MS = DAY_MS
const MONTH_MS = 30 * DAY_MS
/** To one address in a month; to one that refused a single one. */
const ADDRESS_MONTH_MAX = 3
const SUPPRESSED_MONTH_MAX = 1
/** Of one account in a day, over all addresses. */
const ACCOUNT_DAY_MAX = 10
const AGAIN_MS = HOUR_MS
const TRIES_MAX = 5
/** What was asked and not answered is forgotten. */
const KEPT_MS = 90 * DAY_MS

/** For a rule `r`: its channel needs no consent, or its mailbox has given it. */
export const MAY_SEND = `(r.channel <> 'email' OR (
  EXISTS (SELECT 1 FROM mail_consents c WHERE c.address = LOWER(r.target) AND c.account = r.account)
  AND NOT EXISTS (SELECT 1 FROM mail_suppressions m WHERE m.address = LOWER(r.target))))`

async function mailboxState(sql: Sql, key: MailboxKey): Promise<MailboxState> {
  if (await isSuppressed(sql, key.address)) return 'suppressed'
  const row = await sql.get(
    'SELECT 1 AS one FROM mail_consents WHERE address = ? AND account = ?',
    [key.address, key.account],
  )
  return row === undefined ? 'unconfirmed' : 'confirmed'
}

async function isSuppressed(sql: Sql, address: string): Promise<boolean> {
  const row = await sql.get('SELECT 1 AS one FROM mail_suppressions WHERE address = ?', [address])
  return row !== undefined
}

/** Unless it has agreed, or its last link still works. */
export async function wantConfirmation(
  sql: Sql,
  args: MailboxKey & { language: AlertLanguage; now: number },
): Promise<void> {
  const { address, account, language, now } = args
  if ((await mailboxState(sql, args)) === 'confirmed') return
  const open = await sql.get(
    `SELECT 1 AS one FROM mail_confirmations WHERE address = ? AND account = ? AND used_at IS NULL
       AND (try_at IS NOT NULL OR expires_at > ?)`,
    [address, account, now],
  )
  if (open !== undefined) return
  const columns = { address, account, language, created_at: now, try_at: now }
  await sql.insertMany({
    table: 'mail_confirmations',
    columns: Object.keys(columns),
    rows: [Object.values(columns)],
  })
}

interface ConfirmationRow extends MailboxKey {
  id: number
  /** Empty: what the station speaks. */
  language: AlertLanguage | ''
  tries: number
}

export type ClaimedConfirmation = Pick<ConfirmationRow, 'id' | 'address' | 'language'> & {
  tokenHash: string
}

/**
 * The alert is still wanted: no confirmation is sent for one that was removed or turned off before.
 */
const IS_WANTED = `EXISTS (SELECT 1 FROM alert_rules r WHERE r.channel = 'email' AND r.is_active = 1
  AND r.account = mail_confirmations.account AND LOWER(r.target) = mail_confirmations.address)`

/** Those to be sent now, each with one of the links that were brought; what is too much waits. */
export async function claimConfirmations(
  sql: Sql,
  args: { tokenHashes: readonly string[]; now: number },
): Promise<ClaimedConfirmation[]> {
  const { tokenHashes, now } = args
  await lockMailClaims(sql)
  const rows = await sql.all<ConfirmationRow>(
    `SELECT id, address, account, language, tries FROM mail_confirmations
     WHERE try_at <= ? AND ${IS_WANTED} ORDER BY try_at, id LIMIT ?${sql.forUpdateSkipLocked}`,
    [now, tokenHashes.length],
  )
  const claimed: ClaimedConfirmation[] = []
  for (const { id, address, account, language, tries } of rows) {
    const at = await askableAt(sql, { address, account }, now)
    if (at > now) {
      await sql.run('UPDATE mail_confirmations SET try_at = ? WHERE id = ?', [at, id])
      continue
    }
    const tokenHash = tokenHashes[claimed.length]!
    // Before it is sent: a link that arrived must work, whatever becomes of this process.
    await sql.run(
      `UPDATE mail_confirmations SET try_at = NULL, tries = ?, sent_at = ?, token_hash = ?,
         expires_at = ? WHERE id = ?`,
      [tries + 1, now, tokenHash, now + LINK_MS, id],
    )
    claimed.push({ id, address, language, tokenHash })
  }
  return claimed
}

/** Any number that no other lock of this database has. */
const CLAIMING = 5_236_101

/** Two coordinators that claim at once would both see room for the last mail to an address. */
async function lockMailClaims(sql: Sql): Promise<void> {
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?)', [CLAIMING])
}

export interface AccountMailClaim {
  /** Its owner wants no mail of this station. */
  isSuppressed: boolean
  /** Until the address, or the account, may be written to again; 0: the mail is counted and can be sent. */
  waitMs: number
}

/**
 * Before a mail of an account to which the address has not agreed: it counts together with
 * confirmations of alerts, so that accounts cannot be used for the unwanted mail that alerts cannot
 * be used for.
 */
export async function claimAccountMail(
  sql: Sql,
  { address, account, now }: MailboxKey & { now: number },
): Promise<AccountMailClaim> {
  await lockMailClaims(sql)
  if (await isSuppressed(sql, address)) return { isSuppressed: true, waitMs: 0 }
  const at = await askableAt(sql, { address, account }, now)
  if (at > now) return { isSuppressed: false, waitMs: at - now }
  // Without a link: the account's own link is stored elsewhere, and this one is only counted.
  const columns = { address, account, language: '', created_at: now, sent_at: now, expires_at: now }
  await sql.insertMany({
    table: 'mail_confirmations',
    columns: Object.keys(columns),
    rows: [Object.values(columns)],
  })
  return { isSuppressed: false, waitMs: 0 }
}

/** It was not sent, and does not count. */
export async function returnAccountMail(
  sql: Sql,
  { address, account, now }: MailboxKey & { now: number },
): Promise<void> {
  await sql.run(
    `DELETE FROM mail_confirmations WHERE address = ? AND account = ? AND sent_at = ?
       AND token_hash IS NULL AND used_at IS NULL`,
    [address, account, now],
  )
}

/**
 * Before the account is deleted: mails sent to an address still count, because otherwise a user
 * could delete an account, create another and write to it again. Nothing refers to the row any
 * more, and its links are invalid.
 */
export async function keepMailCounts(sql: Sql, args: { id: string }): Promise<void> {
  await sql.run(
    `UPDATE mail_confirmations SET account = '', token_hash = NULL, try_at = NULL, expires_at = 0
     WHERE account = ? AND sent_at IS NOT NULL`,
    [args.id],
  )
}

/** Now, or when its address and its account may be asked for the next time. */
async function askableAt(sql: Sql, { address, account }: MailboxKey, now: number): Promise<number> {
  const most = (await isSuppressed(sql, address)) ? SUPPRESSED_MONTH_MAX : ADDRESS_MONTH_MAX
  const limits = [
    { column: 'address', value: address, most: 1, windowMs: ADDRESS_EVERY_MS },
    { column: 'address', value: address, most, windowMs: MONTH_MS },
    { column: 'account', value: account, most: ACCOUNT_DAY_MAX, windowMs: DAY_MS },
  ]
  let at = now
  for (const { column, value, most: count, windowMs } of limits) {
    const recent = await sql.all<{ at: number }>(
      `SELECT sent_at AS at FROM mail_confirmations WHERE ${column} = ? AND sent_at > ?
       ORDER BY sent_at DESC LIMIT ?`,
      [value, now - windowMs, count],
    )
    if (recent.length === count) at = Math.max(at, recent.at(-1)!.at + windowMs)
  }
  return at
}

/** It was rejected: another link is tried a few times. */
export async function confirmationFailed(
  sql: Sql,
  { id, now }: { id: number; now: number },
): Promise<void> {
  await sql.run(
    `UPDATE mail_confirmations SET token_hash = NULL, sent_at = NULL,
       try_at = CASE WHEN tries < ? THEN CAST(? AS BIGINT) ELSE NULL END
     WHERE id = ? AND used_at IS NULL`,
    [TRIES_MAX, now + AGAIN_MS, id],
  )
}

export interface Confirmation extends MailboxKey {
  id: number
  language: AlertLanguage | ''
}

/** By its link; one that was used or is too old is as if it had never been. */
export async function confirmationBy(
  sql: Sql,
  { tokenHash, now }: { tokenHash: string; now: number },
): Promise<Confirmation> {
  const row = await sql.get<Confirmation>(
    `SELECT id, address, account, language FROM mail_confirmations
     WHERE token_hash = ? AND used_at IS NULL AND expires_at > ?`,
    [tokenHash, now],
  )
  if (row === undefined) throw new NoSuchConfirmation()
  return row
}

/** The mailbox agrees to the alerts of the account that asked. Only this takes it off the list. */
export async function confirmMailbox(
  sql: Sql,
  args: { tokenHash: string; now: number },
): Promise<Confirmation> {
  const found = await useLink(sql, args)
  const { address, account } = found
  await sql.run('DELETE FROM mail_suppressions WHERE address = ?', [address])
  await sql.insertMany({
    table: 'mail_consents',
    columns: ['address', 'account', 'confirmed_at'],
    rows: [[address, account, args.now]],
    onConflict: 'ignore',
  })
  // Earlier events are not reported afterwards.
  await sql.run(
    `UPDATE alert_rules SET after_visit_id = ?
     WHERE channel = 'email' AND account = ? AND LOWER(target) = ?`,
    [await newestVisit(sql), account, address],
  )
  return found
}

/** The mailbox refuses, by the link of a confirmation. */
export async function refuseMailbox(
  sql: Sql,
  args: { tokenHash: string; now: number },
): Promise<Confirmation> {
  const found = await useLink(sql, args)
  await suppressAddress(sql, { address: found.address, now: args.now })
  return found
}

async function useLink(sql: Sql, args: { tokenHash: string; now: number }): Promise<Confirmation> {
  const found = await confirmationBy(sql, args)
  const used = await sql.run(
    'UPDATE mail_confirmations SET used_at = ? WHERE id = ? AND used_at IS NULL',
    [args.now, found.id],
  )
  if (used === 0) throw new NoSuchConfirmation()
  return found
}

/** No alert of any account goes there any more, and what is on its way is given up. */
export async function suppressAddress(
  sql: Sql,
  { address, now }: { address: string; now: number },
): Promise<void> {
  await sql.insertMany({
    table: 'mail_suppressions',
    columns: ['address', 'suppressed_at'],
    rows: [[address, now]],
    onConflict: 'ignore',
  })
  await sql.run('DELETE FROM mail_consents WHERE address = ?', [address])
  await sql.run(
    'UPDATE mail_confirmations SET try_at = NULL, expires_at = 0 WHERE address = ? AND used_at IS NULL',
    [address],
  )
  const rules = `(SELECT id FROM alert_rules WHERE channel = 'email' AND LOWER(target) = ?)`
  await sql.run(
    `DELETE FROM alerts WHERE rule_id IN ${rules} AND delivery_id IS NULL AND due_at IS NOT NULL`,
    [address],
  )
  await sql.run(
    `UPDATE alert_deliveries SET state = 'failed', next_try_at = NULL, fence = fence + 1,
       problem = 'its receiver wants no more alerts' WHERE rule_id IN ${rules} AND next_try_at IS NOT NULL`,
    [address],
  )
  await sql.run(
    `UPDATE alert_rules SET is_active = 0, unsubscribed_at = ?
     WHERE channel = 'email' AND LOWER(target) = ? AND is_active = 1`,
    [now, address],
  )
}

const LISTED_MAX = 1_000

/** The last of them first. */
export function listSuppressions(sql: Sql): Promise<SuppressedAddress[]> {
  return sql.all(
    `SELECT address, suppressed_at AS "suppressedAt" FROM mail_suppressions
     ORDER BY suppressed_at DESC, address LIMIT ?`,
    [LISTED_MAX],
  )
}

export async function pruneConfirmations(sql: Sql, { now }: { now: number }): Promise<void> {
  await sql.run('DELETE FROM mail_confirmations WHERE created_at < ?', [now - KEPT_MS])
}
