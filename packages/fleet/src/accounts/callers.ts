/** Who shows this secret? */
import type { Sql } from '@minga/store'
import { rolesOf } from './account-rows.ts'
import { requireUsable, scopesOf } from './keys.ts'
import type { Action, Role } from './permissions.ts'

export interface Caller {
  accountId: string
  name: string
  roles: Role[]
  /** Null: whatever the roles allow. */
  scopes: Action[] | null
  /** How they showed it; a key by its id. */
  via: { kind: 'session'; hash: string } | { kind: 'key'; id: string }
  /** From then on the secret opens nothing. */
  expiresAt: number
}

/** A program calls many times a second; when it last did matters to the minute. */
const NOTE_USE_EVERY_MS = 60_000

export interface FindCallerArgs {
  hash: string
  now: number
  /** How long a session stays open without a request; null or absent: until it expires. */
  idleMs?: number | null
  /** False for a lookup of a credential that was presented long ago, which is no use of it. */
  isUse?: boolean
}

/** Null when no account has this secret; an error for a key that was revoked or has expired. */
export async function findCaller(sql: Sql, args: FindCallerArgs): Promise<Caller | null> {
  return (await sessionOf(sql, args)) ?? keyCaller(sql, args)
}

interface SessionOfAccount {
  id: string
  name: string
  roles: string
  expires_at: number
  created_at: number
  seen_at: number | null
}

async function sessionOf(
  sql: Sql,
  { hash, now, idleMs = null, isUse = true }: FindCallerArgs,
): Promise<Caller | null> {
  const row = await sql.get<SessionOfAccount>(
    `SELECT a.id, a.name, a.roles, s.expires_at, s.created_at, s.seen_at FROM account_sessions s
     JOIN accounts a ON a.id = s.account_id WHERE s.hash = ? AND s.expires_at > ?`,
    [hash, now],
  )
  if (row === undefined) return null
  if (idleMs !== null && (row.seen_at ?? row.created_at) + idleMs <= now) {
    // Deleted, so that a longer setting later does not open it again.
    await sql.run('DELETE FROM account_sessions WHERE hash = ?', [hash])
    return null
  }
  if (isUse && now - (row.seen_at ?? -Infinity) >= NOTE_USE_EVERY_MS) {
    await sql.run('UPDATE account_sessions SET seen_at = ? WHERE hash = ?', [now, hash])
  }
  return {
    accountId: row.id,
    name: row.name,
    roles: rolesOf(row.roles),
    scopes: null,
    via: { kind: 'session', hash },
    expiresAt: row.expires_at,
  }
}

interface KeyOfAccount {
  id: string
  account_id: string
  name: string
  roles: string
  scopes: string | null
  expires_at: number | null
  revoked_at: number | null
  replaced_by: string | null
  last_used_at: number | null
}

async function keyCaller(
  sql: Sql,
  { hash, now, isUse = true }: FindCallerArgs,
): Promise<Caller | null> {
  const key = await sql.get<KeyOfAccount>(
    `SELECT k.id, k.account_id, a.name, a.roles, k.scopes, k.expires_at, k.revoked_at,
            k.replaced_by, k.last_used_at
     FROM api_keys k JOIN accounts a ON a.id = k.account_id WHERE k.hash = ?`,
    [hash],
  )
  if (key === undefined) return null
  requireUsable(key, now)
  if (isUse && now - (key.last_used_at ?? -Infinity) >= NOTE_USE_EVERY_MS) {
    await sql.run('UPDATE api_keys SET last_used_at = ? WHERE id = ?', [now, key.id])
  }
  return {
    accountId: key.account_id,
    name: key.name,
    roles: rolesOf(key.roles),
    scopes: scopesOf(key.scopes),
    via: { kind: 'key', id: key.id },
    expiresAt: key.expires_at ?? Number.MAX_SAFE_INTEGER,
  }
}
