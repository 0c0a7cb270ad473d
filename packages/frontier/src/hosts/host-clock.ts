/**
 * When may a host be contacted again? The rules of politeness as pure functions; the lease and
 * settle operations apply them inside their transactions.
 */
import type { Instant } from '@minga/protocol'

export interface HostDelays {
  collectionMs: number
  /** What the site asks for (see `requestedDelayMs`). */
  robotsMs: number
  backoffMs: number
}

export function delayOf(delays: HostDelays): number {
  return Math.max(delays.collectionMs, delays.robotsMs, delays.backoffMs)
}

/** A site asks for air by its robots.txt, or its owner by a rule; the longer wish counts. */
export function requestedDelayMs(host: { crawl_delay_ms: number; slow_ms: number }): number {
  return Math.max(host.crawl_delay_ms, host.slow_ms)
}

/** How long a response of this size uses up a host's bandwidth. */
export function bandwidthPauseMs(bytes: number, bytesPerSecond: number | null): number {
  if (bytesPerSecond === null) return 0
  return Math.min(Math.ceil((bytes * 1_000) / bytesPerSecond), PAUSE_MAX_MS)
}

/** Counted from the END of the last response: a slow answer is a site asking for air. */
export function nextAllowedAt(lastResponseEndedAt: Instant, delays: HostDelays): Instant {
  return lastResponseEndedAt + delayOf(delays)
}

/** First pause after a 429 or 503 without Retry-After; it doubles while the site stays unhappy. */
const BACKOFF_FIRST_MS = 2_000
/** A site that is down for longer is asked ten-minutely: often enough to notice it is back. */
const BACKOFF_MAX_MS = 600_000
/** A longer pause is a misconfiguration, or a forged number, more often than a wish. */
const PAUSE_MAX_MS = 86_400_000
/** Responses faster than this never count as a site under strain, whatever their trend. */
const STRAIN_FLOOR_MS = 1_000
/** This many times slower than usual is strain. Lower values mistake large pages for it. */
const STRAIN_FACTOR = 3
/** Weight of the newest response in the usual response time. */
const LATENCY_WEIGHT = 0.2

/** As many as a collection may ask for: a site that never complained gets them. */
const BEARS_MAX = 16
/** Good answers until a site that complained is trusted with one more request in flight. */
const GOOD_ANSWERS_PER_STEP = 20
/** Counted no further: a long good past must not outweigh the errors of today. */
const GOOD_ANSWERS_MAX = 20

export interface HostMood {
  backoffMs: number
  latencyMs: number
  /**
   * Requests in flight that it can handle, 1 to 16: less after each complaint, more little by
   * little.
   */
  bears: number
  /** Since it last complained or strained, up to 20; an error halves them. See politeness.ts. */
  goodAnswers: number
}

export interface Answered {
  status: number | 'failed'
  totalMs: number
  retryAfterMs: number | null
}

/** The site says in so many words that it is asked too much. */
export function isComplaint({ status }: Pick<Answered, 'status'>): boolean {
  return status === 429 || status === 503
}

/** How one response changes what we know of a host's patience. */
export function moodAfter(mood: HostMood, answered: Answered): HostMood {
  if (isComplaint(answered)) {
    const asked = Math.min(answered.retryAfterMs ?? 0, PAUSE_MAX_MS)
    const doubled = Math.min(Math.max(BACKOFF_FIRST_MS, mood.backoffMs * 2), BACKOFF_MAX_MS)
    return { ...mood, backoffMs: Math.max(asked, doubled), bears: 1, goodAnswers: 0 }
  }
  const bears = bearsAfter(mood.bears, answered.status)
  const goodAnswers = goodAnswersAfter(mood.goodAnswers, answered.status)
  if (answered.status === 'failed') return { ...mood, bears, goodAnswers }
  const strained =
    mood.latencyMs > 0 &&
    answered.totalMs > STRAIN_FLOOR_MS &&
    answered.totalMs > STRAIN_FACTOR * mood.latencyMs
  return {
    latencyMs: usualLatency(mood.latencyMs, answered.totalMs),
    backoffMs: strained ? strainPauseMs(answered.totalMs) : relaxed(mood.backoffMs),
    bears: strained ? 1 : bears,
    goodAnswers: strained ? 0 : goodAnswers,
  }
}

/** As long as the answer took; capped, because the time is what a device reports. */
function strainPauseMs(totalMs: number): number {
  return Math.min(Math.round(totalMs), BACKOFF_MAX_MS)
}

/** Errors of the server may be one page's own fault: they halve it, real complaints reset it. */
function bearsAfter(bears: number, status: number | 'failed'): number {
  if (isError(status)) return Math.max(1, bears / 2)
  return Math.min(BEARS_MAX, bears + 1 / GOOD_ANSWERS_PER_STEP)
}

function goodAnswersAfter(count: number, status: number | 'failed'): number {
  return isError(status) ? Math.floor(count / 2) : Math.min(GOOD_ANSWERS_MAX, count + 1)
}

function isError(status: number | 'failed'): boolean {
  return status === 'failed' || status >= 500
}

/** How many requests to a host may be in flight at once: one wherever it is to be left in peace. */
export function threadsFor(args: { delayMs: number; wanted: number; bears: number }): number {
  return args.delayMs > 0 ? 1 : Math.min(args.wanted, Math.floor(args.bears))
}

function usualLatency(usualMs: number, newestMs: number): number {
  if (usualMs === 0) return Math.max(1, Math.round(newestMs))
  return Math.round(usualMs * (1 - LATENCY_WEIGHT) + newestMs * LATENCY_WEIGHT)
}

/** Halved by each good answer, forgotten below the first pause's half. */
function relaxed(backoffMs: number): number {
  return backoffMs <= BACKOFF_FIRST_MS / 2 ? 0 : Math.round(backoffMs / 2)
}

/** Pause before the next attempt of a request that failed: 1 s, 4 s, 16 s …, or as long as its site asked for. */
export function retryPauseMs(attempts: number, requestedMs = 0): number {
  const usualMs = Math.min(1_000 * 4 ** Math.max(0, attempts - 1), BACKOFF_MAX_MS)
  return Math.max(usualMs, Math.min(requestedMs, PAUSE_MAX_MS))
}
