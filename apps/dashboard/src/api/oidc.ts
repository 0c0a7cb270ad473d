/** Log-ins by the issuer that the operator named: there and back, with what the station needs again kept in this tab. */
import { forgetKey, keepPageToken } from './key.ts'
import { station } from './station.ts'

const STORED_AS = 'minga:oidc'

type Purpose = 'log-in' | 'link'

interface Pending {
  flow: string
  purpose: Purpose
}

export async function beginOidc(): Promise<void> {
  leaveFor(await station('POST /sessions/oidc-begin', { body: {} }), 'log-in')
}

export async function beginLink(password: string): Promise<void> {
  leaveFor(await station('POST /me/identities/begin', { body: { password } }), 'link')
}

function leaveFor({ url, flow }: { url: string; flow: string }, purpose: Purpose): void {
  sessionStorage.setItem(STORED_AS, JSON.stringify({ flow, purpose } satisfies Pending))
  location.assign(url)
}

/** What the issuer answered, out of the address bar, and what waits for it; null when nothing does. */
export function takeOidcAnswer(): (Pending & { query: string }) | null {
  const query = location.search
  history.replaceState(history.state, '', location.pathname)
  const stored = sessionStorage.getItem(STORED_AS)
  sessionStorage.removeItem(STORED_AS)
  return stored === null || query === '' ? null : { ...(JSON.parse(stored) as Pending), query }
}

export async function finishOidc({
  flow,
  purpose,
  query,
}: Pending & { query: string }): Promise<void> {
  if (purpose === 'link') {
    await station('POST /me/identities', { body: { flow, query } })
    return
  }
  const { pageToken } = await station('POST /sessions/by-oidc', { body: { flow, query } })
  forgetKey()
  keepPageToken(pageToken)
}
