/**
 * Names to addresses, asked once and remembered. The fetcher never resolves: the planner of a
 * request resolves here, guards the address, and passes exactly that address on, so that the
 * politeness clock of a machine and the machine that is dialled are the same.
 */
import { promises as dns } from 'node:dns'
import { isIP } from 'node:net'
import type { Clock } from '@minga/protocol'
import { InvalidResolveOverride } from './resolver-errors.ts'

export type Resolution =
  | { ok: true; addresses: string[] }
  | { ok: false; code: 'MINGA_DNS_NOT_FOUND' | 'MINGA_DNS_FAILED'; message: string }

export type Lookup = (hostname: string) => Promise<string[]>

export interface ResolverOptions {
  clock: Clock
  lookup?: Lookup
  ttlMs?: number
  maxEntries?: number
  /** Like curl's --resolve: `a.test=127.0.0.1`, `*.test=::1`, several addresses separated by commas. */
  overrides?: readonly string[]
}

export interface ResolveOptions {
  /** Asks again whatever is remembered; later callers share what came back. */
  isFresh?: boolean
}

export interface Resolver {
  resolve(hostname: string, signal?: AbortSignal, options?: ResolveOptions): Promise<Resolution>
}

/** The usual TTL of a CDN. The system's resolver hides real TTLs; too long dials machines that moved. */
const POSITIVE_TTL_MS = 5 * 60_000
/** Long enough that a broken name is not asked for by every URL, short enough to notice a repair. */
const NEGATIVE_TTL_MS = 30_000
/** About 20 MB of memory; beyond it the names used longest ago are asked again. */
const ENTRIES_MAX = 100_000

interface Entry {
  resolution: Resolution
  expiresAtMs: number
}

export function createResolver(options: ResolverOptions): Resolver {
  const {
    clock,
    lookup = systemLookup,
    ttlMs = POSITIVE_TTL_MS,
    maxEntries = ENTRIES_MAX,
  } = options
  const overrides = parseOverrides(options.overrides ?? [])
  // A Map iterates in insertion order: re-inserting on use keeps the least recently used first.
  const known = new Map<string, Entry>()
  const underway = new Map<string, Promise<Resolution>>()

  const recall = (name: string): Resolution | null => {
    const entry = known.get(name)
    if (entry === undefined) return null
    known.delete(name)
    if (entry.expiresAtMs <= clock.monotonicMs()) return null
    known.set(name, entry)
    return entry.resolution
  }

  const ask = async (name: string): Promise<Resolution> => {
    const resolution = await answerOf(lookup, name)
    const lifeMs = resolution.ok ? ttlMs : Math.min(ttlMs, NEGATIVE_TTL_MS)
    known.set(name, { resolution, expiresAtMs: clock.monotonicMs() + lifeMs })
    if (known.size > maxEntries) known.delete(known.keys().next().value as string)
    underway.delete(name)
    return resolution
  }

  const resolve: Resolver['resolve'] = async (hostname, signal, { isFresh = false } = {}) => {
    const name = plainName(hostname)
    if (isIP(name) !== 0) return { ok: true, addresses: [name] }
    const fixed = overrides.find(name)
    if (fixed !== null) return { ok: true, addresses: [...fixed] }
    const remembered = isFresh ? null : recall(name)
    if (remembered !== null) return copyOf(remembered)
    let pending = underway.get(name)
    if (pending === undefined) {
      pending = ask(name)
      underway.set(name, pending)
    }
    return copyOf(await (signal === undefined ? pending : orAborted(pending, signal, name)))
  }
  return { resolve }
}

/** Callers may sort or trim their list without changing what others get. */
function copyOf(resolution: Resolution): Resolution {
  return resolution.ok ? { ok: true, addresses: [...resolution.addresses] } : resolution
}

/** Lower case, no root dot, no brackets around IPv6: one name, one entry. */
function plainName(hostname: string): string {
  const name = hostname.toLowerCase()
  if (name.startsWith('[') && name.endsWith(']')) return name.slice(1, -1)
  return name.endsWith('.') ? name.slice(0, -1) : name
}

