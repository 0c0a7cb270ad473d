/** TXT records of a name. They are asked for rarely and must be fresh, so nothing is remembered. */
import { promises as dns } from 'node:dns'

export type TxtAnswer =
  | { ok: true; records: string[] }
  | { ok: false; code: 'MINGA_DNS_FAILED'; message: string }

export type TxtLookup = (name: string) => Promise<TxtAnswer>

export interface TxtLookupOptions {
  /** `address` or `address:port`; those of the system if absent. */
  servers?: readonly string[]
  timeoutMs?: number
}

/** Two tries of this long: a user waits for the page. */
const TIMEOUT_MS = 2_000
const TRIES = 2
/** No record, or no such name: an answer, not a failure. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND'])

export function createTxtLookup({ servers, timeoutMs = TIMEOUT_MS }: TxtLookupOptions): TxtLookup {
  return async (name) => {
    const resolver = new dns.Resolver({ timeout: timeoutMs, tries: TRIES })
    if (servers !== undefined) resolver.setServers(servers)
    try {
      const records = await resolver.resolveTxt(name)
      return { ok: true, records: records.map((parts) => parts.join('')) }
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
      if (NOTHING.has(code)) return { ok: true, records: [] }
      const message = `Looking up the TXT records of ${name.slice(0, 255)} failed (${code}); try again later.`
      return { ok: false, code: 'MINGA_DNS_FAILED', message }
    }
  }
}
