/** What the page asks about people: who calls, logging in and out, accounts, keys. */
import { isRefusal } from './call.ts'
import type { Operations, Account } from './station-api.ts'
import { station } from './station.ts'
import { forgetKey, forgetPageToken, isStranger, keepPageToken, readKey } from './key.ts'

/** Who calls, and what they may do. */
export type Me = Operations['GET /me']['answer']

/** The page speaks those of the station. */
type Language = NonNullable<Operations['POST /me/email']['body']['language']>

export interface Login {
  name: string
  password: string
  /** Of the second factor, when the station has said that it wants one. */
  code?: string
}

/**
 * Null for a visitor whom the station does not know. It is not asked about one who shows nothing: the
 * answer would be an error that every visitor sees in their browser's console.
 */
export async function readMe(): Promise<Me | null> {
  if (isStranger()) return null
  try {
    return await station('GET /me')
  } catch (error) {
    // The session has ended, or the key was revoked.
    if (!isRefusal(error as Error)) throw error
    forgetLogin()
    return null
  }
}

/** Whose key this is, without using it for anything else; null for a key that the station does not know. */
export async function findKeyHolder(key: string): Promise<Me | null> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch('/api/me', { headers, credentials: 'omit' })
  if (response.ok) return (await response.json()) as Me
  // A body that is not read keeps its connection.
  await response.body?.cancel()
  if (response.status === 401) return null
  throw new Error(`${response.status} ${response.statusText}`)
}

export async function logIn(login: Login): Promise<void> {
  const opened = await station('POST /sessions', { body: login })
  forgetKey()
  if ('pageToken' in opened) keepPageToken(opened.pageToken)
}

export async function register(login: Omit<Login, 'code'>): Promise<void> {
  await station('POST /accounts', { body: login })
  await logIn(login)
}

/** A tab that only holds the operator's key has no session to end. */
export async function logOut(everywhere: boolean): Promise<void> {
  if (readKey() === null) await station('DELETE /sessions', { query: { everywhere } })
  forgetLogin()
}

export function forgetLogin(): void {
  forgetKey()
  forgetPageToken()
}

export const requestEmail = (wanted: {
  email: string
  password: string
  language: string
}): Promise<object> =>
  station('POST /me/email', { body: { ...wanted, language: wanted.language as Language } })

export const requestReset = (wanted: { account: string; language: string }): Promise<object> =>
  station('POST /resets/by-mail', {
    body: { account: wanted.account, language: wanted.language as Language },
  })

export async function deleteOwnAccount(shown: { password: string; code?: string }): Promise<void> {
  await station('POST /me/deletion', { body: shown })
  forgetLogin()
}

/** Both come from lists that the station itself has sent. */
type Role = Operations['POST /accounts/{id}/roles']['body']['roles'][number]
type Scope = NonNullable<Operations['POST /keys']['body']['scopes']>[number]

export const makeAccount = (name: string, roles: string[]): Promise<Account> =>
  station('POST /accounts', { body: { name, roles: roles as Role[] } })

export const setRoles = (id: string, roles: string[]): Promise<Account> =>
  station('POST /accounts/{id}/roles', { params: { id }, body: { roles: roles as Role[] } })

export interface NewKey {
  name: string
  scopes: string[] | null
  lifetimeS: number | null
}

/** The secret is returned only this once. */
export type MadeKey = Operations['POST /keys']['answer']

export const makeKey = (key: NewKey): Promise<MadeKey> =>
  station('POST /keys', { body: { ...key, scopes: key.scopes as Scope[] | null } })
