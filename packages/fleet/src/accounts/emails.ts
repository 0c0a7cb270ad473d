/** E-mail addresses of accounts: stored when their owner has opened the link that was sent there, and not before. */
import type { Sql } from '@minga/store'
import { EmailLinkInvalid } from './account-errors.ts'
import { nameKey, readAccount } from './account-rows.ts'

/** Recorded instead of the account that made a reset link: this one was requested by mail. */
const BY_MAIL = 'mail'
/** Accounts with one address that get a mail together. */
const MAILED_MOST = 5

export interface EmailLinkArgs {
  /** SHA-256 of the token in the link. */
  hash: string
  accountId: string
  email: string
  expiresAt: number
}

/** Only the newest link of an account confirms. */
export async function saveEmailLink(sql: Sql, args: EmailLinkArgs): Promise<void> {
  await readAccount(sql, args.accountId)
  await sql.run('DELETE FROM account_email_links WHERE account_id = ?', [args.accountId])
  await sql.insertMany({
    table: 'account_email_links',
    columns: ['hash', 'account_id', 'email', 'expires_at'],
    rows: [[args.hash, args.accountId, args.email, args.expiresAt]],
  })
}

export interface MailedAccount {
  id: string
  name: string
  email: string
}

/** The deletion is the claim: of two that come with the same token, one confirms. */
export async function confirmEmail(
  sql: Sql,
  args: { hash: string; now: number },
): Promise<MailedAccount> {
  const link = await sql.get<{ account_id: string; email: string }>(
    'SELECT account_id, email FROM account_email_links WHERE hash = ? AND expires_at > ?',
    [args.hash, args.now],
  )
  const claimed = await sql.run('DELETE FROM account_email_links WHERE hash = ?', [args.hash])
  if (link === undefined || claimed === 0) throw new EmailLinkInvalid()
  const { account_id: id, email } = link
  const { name } = await readAccount(sql, id)
  await writeEmail(sql, { id, email })
  return { id, name, email }
}

export async function removeEmail(sql: Sql, args: { accountId: string }): Promise<void> {
  await sql.run('DELETE FROM account_email_links WHERE account_id = ?', [args.accountId])
  await writeEmail(sql, { id: args.accountId, email: null })
}

/** Links that were sent to the former address open nothing any more. */
async function writeEmail(sql: Sql, args: { id: string; email: string | null }): Promise<void> {
  await sql.run('DELETE FROM account_resets WHERE account_id = ? AND made_by = ?', [
    args.id,
    BY_MAIL,
  ])
  await sql.run('UPDATE accounts SET email = ?, email_key = ? WHERE id = ?', [
    args.email,
    args.email?.toLowerCase() ?? null,
    args.id,
  ])
}

export async function readEmail(sql: Sql, args: { accountId: string }): Promise<string | null> {
  const row = await sql.get<{ email: string | null }>('SELECT email FROM accounts WHERE id = ?', [
    args.accountId,
  ])
  return row?.email ?? null
}

/** Those with a confirmed address that have this name or this address. */
export function listMailedAccounts(sql: Sql, args: { account: string }): Promise<MailedAccount[]> {
  const key = nameKey(args.account)
  return sql.all<MailedAccount>(
    `SELECT id, name, email FROM accounts WHERE email IS NOT NULL AND (name_key = ? OR email_key = ?)
     ORDER BY created_at, id LIMIT ${MAILED_MOST}`,
    [key, key],
  )
}

export interface MailedResetArgs {
  hash: string
  accountId: string
  now: number
  expiresAt: number
}

/** A link of an operator stays: strangers may request mails, and must not end it. */
export async function createMailedReset(sql: Sql, args: MailedResetArgs): Promise<void> {
  await sql.run('DELETE FROM account_resets WHERE account_id = ? AND made_by = ?', [
    args.accountId,
    BY_MAIL,
  ])
  await sql.insertMany({
    table: 'account_resets',
    columns: ['hash', 'account_id', 'made_by', 'created_at', 'expires_at'],
    rows: [[args.hash, args.accountId, BY_MAIL, args.now, args.expiresAt]],
  })
}
