/**
 * How a finished collection ended, and why when it ended badly. Every view of it, on the command line, in the API,
 * in the log and on the page, shows this one judgement.
 */
import { guardUrl } from '@minga/net'
import type {
  CollectionCounts,
  CollectionOutcome,
  CollectionProblem,
  CollectionSpec,
  CollectionState,
  ProblemAdvice,
} from '@minga/protocol'

export interface EndedCollection extends Pick<CollectionCounts, 'pages' | 'captures' | 'failed'> {
  state: CollectionState
  reason: string | null
  kind: CollectionSpec['kind']
  /** Several stations collect it: what this one captured is only a part. */
  isShared: boolean
}

const LIMITS = new Set(['max-pages', 'max-bytes', 'max-time'])

/**
 * Null while it is not finished. Counts are totals of the collection, so a crawl that is run again and has nothing
 * left to do is judged by what it captured before. Robots.txt and error pages are captures but no pages: a crawl
 * that has nothing else has failed.
 */
export function outcomeOf(ended: EndedCollection): CollectionOutcome | null {
  const { state, reason, pages, captures, failed, kind, isShared } = ended
  if (state !== 'finished') return null
  if (reason !== null && !LIMITS.has(reason)) return 'stopped'
  // Of the others a part may have nothing and be all right: a watch before its first visit, or
  // whose pages all were unchanged, and the share of a station whose hosts others visit.
  const mustHavePages = kind === 'crawl' && !isShared
  if (pages === 0 && (mustHavePages || (captures === 0 && failed > 0))) return 'failed'
  if (reason !== null) return 'at-limit'
  // A watch counts the failures of all its visits: they say nothing about the last one.
  return failed > 0 && kind !== 'watch' ? 'with-errors' : 'complete'
}

const LIMIT_NAMES = [...LIMITS].map((name) => `'${name}'`).join(', ')

/**
 * The same judgement over a row of the table of collections, so that a list can be filtered and paged by the database.
 * `kind` is SQL for the kind of the row. A test compares both over every case.
 */
export const outcomeSql = (kind: string): string =>
  `CASE WHEN state <> 'finished' THEN NULL
     WHEN reason IS NOT NULL AND reason NOT IN (${LIMIT_NAMES}) THEN 'stopped'
     WHEN pages = 0 AND ((${kind} = 'crawl' AND federated = 0) OR (captures = 0 AND failed > 0))
       THEN 'failed'
     WHEN reason IS NOT NULL THEN 'at-limit'
     WHEN failed > 0 AND ${kind} <> 'watch' THEN 'with-errors'
     ELSE 'complete' END`

export interface MetError {
  code: string
  count: number
  lastUrl: string | null
}

/** The cause that was met most often; what the collector or a site wanted only when there is no other. */
export function problemOf(
  outcome: CollectionOutcome | null,
  errors: readonly MetError[],
): CollectionProblem | null {
  if (outcome !== 'failed' && outcome !== 'with-errors') return null
  const byCount = errors.toSorted((a, b) => b.count - a.count)
  const met = byCount.find(({ code }) => !WANTED_ENDS.includes(code)) ?? byCount[0]
  if (met === undefined) return { code: NO_PAGES, url: null, ...explained(NO_PAGES, null) }
  const { code, lastUrl: url } = met
  return { code, url, ...explained(code, url) }
}

/** What a collector or a site wanted is no error. */
export const WANTED_ENDS: readonly string[] = [
  'MINGA_ROBOTS_DENIED',
  'MINGA_TRAP',
  'MINGA_FILTERED',
  'MINGA_OUT_OF_SCOPE',
  'MINGA_HOST_LIMIT',
  'MINGA_HOST_ELSEWHERE',
]

const NO_PAGES = 'MINGA_NO_PAGES'

const REMEDIES: Record<ProblemAdvice, string> = {
  'allow-private': 'Loopback and private addresses need --allow-private-addresses.',
  'other-address': 'Choose an address that may be requested.',
  'check-address': 'Check the spelling of the address.',
  'check-server': 'Check that the site is up and that its address and port are right.',
  'check-filter': 'Check the filter, the scope and the limits.',
  later: 'Run it again later.',
  robots: 'Choose other pages, or ask the owner of the site.',
}

const CAUSES: Record<string, readonly [message: string, advice: ProblemAdvice]> = {
  MINGA_NO_PAGES: ['no address answered with a page', 'check-address'],
  MINGA_DNS_NOT_FOUND: ['there is no host of that name', 'check-address'],
  MINGA_DNS_FAILED: ['the name of the host could not be looked up', 'later'],
  MINGA_CONNECT_REFUSED: ['no server is listening at this address', 'check-server'],
  MINGA_CONNECT_TIMEOUT: ['no connection was made in time', 'check-server'],
  MINGA_CONNECTION_LOST: ['the connection ended before a response came', 'later'],
  MINGA_RESPONSE_TIMEOUT: ['no response came in time', 'later'],
  MINGA_BAD_RESPONSE: ['the response is not valid HTTP', 'check-server'],
  MINGA_HEADERS_TOO_LARGE: ['the response has more headers than allowed', 'check-server'],
  MINGA_TLS_FAILED: ['no trusted TLS connection could be made', 'check-server'],
  MINGA_TOO_MANY_REDIRECTS: ['a chain of redirects was too long', 'check-address'],
  MINGA_REQUEST_INVALID: ['the address cannot be written as an HTTP request', 'check-address'],
  MINGA_ROBOTS_DENIED: ['robots.txt forbids it', 'robots'],
  MINGA_ROBOTS_UNAVAILABLE: ['robots.txt could not be fetched, so no page may be', 'later'],
  MINGA_FILTERED: ['a filter leaves it out', 'check-filter'],
  MINGA_OUT_OF_SCOPE: ['it is outside the scope', 'check-filter'],
  MINGA_HOST_LIMIT: ['the limit of the host is reached', 'check-filter'],
  MINGA_TRAP: ['it looks like an endless series of generated pages', 'check-filter'],
  MINGA_VOLUNTEER_REFUSED: ["every volunteer's machine that received it refuses it", 'later'],
  MINGA_HOST_ELSEWHERE: ['the host belongs to another station', 'check-address'],
}

type Explanation = Pick<CollectionProblem, 'message' | 'remedy' | 'advice'>

function explained(code: string, url: string | null): Explanation {
  if (code === 'MINGA_ADDRESS_REFUSED') return explainRefusal(url)
  const status = /^MINGA_HTTP_(\d+)$/.exec(code)?.[1]
  if (status !== undefined) return explanation(`the site answered with HTTP ${status}`, 'later')
  const [message, advice] = CAUSES[code] ?? [`it failed with ${code}`, 'later']
  return explanation(message, advice)
}

/** Some addresses are refused whatever is allowed; for the others there is a flag. */
function explainRefusal(url: string | null): Explanation {
  const refusal = url === null ? null : guardUrl(url, { allowPrivateAddresses: true })
  if (refusal !== null) return explanation(refusal.reason, 'other-address')
  const refused = url === null ? null : guardUrl(url, { allowPrivateAddresses: false })
  return explanation(refused?.reason ?? 'it leads inside a network', 'allow-private')
}

const explanation = (message: string, advice: ProblemAdvice): Explanation => ({
  message,
  remedy: REMEDIES[advice],
  advice,
})
