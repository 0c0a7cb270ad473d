/**
 * Links that sign in their first reader, once and within a quarter of an hour. `minga up` prints one in place of a key:
 * what ends up in a log or a screenshot is worth nothing soon after. They are tickets (download-tickets.ts) for no address.
 */
import { newSecret, openSession, secretHash, SignInLinkInvalid } from '@minga/fleet'
import type { Sql } from '@minga/store'
import { spendTicket } from './download-tickets.ts'

const SIGN_IN_MS = 15 * 60_000
/** In place of the address of a download; no address looks like it. */
export const SIGN_IN = 'sign-in'

interface NewSignIn {
  token: string
  expiresAt: number
  /** To be kept by the operation `keepTicket`. */
  ticket: { hash: string; credential: string; address: string; now: number; lifeMs: number }
}

/** `credential`: the hash of the key that makes it. */
export function newSignIn(credential: string, now: number): NewSignIn {
  const token = newSecret('ticket')
  const ticket = { hash: secretHash(token), credential, address: SIGN_IN, now, lifeMs: SIGN_IN_MS }
  return { token, expiresAt: now + SIGN_IN_MS, ticket }
}

/** The token goes behind the #, which browsers keep to themselves. */
export function signInAddress(url: string, token: string): string {
  return `${url}/#sign-in=${token}`
}

interface SignInArgs {
  /** SHA-256 of the token in the link. */
  hash: string
  /** SHA-256 of the token of the session that it opens. */
  sessionHash: string
  now: number
  expiresAt: number
  client: string | null
}

/** Of two that come with the same link, one opens a session. A session may do all that its account may: a key with fewer
 * rights, or one that has ended since, opens none. */
export async function signInByLink(sql: Sql, args: SignInArgs): Promise<{ accountId: string }> {
  const { hash, sessionHash, now, expiresAt, client } = args
  const credential = await spendTicket(sql, { hash, address: SIGN_IN, now })
  const row = await sql.get<{ id: string; password_hash: string | null }>(
    `SELECT a.id, a.password_hash FROM api_keys k JOIN accounts a ON a.id = k.account_id
     WHERE k.hash = ? AND k.scopes IS NULL AND k.revoked_at IS NULL
       AND (k.expires_at IS NULL OR k.expires_at > ?)`,
    [credential ?? '', now],
  )
  if (row === undefined) throw new SignInLinkInvalid()
  const opened = { hash: sessionHash, accountId: row.id, passwordHash: row.password_hash }
  await openSession(sql, { ...opened, now, expiresAt, client })
  return { accountId: row.id }
}
