/**
 * The key that lets this page write. It arrives once, behind the # of an address that its
 * owner types (browsers never send that part), or by hand, and stays in this tab: not in cookies, which would
 * travel with every request, nor in localStorage, which outlives the visit.
 */
const STORED_AS = 'minga:key'

/** Takes the key out of the address bar, so that nobody copies it along with the address. Answers whether there was one. */
export function takeKeyFromAddress(): boolean {
  const key = keyIn(location.hash)
  if (key === null) return false
  keepKey(key)
  history.replaceState(history.state, '', location.pathname + location.search)
  return true
}

/** Takes the token of a sign-in link out of the address bar; it is worth nothing after its first use. */
export function takeSignInFromAddress(): string | null {
  const token = new URLSearchParams(location.hash.replace(/^#/, '')).get('sign-in')
  if (token === null || !/^[\w-]{16,200}$/.test(token)) return null
  history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

/** Exchanges the link for a session. One that is used or old changes nothing: the page says what its reader may do. */
export async function signInByLink(token: string): Promise<boolean> {
  const response = await fetch('/api/sessions/by-link', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  }).catch(() => null)
  if (response?.ok !== true) return false
  const { pageToken } = (await response.json()) as { pageToken: string }
  forgetKey()
  keepPageToken(pageToken)
  return true
}

export function keepKey(key: string): void {
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

/** After somebody signed in or out: the page is theirs from then on, not the key's. */
export function forgetKey(): void {
  sessionStorage.removeItem(STORED_AS)
}

/**
 * What makes the session's cookie count: this page got it when somebody logged in, and only scripts
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
