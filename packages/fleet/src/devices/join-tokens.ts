/** Join tokens: how a device is invited, once or for as long as the token holds. */
import type { Sql } from '@minga/store'
import { requireRoomForToken } from './owner-limits.ts'
import { NoSuchToken, TokenExpired, TokenRefused, TokenRevoked } from './device-errors.ts'

export interface EnsureStationTokenArgs {
  /** sha256 of the joinToken in station.json. */
  readonly hash: string
  readonly owner: string
  readonly now: number
}

/**
 * At every start: the token of station.json enrols the operator's own devices, any number of them.
 * One that was revoked stays so; the operator puts a new one into station.json.
 */
export async function ensureStationToken(
  sql: Sql,
  args: EnsureStationTokenArgs,
): Promise<{ isNew: boolean; id: string }> {
  const id = `join_${args.hash.slice(0, 20)}`
  const added = await sql.insertMany({
    table: 'join_tokens',
    columns: ['hash', 'id', 'owner', 'is_reusable', 'is_trusted', 'created_at'],
    rows: [[args.hash, id, args.owner, 1, 1, args.now]],
    onConflict: 'ignore',
  })
  return { isNew: added > 0, id }
}

export interface CreateJoinTokenArgs {
  readonly hash: string
  readonly id: string
  readonly owner: string
  readonly isReusable: boolean
  /** Devices of this token work unaudited: for the operator's own. */
  readonly isTrusted: boolean
  readonly expiresAt: number | null
  /** Unused tokens that one owner may have; operators any number. */
  readonly openMax: number
  readonly now: number
}

export async function createJoinToken(sql: Sql, args: CreateJoinTokenArgs): Promise<void> {
  const { hash, id, owner, expiresAt, now } = args
  await requireRoomForToken(sql, args)
  const flags = [args.isReusable ? 1 : 0, args.isTrusted ? 1 : 0]
  await sql.insertMany({
    table: 'join_tokens',
    columns: ['hash', 'id', 'owner', 'is_reusable', 'is_trusted', 'created_at', 'expires_at'],
    rows: [[hash, id, owner, ...flags, now, expiresAt]],
  })
}

/** Whose tokens or devices may be touched: one owner's, or (null, for the operator) anyone's. */
export type Owner = string | null

/** The devices that it enrolled stay; no further device can enrol with it. */
export async function revokeJoinToken(
  sql: Sql,
  args: { id: string; owner: Owner; now: number },
): Promise<void> {
  const changed = await sql.run(
    `UPDATE join_tokens SET revoked_at = CASE WHEN revoked_at IS NULL THEN ? ELSE revoked_at END
     WHERE id = ? AND (owner = ? OR CAST(? AS BIGINT) = 1)`,
    [args.now, args.id, args.owner, args.owner === null ? 1 : 0],
  )
  if (changed === 0) throw new NoSuchToken(args.id)
}

export interface JoinTokenView {
  readonly id: string
  readonly owner: string
  readonly isReusable: boolean
  readonly isTrusted: boolean
  readonly createdAt: number
  readonly expiresAt: number | null
  readonly usedAt: number | null
  readonly revokedAt: number | null
}

export async function listJoinTokens(sql: Sql, args: { owner: Owner }): Promise<JoinTokenView[]> {
  const rows = await sql.all<TokenRow>(
    `SELECT * FROM join_tokens WHERE owner = ? OR CAST(? AS BIGINT) = 1 ORDER BY created_at, id`,
    [args.owner, args.owner === null ? 1 : 0],
  )
  return rows.map((row) => ({
    id: row.id,
    owner: row.owner,
    isReusable: row.is_reusable === 1,
    isTrusted: row.is_trusted === 1,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    revokedAt: row.revoked_at,
  }))
}

export interface TokenRow {
  hash: string
  id: string
  owner: string
  is_reusable: number
  is_trusted: number
  created_at: number
  expires_at: number | null
  used_at: number | null
  used_by: string | null
  revoked_at: number | null
}

/** The token, locked until the end of the operation; whether it was used is the caller's question. */
export async function validToken(
  sql: Sql,
  { hash, now }: { hash: string; now: number },
): Promise<TokenRow> {
  // Two devices may show a one-time token at once: one of them waits and finds it used.
  const lock = sql.dialect === 'postgres' ? ' FOR UPDATE' : ''
  const token = await sql.get<TokenRow>(`SELECT * FROM join_tokens WHERE hash = ?${lock}`, [hash])
  if (!token) throw new TokenRefused()
  if (token.revoked_at !== null) throw new TokenRevoked()
  if (token.expires_at !== null && token.expires_at <= now) throw new TokenExpired(token.expires_at)
  return token
}
