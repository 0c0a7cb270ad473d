/** What the page asks about people: who calls, logging in and out, accounts, keys. */
import type { SortedPage } from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import type {
  AccountView,
  KeyView,
  LogInOptions,
  Me,
  SecondFactorView,
  SessionView,
} from './api-types.ts'
import { isRefusal } from './call.ts'
import type { Operations } from './station-api.ts'
import { station } from './station.ts'
import { forgetKey, forgetPageToken, isStranger, keepPageToken, readKey } from './key.ts'

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

/** For some minutes the station does what takes the password again. */
export const confirmPassword = (password: string): Promise<object> =>
  station('POST /sessions/confirm', { body: { password } })

/** A tab that only holds the operator's key has no session to end. */
export async function logOut(everywhere: boolean): Promise<void> {
  if (readKey() === null) await station('DELETE /sessions', { query: { everywhere } })
  forgetLogin()
}

export function forgetLogin(): void {
  forgetKey()
  forgetPageToken()
}

/** Last seen first. */
export const readSessions = (): Promise<SessionView[]> => station('GET /sessions')

export const endSession = (id: string): Promise<object> =>
  station('DELETE /sessions/{id}', { params: { id } })

export const endOtherSessions = (): Promise<object> =>
  station('DELETE /sessions', { query: { others: true } })

export const changePassword = (passwords: { current: string; next: string }): Promise<object> =>
  station('POST /me/password', { body: passwords })

export const setBoardName = (name: string | null): Promise<object> =>
  station('POST /me/board-name', { body: { name } })

export const applyReset = (reset: { token: string; password: string }): Promise<object> =>
  station('POST /resets/use', { body: reset })

/** How people may get in, besides name and password. */
export const readLogInOptions = (): Promise<LogInOptions> => station('GET /log-in-options')

export const requestEmail = (wanted: {
  email: string
  password: string
  language: string
}): Promise<object> =>
  station('POST /me/email', { body: { ...wanted, language: wanted.language as Language } })

export const removeEmail = (): Promise<object> => station('DELETE /me/email')

export const confirmEmail = (token: string): Promise<{ name: string; email: string }> =>
  station('POST /email/confirm', { body: { token } })

export const requestReset = (wanted: { account: string; language: string }): Promise<object> =>
  station('POST /resets/by-mail', {
    body: { account: wanted.account, language: wanted.language as Language },
  })

export const readSecondFactor = (): Promise<SecondFactorView> => station('GET /me/second-factor')

export const beginSecondFactor = (password: string): Promise<{ secret: string; uri: string }> =>
  station('POST /me/second-factor', { body: { password } })

export const confirmSecondFactor = (code: string): Promise<{ recoveryCodes: string[] }> =>
  station('POST /me/second-factor/confirm', { body: { code } })

export const removeSecondFactor = (shown: { password: string; code: string }): Promise<object> =>
  station('POST /me/second-factor/remove', { body: shown })

export const resetSecondFactor = (account: string): Promise<object> =>
  station('DELETE /accounts/{id}/second-factor', { params: { id: account } })

export async function deleteOwnAccount(shown: { password: string; code?: string }): Promise<void> {
  await station('POST /me/deletion', { body: shown })
  forgetLogin()
}

/** By an operator. */
export const deleteAccount = (account: string): Promise<AccountView> =>
  station('DELETE /accounts/{id}', { params: { id: account } })

export const makeReset = (
  account: string,
): Promise<{ name: string; link: string; expiresAt: number }> =>
  station('POST /resets', { body: { account } })

export const findAccounts = (query: SortedQuery): Promise<SortedPage<AccountView>> =>
  station('GET /accounts/page', { query })

/** Both come from lists that the station itself has sent. */
type Role = Operations['POST /accounts/{id}/roles']['body']['roles'][number]
type Scope = NonNullable<Operations['POST /keys']['body']['scopes']>[number]

export const makeAccount = (name: string, roles: string[]): Promise<AccountView> =>
  station('POST /accounts', { body: { name, roles: roles as Role[] } })

export const setRoles = (id: string, roles: string[]): Promise<AccountView> =>
  station('POST /accounts/{id}/roles', { params: { id }, body: { roles: roles as Role[] } })

export const readKeys = (everybody: boolean): Promise<KeyView[]> =>
  station('GET /keys', { query: { everybody: everybody ? true : null } })

export interface NewKey {
  name: string
  scopes: string[] | null
  lifetimeS: number | null
}

/** The secret is returned only this once. */
export interface MadeKey {
  key: KeyView
  secret: string
}

export const makeKey = (key: NewKey): Promise<MadeKey> =>
  station('POST /keys', { body: { ...key, scopes: key.scopes as Scope[] | null } })

export const rotateKey = (id: string): Promise<MadeKey> =>
  station('POST /keys/{id}/rotate', { params: { id }, body: {} })

export const revokeKey = (id: string): Promise<KeyView> =>
  station('DELETE /keys/{id}', { params: { id } })
