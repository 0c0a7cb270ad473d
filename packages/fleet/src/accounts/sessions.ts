/** Sessions of people who logged in, and the links by which they get back in. */
import type { SessionView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { BadLogin, NoSuchSession, ResetInvalid } from './account-errors.ts'
import { revokeKeys } from './keys.ts'
import { findNamedAccount, readAccount, writePassword } from './account-rows.ts'

/** Open sessions of one account; the oldest end when there are more. */
const SESSIONS_MOST = 50

export interface OpenSessionArgs {
  /** SHA-256 of the session's token. */
  hash: string
  accountId: string
  /** The hash that the password was checked against; null of an account without a password. */
  passwordHash: string | null
  now: number
  expiresAt: number
  /** The browser as it names itself. */
  client?: string | null
}

export async function openSession(sql: Sql, args: OpenSessionArgs): Promise<void> {
  const { hash, accountId, now } = args
  const account = await readAccount(sql, accountId)
  // Checking takes a while; a password that was changed in the meantime opens nothing any more.
  if (account.password_hash !== args.passwordHash) throw new BadLogin()
  await sql.run('DELETE FROM account_sessions WHERE expires_at <= ?', [now])
  await sql.insertMany({
    table: 'account_sessions',
    columns: ['hash', 'account_id', 'created_at', 'expires_at', 'client', 'seen_at'],
    rows: [[hash, accountId, now, args.expiresAt, args.client ?? null, now]],
  })
  await sql.run(
    `DELETE FROM account_sessions WHERE account_id = ? AND hash NOT IN (
       SELECT hash FROM account_sessions WHERE account_id = ?
       ORDER BY created_at DESC, hash LIMIT ${SESSIONS_MOST})`,
    [accountId, accountId],
  )
}

export async function closeSession(sql: Sql, args: { hash: string }): Promise<void> {
  await sql.run('DELETE FROM account_sessions WHERE hash = ?', [args.hash])
}

/** All of an account, but for the one that is to stay. */
export async function closeSessions(
  sql: Sql,
  args: { accountId: string; keep?: string },
): Promise<void> {
  await sql.run('DELETE FROM account_sessions WHERE account_id = ? AND hash <> ?', [
    args.accountId,
    args.keep ?? '',
  ])
}

/** Of the digest of a secret of 256 bits: enough to tell fifty apart. */
const ID_CHARS = 16

/** Last seen first. */
export async function listSessions(
  sql: Sql,
  args: { accountId: string; own: string | null; now: number; idleMs?: number | null },
): Promise<SessionView[]> {
  const idleMs = args.idleMs ?? null
  const rows = await sql.all<Omit<SessionView, 'id' | 'isThis'> & { hash: string }>(
    `SELECT hash, client, created_at AS "createdAt", seen_at AS "seenAt", expires_at AS "expiresAt"
     FROM account_sessions
     WHERE account_id = ? AND expires_at > ? AND COALESCE(seen_at, created_at) > ?
     ORDER BY COALESCE(seen_at, created_at) DESC, hash`,
    [args.accountId, args.now, idleMs === null ? -1 : args.now - idleMs],
  )
  return rows.map(({ hash, ...row }) => {
    return { id: hash.slice(0, ID_CHARS), ...row, isThis: hash === args.own }
  })
}

/** One of an account's own, by the id that its list shows. */
export async function closeSessionNamed(
  sql: Sql,
  args: { accountId: string; id: string },
): Promise<void> {
  const closed = await sql.run(
    `DELETE FROM account_sessions WHERE account_id = ? AND substr(hash, 1, ${ID_CHARS}) = ?`,
    [args.accountId, args.id],
  )
  if (closed === 0) throw new NoSuchSession(args.id)
}

export interface CreateResetArgs {
  /** SHA-256 of the token in the link. */
  hash: string
  /** Id or name. */
  account: string
  madeBy: string
  now: number
  expiresAt: number
}

/** Only the newest link of an account opens it. */
export async function createReset(
  sql: Sql,
  args: CreateResetArgs,
): Promise<{ accountId: string; name: string }> {
  const account = await findNamedAccount(sql, args)
  await sql.run('DELETE FROM account_resets WHERE account_id = ?', [account.id])
  await sql.insertMany({
    table: 'account_resets',
    columns: ['hash', 'account_id', 'made_by', 'created_at', 'expires_at'],
    rows: [[args.hash, account.id, args.madeBy, args.now, args.expiresAt]],
  })
  return { accountId: account.id, name: account.name }
}

/** A look before the new password is hashed, which costs too much to do for strangers. */
export async function findReset(
  sql: Sql,
  args: { hash: string; now: number },
): Promise<{ accountId: string; name: string }> {
  const row = await sql.get<{ account_id: string; name: string }>(
    `SELECT r.account_id, a.name FROM account_resets r JOIN accounts a ON a.id = r.account_id
     WHERE r.hash = ? AND r.used_at IS NULL AND r.expires_at > ?`,
    [args.hash, args.now],
  )
  if (row === undefined) throw new ResetInvalid()
  return { accountId: row.account_id, name: row.name }
}

export interface ConsumeResetArgs {
  hash: string
  passwordHash: string
  now: number
}

/** The update is the claim: of two that come with the same token, one changes the row. */
export async function consumeReset(
  sql: Sql,
  args: ConsumeResetArgs,
): Promise<{ accountId: string }> {
  const claimed = await sql.run(
    `UPDATE account_resets SET used_at = ?
     WHERE hash = ? AND used_at IS NULL AND expires_at > ?`,
    [args.now, args.hash, args.now],
  )
  if (claimed === 0) throw new ResetInvalid()
  const row = await sql.get<{ account_id: string }>(
    'SELECT account_id FROM account_resets WHERE hash = ?',
    [args.hash],
  )
  const accountId = row!.account_id
  // Linked with the former password. An account without one has no other way in, and keeps it.
  await sql.run(
    `DELETE FROM account_identities WHERE account_id = ?
       AND EXISTS (SELECT 1 FROM accounts WHERE id = ? AND password_hash IS NOT NULL)`,
    [accountId, accountId],
  )
  await writePassword(sql, { id: accountId, hash: args.passwordHash, now: args.now })
  // An intruder who made the reset necessary may still be logged in, or have made a key or passkey.
  await closeSessions(sql, { accountId })
  await revokeKeys(sql, { accountId, now: args.now })
  await sql.run('DELETE FROM account_passkeys WHERE account_id = ?', [accountId])
  return { accountId }
}

export interface ChangePasswordArgs {
  id: string
  /** The hash that the old password was checked against. */
  from: string
  to: string
  /** The session that stays open, by its hash; all others end. */
  keepSession: string | null
  now: number
}

export async function changePassword(sql: Sql, args: ChangePasswordArgs): Promise<void> {
  const account = await readAccount(sql, args.id)
  // The password has changed in the meantime: a caller who knows only the previous one may not
  // overwrite it.
  if (account.password_hash !== args.from) throw new BadLogin()
  await writePassword(sql, { id: args.id, hash: args.to, now: args.now })
  await sql.run('DELETE FROM account_sessions WHERE account_id = ? AND hash <> ?', [
    args.id,
    args.keepSession ?? '',
  ])
  // A stolen session may have made keys to outlast itself.
  await revokeKeys(sql, { accountId: args.id, now: args.now })
}

/** The password was shown again: for a while this session may do what takes that. */
export async function confirmSession(
  sql: Sql,
  args: { hash: string; passwordHash: string; now: number },
): Promise<void> {
  const confirmed = await sql.run(
    `UPDATE account_sessions SET confirmed_at = ? WHERE hash = ?
     AND account_id IN (SELECT id FROM accounts WHERE password_hash = ?)`,
    [args.now, args.hash, args.passwordHash],
  )
  if (confirmed === 0) throw new BadLogin()
}

/** When the password, or whatever opened the session, was last shown; null when there is no such session. */
export async function sessionConfirmedAt(sql: Sql, args: { hash: string }): Promise<number | null> {
  const row = await sql.get<{ at: number }>(
    'SELECT COALESCE(confirmed_at, created_at) AS at FROM account_sessions WHERE hash = ?',
    [args.hash],
  )
  return row?.at ?? null
}