async function systemLookup(hostname: string): Promise<string[]> {
  const found = await dns.lookup(hostname, { all: true, order: 'verbatim' })
  return found.map((entry) => entry.address)
}

const NOT_FOUND = new Set([
  'ENOTFOUND',
  'ENODATA',
  'EAI_NONAME',
  'EAI_NODATA',
  'ERR_INVALID_ARG_VALUE',
])

async function answerOf(lookup: Lookup, name: string): Promise<Resolution> {
  // The longest name DNS can carry; longer ones make some system resolvers fail for good.
  if (name === '' || name.length > 253) {
    return {
      ok: false,
      code: 'MINGA_DNS_NOT_FOUND',
      message: `"${name.slice(0, 80)}" is not a host name.`,
    }
  }
  try {
    const addresses = [...new Set(await lookup(name))]
    if (addresses.length > 0) return { ok: true, addresses }
    return { ok: false, code: 'MINGA_DNS_NOT_FOUND', message: `${name} has no address.` }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
    if (NOT_FOUND.has(code)) {
      return {
        ok: false,
        code: 'MINGA_DNS_NOT_FOUND',
        message: `There is no host named ${name} (${code}).`,
      }
    }
    return {
      ok: false,
      code: 'MINGA_DNS_FAILED',
      message: `Looking up ${name} failed (${code}); try again later.`,
    }
  }
}

/** Only this caller stops waiting: the look-up continues for the others and for the cache. */
function orAborted(
  pending: Promise<Resolution>,
  signal: AbortSignal,
  name: string,
): Promise<Resolution> {
  return new Promise((resolve) => {
    const finish = (resolution: Resolution): void => {
      signal.removeEventListener('abort', stop)
      resolve(resolution)
    }
    const stop = (): void =>
      finish({ ok: false, code: 'MINGA_DNS_FAILED', message: `Looking up ${name} was cancelled.` })
    if (signal.aborted) return stop()
    signal.addEventListener('abort', stop, { once: true })
    void pending.then(finish)
  })
}

export interface Overrides {
  find(name: string): readonly string[] | null
}

/** Exact names win over wildcards, the longest wildcard over shorter ones. `*.a.test` is not `a.test`. */
export function parseOverrides(list: readonly string[]): Overrides {
  const exact = new Map<string, string[]>()
  const bySuffix = new Map<string, string[]>()
  for (const text of list) {
    const { pattern, addresses } = parseOverride(text)
    if (pattern.startsWith('*.')) bySuffix.set(pattern.slice(1), addresses)
    else exact.set(pattern, addresses)
  }
  const find = (name: string): readonly string[] | null => {
    const hit = exact.get(name)
    if (hit !== undefined) return hit
    if (bySuffix.size === 0) return null
    for (let dot = name.indexOf('.'); dot !== -1; dot = name.indexOf('.', dot + 1)) {
      const wild = bySuffix.get(name.slice(dot))
      if (wild !== undefined && dot > 0) return wild
    }
    return null
  }
  return { find }
}

function parseOverride(text: string): { pattern: string; addresses: string[] } {
  const equals = text.indexOf('=')
  if (equals === -1) throw new InvalidResolveOverride(text, 'there is no "="')
  const pattern = plainName(text.slice(0, equals).trim())
  if (!/^(\*\.)?[^\s*.=]+(\.[^\s*.=]+)*$/.test(pattern)) {
    throw new InvalidResolveOverride(
      text,
      'the left side is neither a host name nor "*." and a host name',
    )
  }
  const addresses = text
    .slice(equals + 1)
    .split(',')
    .map((address) => plainName(address.trim()))
  const wrong = addresses.find((address) => isIP(address) === 0)
  if (wrong !== undefined) throw new InvalidResolveOverride(text, `"${wrong}" is not an IP address`)
  return { pattern, addresses }
}
