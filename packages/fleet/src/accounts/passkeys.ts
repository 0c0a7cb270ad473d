/**
 * Passkeys as they are stored. A challenge is stored only when it was answered, so that requests
 * for challenges cannot fill a table.
 */
import type { PasskeyView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { NoSuchPasskey, PasskeyRefused, TooManyPasskeys } from './account-errors.ts'
import { readAccount } from './account-rows.ts'
import { openSession } from './sessions.ts'

const PASSKEYS_MOST = 20

interface AnsweredChallenge {
  /** SHA-256 of the challenge. */
  challenge: string
  challengeEndsAt: number
  now: number
}

export interface AddPasskeyArgs extends AnsweredChallenge {
  id: string
  accountId: string
  /** COSE, base64url. */
  publicKey: string
  counter: number
  transports: readonly string[]
  name: string
  isSynced: boolean
}

export async function addPasskey(sql: Sql, args: AddPasskeyArgs): Promise<PasskeyView> {
  const { id, accountId, name, isSynced, now } = args
  // Locked: two that are added together must not both be the last one.
  await readAccount(sql, accountId)
  await spendChallenge(sql, args)
  const passkeys = await listPasskeys(sql, { accountId })
  if (passkeys.length >= PASSKEYS_MOST) throw new TooManyPasskeys(PASSKEYS_MOST)
  const [isNew] = await sql.insertNew({
    table: 'account_passkeys',
    columns: [
      'id',
      'account_id',
      'public_key',
      'counter',
      'transports',
      'name',
      'is_synced',
      'created_at',
    ],
    keys: ['id'],
    rows: [
      [
        id,
        accountId,
        args.publicKey,
        args.counter,
        args.transports.join(' '),
        name,
        isSynced ? 1 : 0,
        now,
      ],
    ],
  })
  if (isNew !== true) throw new PasskeyRefused()
  return { id, name, isSynced, createdAt: now, usedAt: null }
}

/** Of two answers to one challenge, one counts. */
async function spendChallenge(sql: Sql, args: AnsweredChallenge): Promise<void> {
  await sql.run('DELETE FROM passkey_challenges WHERE expires_at <= ?', [args.now])
  const [isNew] = await sql.insertNew({
    table: 'passkey_challenges',
    columns: ['hash', 'expires_at'],
    keys: ['hash'],
    rows: [[args.challenge, args.challengeEndsAt]],
  })
  if (isNew !== true) throw new PasskeyRefused()
}

interface PasskeyRow {
  id: string
  name: string
  is_synced: number
  created_at: number
  used_at: number | null
}

/** Oldest first. */
export async function listPasskeys(sql: Sql, args: { accountId: string }): Promise<PasskeyView[]> {
  const rows = await sql.all<PasskeyRow>(
    `SELECT id, name, is_synced, created_at, used_at FROM account_passkeys
     WHERE account_id = ? ORDER BY created_at, id`,
    [args.accountId],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    isSynced: row.is_synced === 1,
    createdAt: row.created_at,
    usedAt: row.used_at,
  }))
}

export interface StoredPasskey {
  accountId: string
  publicKey: string
  counter: number
}

export async function readPasskey(sql: Sql, args: { id: string }): Promise<StoredPasskey | null> {
  const row = await sql.get<StoredPasskey>(
    `SELECT account_id AS "accountId", public_key AS "publicKey", counter
     FROM account_passkeys WHERE id = ?`,
    [args.id],
  )
  return row ?? null
}

export async function removePasskey(
  sql: Sql,
  args: { accountId: string; id: string },
): Promise<void> {
  const removed = await sql.run('DELETE FROM account_passkeys WHERE id = ? AND account_id = ?', [
    args.id,
    args.accountId,
  ])
  if (removed === 0) throw new NoSuchPasskey()
}

export interface PasskeySessionArgs extends AnsweredChallenge {
  id: string
  accountId: string
  /** What the device says that it has signed; a number that did not grow may be a copy of the device. */
  counter: number
  sessionHash: string
  expiresAt: number
  client: string | null
}

/** Checked and opened in one transaction: a passkey that was removed in the meantime opens nothing. */
export async function openPasskeySession(sql: Sql, args: PasskeySessionArgs): Promise<void> {
  const { id, accountId, counter, now } = args
  const account = await readAccount(sql, accountId)
  await spendChallenge(sql, args)
  const used = await sql.run(
    `UPDATE account_passkeys SET counter = ?, used_at = ?
     WHERE id = ? AND account_id = ? AND (counter < ? OR (counter = 0 AND ? = 0))`,
    [counter, now, id, accountId, counter, counter],
  )
  if (used === 0) throw new PasskeyRefused()
  const { sessionHash: hash, expiresAt, client } = args
  const passwordHash = account.password_hash
  await openSession(sql, { hash, accountId, passwordHash, now, expiresAt, client })
}
