/** API keys of programs: shown once, narrowed by scopes, replaced without a gap, revoked at once. */
import type { Sql } from '@minga/store'
import {
  BadScope,
  KeyExpired,
  KeyReplaced,
  KeyRevoked,
  NoSuchKey,
  TooManyKeys,
} from './account-errors.ts'
import { OPERATOR, readAccount } from './account-rows.ts'
import { isAction, type Action } from './permissions.ts'

export interface ApiKey {
  id: string
  accountId: string
  name: string
  /** Null: whatever the account may do. */
  scopes: Action[] | null
  createdAt: number
  expiresAt: number | null
  revokedAt: number | null
  replacedBy: string | null
  /** To the minute. */
  lastUsedAt: number | null
}

interface KeyRow {
  id: string
  account_id: string
  name: string
  scopes: string | null
  created_at: number
  expires_at: number | null
  revoked_at: number | null
  replaced_by: string | null
  last_used_at: number | null
  parent_id: string | null
}

const COLUMNS =
  'id, account_id, name, scopes, created_at, expires_at, revoked_at, replaced_by, last_used_at, parent_id'
/** Keys in use; enough for a program each, too few to fill a disk with. */
const KEYS_MOST = 100

export interface CreateKeyArgs {
  id: string
  /** SHA-256 of the key. */
  hash: string
  accountId: string
  name: string
  scopes: readonly Action[] | null
  expiresAt: number | null
  /** The key that makes it: when that one is revoked, this one is, too. */
  parentId?: string | null
  now: number
}

export async function createKey(sql: Sql, args: CreateKeyArgs): Promise<ApiKey> {
  // Locks the account: keys that are made together are counted together.
  await readAccount(sql, args.accountId)
  const inUse = await sql.get<{ n: number }>(
    `SELECT count(*) AS n FROM api_keys WHERE account_id = ? AND revoked_at IS NULL
     AND (expires_at IS NULL OR expires_at > ?)`,
    [args.accountId, args.now],
  )
  if (inUse!.n >= KEYS_MOST) throw new TooManyKeys(KEYS_MOST)
  return insertKey(sql, args)
}

async function insertKey(sql: Sql, args: CreateKeyArgs): Promise<ApiKey> {
  const { id, hash, accountId, name, expiresAt, now } = args
  await sql.insertMany({
    table: 'api_keys',
    columns: [
      'id',
      'account_id',
      'name',
      'hash',
      'scopes',
      'created_at',
      'expires_at',
      'parent_id',
    ],
    rows: [
      [
        id,
        accountId,
        name,
        hash,
        args.scopes?.join(' ') ?? null,
        now,
        expiresAt,
        args.parentId ?? null,
      ],
    ],
  })
  return keyOf(await readKey(sql, { id, owner: null }))
}

/** Newest first; owner null: of everyone. */
export async function listKeys(
  sql: Sql,
  args: { owner: string | null; limit: number },
): Promise<ApiKey[]> {
  const where = args.owner === null ? '' : 'WHERE account_id = ?'
  const rows = await sql.all<KeyRow>(
    `SELECT ${COLUMNS} FROM api_keys ${where} ORDER BY created_at DESC, id LIMIT ?`,
    [...(args.owner === null ? [] : [args.owner]), args.limit],
  )
  return rows.map(keyOf)
}

export interface RotateKeyArgs {
  id: string
  /** Whose key it must be; null: anyone's. */
  owner: string | null
  newId: string
  newHash: string
  /** How long the old one still opens, so that programs can be changed one after another. */
  graceMs: number
  /** What the caller may hand out; null: everything. */
  scopesWithin: readonly Action[] | null
  /** The key that the caller showed; a key may always replace itself. */
  shownKey: string | null
  /** When what the caller showed ends: a key that ends makes none that lasts longer, by no detour. */
  notAfter?: number
  now: number
}

