/** Identities at an OpenID Connect issuer, by which people log in. They belong to an account by issuer and subject alone. */
import { createHash } from 'node:crypto'
import type { IdentityView } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { IdentityTaken, NameTaken, NoSuchIdentity, UnknownIdentity } from './account-errors.ts'
import { readAccount, registerAccount } from './account-rows.ts'
import type { Role } from './permissions.ts'
import { openSession } from './sessions.ts'

export interface Identity {
  issuer: string
  subject: string
}

function identityId({ issuer, subject }: Identity): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex')
}

async function insertIdentity(
  sql: Sql,
  args: Identity & { accountId: string; now: number },
): Promise<boolean> {
  const { issuer, subject, accountId, now } = args
  const [isNew] = await sql.insertNew({
    table: 'account_identities',
    columns: ['id', 'issuer', 'subject', 'account_id', 'created_at'],
    keys: ['id'],
    rows: [[identityId(args), issuer, subject, accountId, now]],
  })
  return isNew === true
}

/** The account of this identity may have more of them; the identity has one account. */
export async function linkIdentity(
  sql: Sql,
  args: Identity & { accountId: string; now: number },
): Promise<void> {
  await readAccount(sql, args.accountId)
  if (!(await insertIdentity(sql, args))) throw new IdentityTaken()
}

export interface RegisterIdentityArgs extends Identity {
  id: string
  /** What the account may be called, the best first; the first that is free is taken. */
  names: readonly string[]
  roles: readonly Role[]
  now: number
}

/** A name that is taken leads to another name, never to the account that has it. False when the identity is known. */
export async function registerIdentity(sql: Sql, args: RegisterIdentityArgs): Promise<boolean> {
  const { id, roles, now } = args
  if (!(await insertIdentity(sql, { ...args, accountId: id }))) return false
  for (const name of args.names) {
    try {
      await registerAccount(sql, { id, name, passwordHash: null, roles, now })
      return true
    } catch (error) {
      if (!(error instanceof NameTaken)) throw error
    }
  }
  throw new NameTaken(args.names.at(-1) ?? '')
}

export interface IdentitySessionArgs extends Identity {
  sessionHash: string
  now: number
  expiresAt: number
  client: string | null
}

export async function openIdentitySession(
  sql: Sql,
  args: IdentitySessionArgs,
): Promise<{ accountId: string }> {
  const id = identityId(args)
  const row = await sql.get<{ account_id: string }>(
    'SELECT account_id FROM account_identities WHERE id = ?',
    [id],
  )
  if (row === undefined) throw new UnknownIdentity()
  const { sessionHash: hash, now, expiresAt, client } = args
  const { id: accountId, password_hash: passwordHash } = await readAccount(sql, row.account_id)
  await sql.run('UPDATE account_identities SET used_at = ? WHERE id = ?', [now, id])
  await openSession(sql, { hash, accountId, passwordHash, now, expiresAt, client })
  return { accountId }
}

/** Oldest first. */
export function listIdentities(sql: Sql, args: { accountId: string }): Promise<IdentityView[]> {
  return sql.all<IdentityView>(
    `SELECT id, issuer, created_at AS "createdAt", used_at AS "usedAt" FROM account_identities
     WHERE account_id = ? ORDER BY created_at, id`,
    [args.accountId],
  )
}

export async function unlinkIdentity(
  sql: Sql,
  args: { accountId: string; id: string },
): Promise<void> {
  const removed = await sql.run('DELETE FROM account_identities WHERE id = ? AND account_id = ?', [
    args.id,
    args.accountId,
  ])
  if (removed === 0) throw new NoSuchIdentity()
}
