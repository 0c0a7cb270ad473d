/** What the page asks about people: who calls, logging in and out, accounts, keys. */
import type { AccountView, KeyView, Me } from './api-types.ts'
import { call, isRefusal, queryOf } from './call.ts'
import { forgetKey, readKey } from './key.ts'

/**
 * Whether to ask who is logged in: the session's cookie is hidden from scripts, and a question
 * without one is answered with an error that every visitor would see in their browser's console.
 */
const HINT = 'minga:logged-in'

export interface Login {
  name: string
  password: string
}

/** Null for a visitor whom the station does not know. */
export async function readMe(): Promise<Me | null> {
  if (readKey() === null && localStorage.getItem(HINT) === null) return null
  try {
    return await call('GET', '/me')
  } catch (error) {
    // The session has ended, or the key was revoked.
    if (!isRefusal(error as Error)) throw error
    forgetLogin()
    return null
  }
}

export async function logIn(login: Login): Promise<void> {
  await call('POST', '/sessions', login)
  forgetKey()
  localStorage.setItem(HINT, 'yes')
}

export async function register(login: Login): Promise<void> {
  await call('POST', '/accounts', login)
  await logIn(login)
}

/** A tab that only holds the operator's key has no session to end. */
export async function logOut(everywhere: boolean): Promise<void> {
  if (readKey() === null) await call('DELETE', `/sessions${queryOf({ everywhere })}`)
  forgetLogin()
}

export function forgetLogin(): void {
  forgetKey()
  localStorage.removeItem(HINT)
}

export const changePassword = (passwords: { current: string; next: string }): Promise<object> =>
  call('POST', '/me/password', passwords)

export const setBoardName = (name: string | null): Promise<object> =>
  call('POST', '/me/board-name', { name })

export const applyReset = (reset: { token: string; password: string }): Promise<object> =>
  call('POST', '/resets/use', reset)

export const makeReset = (
  account: string,
): Promise<{ name: string; link: string; expiresAt: number }> =>
  call('POST', '/resets', { account })

/** Oldest first, after the account of this id. */
export const readAccounts = (after: string | null, limit: number): Promise<AccountView[]> =>
  call('GET', `/accounts${queryOf({ after, limit })}`)

export const makeAccount = (account: { name: string; roles: string[] }): Promise<AccountView> =>
  call('POST', '/accounts', account)

export const setRoles = (id: string, roles: string[]): Promise<AccountView> =>
  call('POST', `/accounts/${id}/roles`, { roles })

export const readKeys = (everybody: boolean): Promise<KeyView[]> =>
  call('GET', `/keys${queryOf({ everybody: everybody ? true : null })}`)

export interface NewKey {
  name: string
  scopes: string[] | null
  lifetimeS: number | null
}

/** The secret is told this once. */
export interface MadeKey {
  key: KeyView
  secret: string
}

export const makeKey = (key: NewKey): Promise<MadeKey> => call('POST', '/keys', key)

export const rotateKey = (id: string): Promise<MadeKey> => call('POST', `/keys/${id}/rotate`, {})

export const revokeKey = (id: string): Promise<KeyView> => call('DELETE', `/keys/${id}`)
