/**
 * The key that lets this page write. It arrives once, behind the # of the address that `minga up`
 * prints (browsers never send that part), and stays in this tab: not in cookies, which would
 * travel with every request, nor in localStorage, which outlives the visit.
 */
const STORED_AS = 'minga:key'

/** Takes the key out of the address bar, so that nobody copies it along with the address. */
export function takeKeyFromAddress(): void {
  const key = keyIn(location.hash)
  if (key === null) return
  sessionStorage.setItem(STORED_AS, key)
  history.replaceState(history.state, '', location.pathname + location.search)
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
