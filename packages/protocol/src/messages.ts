/**
 * What travels between an agent and its coordinator. All times in messages are durations or
 * ages in milliseconds: two machines never need to agree on the time of day.
 *
 *   hello → (ask → block)* with beats and results side by side → goodbye
 */
import { z } from 'zod'

/** Bumped when an older agent could misread a newer message. */
export const PROTOCOL_VERSION = 1

/**
 * Silence after which a lease ends. Four missed beats: shorter takes work from healthy agents
 * under load, longer only delays a retry. Agents stop dialling when this has passed since they
 * SENT the last beat that was answered, which is never later than the coordinator's count.
 */
export const SILENCE_MS = 10_000
export const BEAT_EVERY_MS = 2_500

/** What kind of document a URL is fetched as; it decides how its links are read. */
export type RequestKind = 'page' | 'robots' | 'sitemap'

/** The last capture of a URL, for a conditional request and a revisit record. */
export interface PreviousCapture {
  digest: string
  url: string
  capturedAt: number
  etag: string | null
  lastModified: string | null
}

export interface BlockRequest {
  /** Identifies the URL inside its host; 0 for the host's robots.txt. */
  hash: number
  url: string
  kind: RequestKind
  hops: number
  depth: number
  via: string | null
  previous: PreviousCapture | null
}

/** Requests to one host, to be sent one after the other to the one permitted address. */
export interface HostBlock {
  hostId: number
  collectionId: number
  address: string
  /** Wait this long after the END of each response before the next request. */
  delayMs: number
  /** Rest longer after a large response, so that the host gives no more than this on average. */
  bytesPerSecond: number | null
  requests: BlockRequest[]
}

export interface Block {
  fence: number
  /** From when the agent asked; it dials nothing of this block afterwards. */
  deadlineMs: number
  hosts: HostBlock[]
}

export const helloMessage = z.object({
  protocol: z.number().int(),
  device: z.string().min(1).max(200),
  boot: z.string().min(8).max(100),
  software: z.string().max(100),
})
export type Hello = z.infer<typeof helloMessage>

export interface Welcome {
  userAgent: string
  limits: { bodyBytesMax: number }
  allowPrivateAddresses: boolean
}

export const askMessage = z.object({
  boot: z.string(),
  requestsMax: z.number().int().min(1).max(10_000),
  hostsMax: z.number().int().min(1).max(2_000),
})
export type Ask = z.infer<typeof askMessage>

export interface Answer {
  block: Block | null
  /** When there is nothing to do now: come back after this long. */
  waitMs: number
}

export const beatMessage = z.object({
  boot: z.string(),
  /** Grows with every request that ends; a beat without progress does not keep a block alive. */
  progress: z.number().int(),
  fences: z.array(z.number().int()),
})
export type Beat = z.infer<typeof beatMessage>

export interface BeatAnswer {
  /** Fences of the agent that are no longer valid: stop working on them. */
  ended: number[]
}

const requestOf = {
  fence: z.number(),
  collectionId: z.number(),
  hostId: z.number(),
  hash: z.number(),
}

const failedResult = z.object({
  ...requestOf,
  type: z.literal('failed'),
  url: z.string(),
  code: z.string(),
  message: z.string(),
  retry: z.enum(['now', 'later', 'never']),
  endedAgoMs: z.number(),
  totalMs: z.number(),
})

/** Not dialled at all: the block ended, the agent is stopping, or the host asked for a pause. */
const returnedResult = z.object({
  ...requestOf,
  type: z.literal('returned'),
})

const capturedResult = z.object({
  ...requestOf,
  type: z.literal('captured'),
  url: z.string(),
  status: z.number().int(),
  capturedAt: z.number(),
  endedAgoMs: z.number(),
  firstByteMs: z.number(),
  totalMs: z.number(),
  record: z.enum(['response', 'revisit']),
  mime: z.string(),
  digest: z.string(),
  payloadBytes: z.number(),
  /** Lengths in bytes of the WARC members in the upload; the capture's own record is the first. */
  members: z.array(z.number().int().positive()).min(1),
  retryAfterMs: z.number().nullable(),
  /** Where a redirect leads, resolved and canonical. */
  location: z.string().nullable(),
  etag: z.string().nullable(),
  lastModified: z.string().nullable(),
  title: z.string().nullable(),
  nofollow: z.boolean(),
  links: z.array(z.string()),
  /** Links to what a page is shown with (images, styles): they do not add to the depth. */
  embeds: z.array(z.string()),
  /** Further sitemaps that a sitemap index lists. */
  sitemaps: z.array(z.string()),
  /** For robots.txt only: the body, base64. */
  body: z.string().nullable(),
})

export const resultMessage = z.discriminatedUnion('type', [
  capturedResult,
  failedResult,
  returnedResult,
])
export type Result = z.infer<typeof resultMessage>
export type CapturedResult = z.infer<typeof capturedResult>
export type FailedResult = z.infer<typeof failedResult>

export const uploadManifest = z.object({
  boot: z.string(),
  results: z.array(resultMessage).max(10_000),
})
export type UploadManifest = z.infer<typeof uploadManifest>

export interface UploadAnswer {
  accepted: number
  /** Results whose lease had been taken over: dropped, never stored twice. */
  stale: number
}