/** The new one has the name, the scopes and, counted from now, the lifetime of the old one. */
export async function rotateKey(sql: Sql, args: RotateKeyArgs): Promise<ApiKey> {
  const { now } = args
  // Locked: two that rotate together must not make two successors.
  const old = await readKey(sql, args)
  requireUsable(old, now)
  if (old.replaced_by !== null) throw new KeyReplaced(old.id, old.replaced_by)
  const scopes = scopesOf(old.scopes)
  if (args.shownKey !== old.id) requireWithin(scopes, args.scopesWithin)
  const lifetimeMs = old.expires_at === null ? null : old.expires_at - old.created_at
  const key = await insertKey(sql, {
    id: args.newId,
    hash: args.newHash,
    accountId: old.account_id,
    name: old.name,
    scopes,
    expiresAt: earlier(lifetimeMs === null ? null : now + lifetimeMs, args.notAfter ?? Infinity),
    parentId: old.parent_id,
    now,
  })
  // What the old one made is not to end with it: it was replaced, not revoked.
  await sql.run('UPDATE api_keys SET parent_id = ? WHERE parent_id = ?', [key.id, old.id])
  await sql.run('UPDATE api_keys SET replaced_by = ?, expires_at = ? WHERE id = ?', [
    key.id,
    Math.min(old.expires_at ?? Infinity, now + args.graceMs),
    old.id,
  ])
  return key
}

function earlier(wanted: number | null, notAfter: number): number | null {
  const end = Math.min(wanted ?? Infinity, notAfter)
  return end >= Number.MAX_SAFE_INTEGER ? null : end
}

/** Else a key with few rights would fetch itself one with many. */
export function requireWithin(
  scopes: readonly Action[] | null,
  within: readonly Action[] | null,
): void {
  if (within === null) return
  const beyond = scopes === null ? ['all scopes'] : scopes.filter((one) => !within.includes(one))
  if (beyond.length > 0) throw new BadScope(beyond)
}

/** With all that it made, and they made; its revocation would change nothing for who has one of those. */
const WITH_CHILDREN = `WITH RECURSIVE family(id) AS (
    SELECT id FROM api_keys WHERE id = ?
    UNION SELECT k.id FROM api_keys k JOIN family f ON k.parent_id = f.id)`

/** For good; a second time changes nothing. */
export async function revokeKey(
  sql: Sql,
  args: { id: string; owner: string | null; now: number },
): Promise<ApiKey> {
  const key = await readKey(sql, args)
  const revokedAt = key.revoked_at ?? args.now
  await sql.run(
    `${WITH_CHILDREN} UPDATE api_keys SET revoked_at = ?
     WHERE revoked_at IS NULL AND id IN (SELECT id FROM family)`,
    [args.id, args.now],
  )
  return keyOf({ ...key, revoked_at: revokedAt })
}

/**
 * All keys of an account. The operator's key of station.json stays: a person who reads that file
 * has full access anyway.
 */
export async function revokeKeys(
  sql: Sql,
  args: { accountId: string; now: number },
): Promise<void> {
  await sql.run(
    `UPDATE api_keys SET revoked_at = ? WHERE account_id = ? AND revoked_at IS NULL
       AND NOT (account_id = ? AND id = 'key_' || substr(hash, 1, 20))`,
    [args.now, args.accountId, OPERATOR],
  )
}

async function readKey(sql: Sql, args: { id: string; owner: string | null }): Promise<KeyRow> {
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const key = await sql.get<KeyRow>(`SELECT ${COLUMNS} FROM api_keys WHERE id = ?${lock}`, [
    args.id,
  ])
  const isTheirs = args.owner === null || key?.account_id === args.owner
  // Another's key looks like none: ids of others are not to be found out.
  if (key === undefined || !isTheirs) throw new NoSuchKey(args.id)
  return key
}

export function requireUsable(
  key: Pick<KeyRow, 'id' | 'revoked_at' | 'expires_at' | 'replaced_by'>,
  now: number,
): void {
  if (key.revoked_at !== null) throw new KeyRevoked(key.id)
  if (key.expires_at !== null && key.expires_at <= now) {
    throw new KeyExpired(key.id, key.replaced_by)
  }
}

function keyOf(row: KeyRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    scopes: scopesOf(row.scopes),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    replacedBy: row.replaced_by,
    lastUsedAt: row.last_used_at,
  }
}

export function scopesOf(text: string | null): Action[] | null {
  return text === null ? null : text.split(' ').filter(isAction)
}
