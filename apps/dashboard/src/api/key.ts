/**
 * The key that lets this page write. It arrives once, behind the # of an address that its
 * owner types (browsers never send that part), or manually, and stays in this tab: not in cookies, which would
 * travel with every request, nor in localStorage, which outlives the visit.
 */
const STORED_AS = 'minga:key'

/** What an address can bring: a key, or the token of a link that opens one session. */
export type AddressLogin = { key: string } | { token: string }

/**
 * Takes the key or the token out of the address bar, so that it is not copied along with the address. Anyone can write
 * such an address: a user who is signed in already is asked before it is used (auth/use-key.ts).
 */
export function takeLoginFromAddress(): AddressLogin | null {
  const login = loginIn(location.hash)
  if (login === null) return null
  history.replaceState(history.state, '', location.pathname + location.search)
  // A key that this tab has already changes nothing.
  return 'key' in login && login.key === readKey() ? null : login
}

function loginIn(fragment: string): AddressLogin | null {
  const key = keyIn(fragment)
  if (key !== null) return { key }
  const token = new URLSearchParams(fragment.replace(/^#/, '')).get('sign-in')
  return token !== null && /^[\w-]{16,200}$/.test(token) ? { token } : null
}

/** Answers whether it was taken; a key that the station does not know is noticed at the first call. */
export async function acceptLogin(login: AddressLogin): Promise<boolean> {
  if ('token' in login) return signInByLink(login.token)
  keepKey(login.key)
  return true
}

/** Exchanges the link for a session. One that is used or old changes nothing: the page says what its reader may do. */
async function signInByLink(token: string): Promise<boolean> {
  const response = await fetch('/api/sessions/by-link', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => null)
  if (response?.ok !== true) {
    // A body that is not read keeps its connection.
    await response?.body?.cancel()
    return false
  }
  const { pageToken } = (await response.json()) as { pageToken: string }
  forgetKey()
  keepPageToken(pageToken)
  return true
}

function keepKey(key: string): void {
  sessionStorage.setItem(STORED_AS, key)
}

/** What was pasted may be the whole address or the key alone. */
export function keyInText(text: string): string | null {
  const typed = text.trim()
  const hash = typed.indexOf('#')
  return keyIn(hash === -1 ? `#key=${typed}` : typed.slice(hash))
}

export function keyIn(fragment: string): string | null {
  const key = new URLSearchParams(fragment.replace(/^#/, '')).get('key')
  // The station's keys are base64url; anything else is not one, and must not reach a header.
  return key !== null && /^[\w-]{16,200}$/.test(key) ? key : null
}

export function readKey(): string | null {
  return sessionStorage.getItem(STORED_AS)
}

/** After a user signed in or out: the page is theirs from then on, not the key's. */
export function forgetKey(): void {
  sessionStorage.removeItem(STORED_AS)
}

/**
 * What makes the session's cookie count: this page got it when the user logged in, and only scripts
 * of this very origin can read it. The cookie alone, which a browser sends for other pages of this
 * machine too, is worth nothing; so is this without the cookie. All tabs share it, as they share the
 * cookie.
 */
const TOKEN_STORED_AS = 'minga:page-token'

export function keepPageToken(token: string): void {
  localStorage.setItem(TOKEN_STORED_AS, token)
}

function readPageToken(): string | null {
  return localStorage.getItem(TOKEN_STORED_AS)
}

export function forgetPageToken(): void {
  localStorage.removeItem(TOKEN_STORED_AS)
}

/** Of whom the station knows nothing: to ask it who they are would be an error in their browser's console. */
export function isStranger(): boolean {
  return readKey() === null && readPageToken() === null
}

/** By which the station knows who calls, whatever is called; the cookie comes by itself. */
export function callerHeaders(): Record<string, string> {
  const [key, token] = [readKey(), readPageToken()]
  return {
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
    ...(token === null ? {} : { 'x-minga-token': token }),
  }
}
