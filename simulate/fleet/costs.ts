/**
 * What things cost in the simulated world, each with its reason. Nothing is free: a machine that fetches
 * pays processor time and line, one that works for a station also pays the way to it, and the
 * station pays for every question and every result.
 */

/** Spread of response times around the means of Table 5.1: log-normal, σ of the logarithm. With
 * 0.5 one response in forty takes 2.4 times its mean; the thesis reports no spread at all. */
export const NOISE_SIGMA = 0.5
/** Requests that end in a lost connection, after as long as a response takes. Crawls of popular
 * sites lose one or two in a hundred. */
export const FAILURE_SHARE = 0.01
/** As Minga's agent: ten seconds to connect and thirty for the first byte; whatever takes longer is
 * given up at that moment and counts as failed. Only Iran and Russia come near it. */
export const RESPONSE_MAX_MS = 40_000

/** Compressed bytes of a page on the wire; the median HTML document of the HTTP Archive is about
 * 30 KB. Log-normal with σ 1: few are large. */
export const PAGE_BYTES = 30_000
export const PAGE_SIGMA = 1
/** A robots.txt that is not there, with its headers. */
export const ROBOTS_BYTES = 500
/** Manifest line and WARC headers of a result in an upload. */
export const RESULT_BYTES = 1_000
/** A question for a block and its answer, per request in it: a URL and a few numbers. */
export const BLOCK_REQUEST_BYTES = 200

/** The thesis's machines had one processor. Our agent's work per page (HTTP, digest, links, WARC,
 * gzip, upload): `npm run bench:crawl` measures 0.51 ms per 10 KB page for agent and coordinator
 * together; three times that for 30 KB, and twice again for a slower processor and TLS. */
export const FETCH_CPU_MS = 3
/** A second machine in the experiment with threads: with this much the processor is full at the
 * 16 threads that the thesis settled on. Fitted, not measured: a Python program with threads. */
export const PYTHON_FETCH_CPU_MS = 90

/** Lines, in bytes per millisecond: 100 Mbit/s for machines in data centres, as the thesis's. The
 * direct machine needs the way down only, an agent also the way up. */
export const AGENT_DOWN_BYTES_PER_MS = 12_500
export const AGENT_UP_BYTES_PER_MS = 12_500
/** The station receives every page a second time, over one line. */
export const STATION_LINE_BYTES_PER_MS = 12_500

/** The station's processor per question, per request given out, per upload and per result, in
 * milliseconds. `npm run bench:frontier`: 20,000 captured URLs per processor second, leases
 * included, in large blocks: 0.05 ms. HTTP, digests and payment come on top; the target for all of
 * it is 0.12 ms in uploads of 64. Small blocks pay the fixed parts more often. */
export const QUESTION_CPU_MS = 0.5
export const GIVEN_CPU_MS = 0.03
export const UPLOAD_CPU_MS = 1
export const RESULT_CPU_MS = 0.1
/** One sync of the disk per group commit, which an upload waits for; a solid-state disk. */
export const COMMIT_MS = 2

/** Looking up names, all of a question at once, when they are not remembered. */
export const LOOKUP_MS = 50

/** The way between two machines and back: the first and last mile, and light in fibre (100 km of
 * distance per millisecond and back) on a route half as long again as the great circle. */
const ROUND_TRIP_BASE_MS = 10
const KM_PER_ROUND_TRIP_MS = 100
const ROUTE_STRETCH = 1.5
/** Where the station stands. */
export const STATION_COUNTRY = 'US'

export function roundTripMs(distanceKm: number): number {
  return ROUND_TRIP_BASE_MS + (distanceKm * ROUTE_STRETCH) / KM_PER_ROUND_TRIP_MS
}

/** The pause between two requests to one host, after the end of the response: Minga's default,
 * and what the robots.txt of D1 asks for. */
export const DELAY_MS = 1_000
/** As a collection's default; both the fleet and the direct machine try so many times again. */
export const RETRIES = 2
