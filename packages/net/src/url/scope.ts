import { canonicalUrl, hostKeyOf, pathAndQueryOf, registrableDomainOf } from './url.ts'
import { TooManyPatterns } from '../errors.ts'
import { compileUrlPattern, STORED_PLACES_MAX, type UrlPattern } from './url-pattern.ts'

/** Which URLs belong to a collection. */
export interface Scope {
  /**
   * `page`: the seeds alone; `prefix`: the seeds' folders and below; `host`: the seeds' hosts;
   * `domain`: every host of the seeds' registrable domains; `any`: the whole web.
   */
  kind: 'page' | 'prefix' | 'host' | 'domain' | 'any'
  seeds: string[]
  /** Regular expressions over the whole URL; when given, one of them must match. */
  include?: string[]
  /** Regular expressions over the whole URL; one match puts it out, whatever `include` says. */
  exclude?: string[]
}

export type ScopeTest = (url: string) => boolean

/** Of each list; collections of real sites have less than ten. */
const PATTERNS_MAX = 50

/** Throws `TooManyPatterns` or `BadPattern` for what may not become the scope of a collection. */
export function checkPatterns(scope: Pick<Scope, 'include' | 'exclude'>): void {
  for (const list of ['include', 'exclude'] as const) {
    const patterns = scope[list] ?? []
    if (patterns.length > PATTERNS_MAX) {
      throw new TooManyPatterns(list, patterns.length, PATTERNS_MAX)
    }
    for (const pattern of patterns) compileUrlPattern(pattern)
  }
}

/**
 * Compiles a scope once for many canonical URLs. Seeds that are no URL match nothing.
 * Throws `BadPattern` for a pattern that is malformed or could run for hours; what `checkPatterns`
 * refuses besides may be stored from before its limits, and is compiled.
 */
export function compileScope(scope: Scope): ScopeTest {
  const compile = (pattern: string): UrlPattern => compileUrlPattern(pattern, STORED_PLACES_MAX)
  const include = (scope.include ?? []).map(compile)
  const exclude = (scope.exclude ?? []).map(compile)
  const seeds = scope.seeds.map((seed) => canonicalUrl(seed)).filter((seed) => seed !== null)
  const reaches = reachOf(scope.kind, seeds)
  return (url) => {
    if (!url.startsWith('http://') && !url.startsWith('https://')) return false
    if (!reaches(url)) return false
    if (exclude.some((pattern) => pattern.test(url))) return false
    return include.length === 0 || include.some((pattern) => pattern.test(url))
  }
}

/** For one question; compile the scope for many. */
export function inScope(url: string, scope: Scope): boolean {
  return compileScope(scope)(url)
}

function reachOf(kind: Scope['kind'], seeds: string[]): ScopeTest {
  switch (kind) {
    case 'page': {
      const pages = new Set(seeds)
      return (url) => pages.has(url)
    }
    case 'prefix':
      return prefixReach(seeds)
    case 'host': {
      const hosts = new Set(seeds.map(hostKeyOf))
      return (url) => hosts.has(hostKeyOf(url))
    }
    case 'domain':
      return domainReach(seeds)
    case 'any':
      return () => true
  }
}

/** Grouped by host, so that thousands of seeds cost one look-up and the few prefixes of that host. */
function prefixReach(seeds: string[]): ScopeTest {
  const foldersByHost = new Map<string, Set<string>>()
  for (const seed of seeds) {
    const path = pathAndQueryOf(seed).split('?', 1)[0] ?? '/'
    const folders = foldersByHost.get(hostKeyOf(seed)) ?? new Set()
    folders.add(path.slice(0, path.lastIndexOf('/') + 1))
    foldersByHost.set(hostKeyOf(seed), folders)
  }
  return (url) => {
    const folders = foldersByHost.get(hostKeyOf(url))
    if (folders === undefined) return false
    const path = pathAndQueryOf(url)
    for (const folder of folders) if (path.startsWith(folder)) return true
    return false
  }
}

function domainReach(seeds: string[]): ScopeTest {
  const domains = new Set(seeds.map((seed) => registrableDomainOf(hostnameOf(seed))))
  // Links come in runs to the same host, and the public suffix look-up is the dear part.
  let lastHost = ''
  let lastAnswer = false
  return (url) => {
    const host = hostnameOf(url)
    if (host !== lastHost) {
      lastAnswer = domains.has(registrableDomainOf(host))
      lastHost = host
    }
    return lastAnswer
  }
}

function hostnameOf(url: string): string {
  return hostKeyOf(url).replace(/:\d+$/, '')
}
