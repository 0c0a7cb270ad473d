/** What a fake web is asked to be. Plain JSON, so that a separate process can serve it. */

import { BadFakeWebSpec } from '../errors.ts'
import { addressesFrom } from './addresses.ts'

export interface FakeWebSpec {
  /** Same seed, same bytes. */
  seed?: number
  /** 0 or absent: a free one. */
  port?: number
  hosts: number
  /** Host i answers on the i-th address from here (last octet 1 to 254). */
  firstAddress?: string
  /** Link to hosts as `hN.fake.test` instead of by address. Both are always answered. */
  named?: boolean
  pagesPerHost?: number
  /** The mean; pages have from a quarter to two and a half times as much. */
  bytesPerPage?: number
  linksPerPage?: number
  /** Share of the random links that leave the host. */
  crossHostShare?: number
  /** Pages also carry a stylesheet, a script and images. */
  embeds?: boolean
  /** Also serve the same web over TLS with a self-signed certificate, on a second port. */
  https?: boolean
  behaviours?: Behaviour[]
  /** Write every hit as a JSON line here as well. */
  logFile?: string
  /** Bodies are kept for reuse up to this many bytes. */
  cacheBytes?: number
}

/** Share picks hosts by the seed and always spares host 0, so that a crawl can begin. */
export type HostSelection = 'all' | number[] | { share: number }

export type Encoding = 'gzip' | 'br' | 'zstd' | 'deflate' | 'deflate-raw'

/** Rules that a redirected or oversized robots.txt ends in: see ONE_RULE in robots.ts. */
export type RobotsKind =
  | { is: 'status'; status: number }
  | { is: 'timeout' }
  | { is: 'disconnect' }
  | { is: 'redirects'; hops: number; toHost?: number }
  | { is: 'garbage' }
  | { is: 'oversized' }
  | { is: 'html' }
  | {
      is: 'rules'
      /** The user agent of the rules; all if absent. Tests name none but ourselves. */
      agent?: string
      disallow?: string[]
      crawlDelaySeconds?: number
      sitemaps?: string[]
    }

/** How ordinary pages (`/p/N`) of a host are delivered. */
export type Manner =
  | { kind: 'slow'; firstByteMs: number; dripBytes?: number; dripMs?: number }
  | { kind: 'encoding'; encoding: Encoding; evenIfNotAccepted?: boolean }
  | {
      kind: 'throttled'
      status: 429 | 503
      times: number
      /** Pages that it gives before it complains; none if absent. */
      after?: number
      retryAfterSeconds?: number
      retryAfterAsDate?: boolean
    }
  | { kind: 'flaky'; times: number; status?: number }
  | { kind: 'validators'; etag?: boolean; lastModified?: boolean }

/** Further pages of a host, linked from its `/p/0`. `only` names the entries wanted. */
export type Feature =
  | { kind: 'redirects'; only?: string[]; outside?: string }
  | { kind: 'broken'; only?: string[] }
  | { kind: 'lying'; only?: string[] }
  | { kind: 'malformed'; only?: string[] }
  | { kind: 'bombs'; only?: string[]; expandedBytes?: number }
  | { kind: 'traps'; only?: string[] }
  | { kind: 'duplicates'; copies: number }
  | { kind: 'charsets'; only?: string[] }
  | { kind: 'directives'; only?: string[] }
  | { kind: 'sitemaps' }
  | { kind: 'soft404' }

/** The whole host fails; `reset-on-accept` before any request is read (hosts by address only). */
export type Down = { kind: 'down'; how: 'reset' | 'hang' | 'reset-on-accept' }

export type Behaviour = { on?: HostSelection } & (
  | { kind: 'robots'; robots: RobotsKind }
  | Manner
  | Feature
  | Down
)

export type BehaviourKind = Behaviour['kind']

export type FullSpec = Required<Omit<FakeWebSpec, 'logFile'>>

/** 256 MiB: the benchmark's 20,000 pages of 10 KB fit, a laptop does not notice. */
const DEFAULT_CACHE_BYTES = 268_435_456

/** Refuses what cannot be built, before anything listens. */
export function completeSpec(spec: FakeWebSpec): FullSpec {
  const full: FullSpec = {
    seed: spec.seed ?? 1,
    port: spec.port ?? 0,
    hosts: spec.hosts,
    firstAddress: spec.firstAddress ?? '127.0.8.1',
    named: spec.named ?? false,
    pagesPerHost: spec.pagesPerHost ?? 10,
    bytesPerPage: spec.bytesPerPage ?? 2000,
    linksPerPage: spec.linksPerPage ?? 5,
    crossHostShare: spec.crossHostShare ?? 0.1,
    embeds: spec.embeds ?? false,
    https: spec.https ?? false,
    behaviours: spec.behaviours ?? [],
    cacheBytes: spec.cacheBytes ?? DEFAULT_CACHE_BYTES,
  }
  for (const count of ['hosts', 'pagesPerHost', 'linksPerPage'] as const) {
    if (!Number.isInteger(full[count]) || full[count] < 1)
      throw new BadFakeWebSpec(`"${count}" is ${full[count]}, and it must be a whole number from 1`)
  }
  addressesFrom(full.firstAddress, full.hosts)
  return full
}
