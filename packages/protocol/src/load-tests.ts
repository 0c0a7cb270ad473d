/**
 * A verified load test between the station and the machines that take part: the answer to an ask
 * brings a part, the machine says once a second what it did, and each time hears whether to go on.
 * Nothing but counts travels back: no body is kept.
 *
 *   ask → part → (figures → order)* → figures with `hasStopped`
 */
import { z } from 'zod'
import { LOAD_MOST } from './agent-constants.ts'
import { LATENCY_BUCKETS } from './latency-histogram.ts'

/** What one machine may do of a test at this moment. */
export interface LoadShare {
  /** How many visitors it plays; 0 while others are still coming. */
  visitors: number
  requestsPerSecond: number
  /** What it may still take in. */
  bytesLeft: number
}

export interface LoadPart extends LoadShare {
  test: string
  step: number
  /** All on one host. They are fetched by GET, and no redirect is followed. */
  urls: string[]
  address: string
  /** Between an answer and the same visitor's next request. */
  thinkMs: number
  /** After this an answer counts as a time-out. */
  answerMsMax: number
  /** From now on; then the machine stops by itself. */
  durationMsMax: number
}

export interface LoadOrder extends LoadShare {
  goOn: boolean
  step: number
}

/** What is no answer that a visitor came for. */
export const LOAD_ERRORS = ['4xx', '5xx', 'timeout', 'refused', 'lost', 'tls', 'other'] as const
export type LoadError = (typeof LOAD_ERRORS)[number]

const count = z.number().int().min(0).max(1_000_000_000)

export const loadReport = z.object({
  /** Grows with every new report; one that is sent again counts once. */
  no: count,
  /** Of the order under which these requests went out. */
  step: count,
  requests: count,
  bytes: z.number().int().min(0).max(Number.MAX_SAFE_INTEGER),
  errors: z.partialRecord(z.enum(LOAD_ERRORS), count),
  latencies: z
    .array(
      z.tuple([
        z
          .number()
          .int()
          .min(0)
          .max(LATENCY_BUCKETS - 1),
        count,
      ]),
    )
    .max(LATENCY_BUCKETS),
  /** True in the last one: nothing of this machine is under way any more. */
  hasStopped: z.boolean(),
  /** Why it stopped by itself, if it did. */
  reason: z.string().max(200).nullable(),
})
export type LoadReport = z.infer<typeof loadReport>

/** Together at most this long: more says nothing that shorter steps do not. */
const STEP_S_MAX = 300

/** What a user requests. The defaults are gentle: a small site can handle them. */
export const loadTestMessage = z.object({
  urls: z.array(z.string().max(2_000)).min(1).max(LOAD_MOST.urls),
  visitorsMax: z.number().int().min(1).max(LOAD_MOST.visitors).default(50),
  stepS: z.number().min(3).max(STEP_S_MAX).default(10),
  thinkMs: z.number().int().min(0).max(60_000).default(1_000),
  answerMsMax: z.number().int().min(500).max(60_000).default(10_000),
  /** When the site counts as bearing its visitors. */
  bears: z
    .object({
      p95Ms: z.number().int().min(10).max(60_000).default(1_000),
      errorRate: z.number().min(0).max(0.5).default(0.01),
    })
    .prefault({}),
  /** Beyond any of these the test stops at once. */
  ceilings: z
    .object({
      requestsPerSecond: z.number().min(1).max(LOAD_MOST.requestsPerSecond).default(100),
      bytes: z
        .number()
        .int()
        .min(1)
        .max(LOAD_MOST.bytes)
        .default(1024 ** 3),
      durationS: z
        .number()
        .min(3)
        .max(LOAD_MOST.durationMs / 1_000)
        .default(900),
      errorRate: z.number().min(0).max(1).default(0.1),
      p95Ms: z.number().int().min(10).max(60_000).default(5_000),
    })
    .prefault({}),
})
export type LoadTestMessage = z.infer<typeof loadTestMessage>

/** `unproven` and `ready` wait to be started; what is over is `finished` or `aborted`. */
export type LoadTestState = 'unproven' | 'ready' | 'preparing' | 'running' | 'finished' | 'aborted'
