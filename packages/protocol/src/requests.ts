/** What clients send and read: single requests, batches, results. */
import { z } from 'zod'
import type { Outcome } from './collection.ts'

export const PRIORITIES = ['high', 'normal', 'low'] as const
export type Priority = (typeof PRIORITIES)[number]

const common = {
  priority: z.enum(PRIORITIES).default('normal'),
  /** How old a capture may be to answer instead of a fetch; the station's setting if absent. */
  maxAgeS: z.number().min(0).max(31_536_000).optional(),
}

/** Longer batches are better split: a client sees progress, and no submission waits for another. */
export const BATCH_URLS_MAX = 100_000
/** What is no address ends as denied, one by one; only what cannot be kept is refused as a whole. */
const URL_CHARS_MAX = 65_536

export const batchMessage = z.object({
  urls: z.array(z.string().max(URL_CHARS_MAX)).min(1).max(BATCH_URLS_MAX),
  ...common,
  /** The same key and content again is the same batch, however often it is sent. */
  idempotencyKey: z.string().min(1).max(200).nullable().default(null),
  /** Called once, signed, when the batch has ended. */
  webhook: z
    .url({ protocol: /^https?$/ })
    .nullable()
    .default(null),
})
export type BatchMessage = z.infer<typeof batchMessage>
export type BatchRequest = z.input<typeof batchMessage>

export const singleMessage = z.object({
  url: z.string().max(URL_CHARS_MAX),
  ...common,
  /** How long the call may hang; the request itself continues after it. */
  timeoutS: z.number().min(0).max(600).default(60),
  /** `result` is the line of a batch; `body` the decoded body, with the rest in headers. */
  as: z.enum(['result', 'body']).default('result'),
})

export interface BatchView extends Record<Outcome, number> {
  id: string
  state: 'filling' | 'running' | 'ended' | 'cancelled'
  priority: Priority
  total: number
  open: number
  fromCache: number
  bytes: number
  createdAt: number
  endedAt: number | null
  /** Sent with the answer to a submission that names a webhook: the key of its signature. */
  webhookSecret?: string
}

/** One line of a batch's results. */
export interface ResultLine {
  /** As it was asked for. */
  url: string
  outcome: Outcome
  status: number | null
  /** Size of the payload as it was sent. */
  bytes: number | null
  digest: string | null
  /** A name for the device that holds in this batch only. */
  device: string | null
  verified: boolean
  /** Why it failed or was denied. */
  code: string | null
  /** In a sentence, where it depends on more than the code: whose the host is. */
  message?: string
  /** Where redirects led, and the way there. */
  finalUrl: string | null
  chain: string[]
  capturedAt: string | null
  fromCache: boolean
  /** Position in the batch's list of URLs, from 0. */
  seq: number
  /** Position among its results, from 1: where to go on reading. */
  no: number
}
