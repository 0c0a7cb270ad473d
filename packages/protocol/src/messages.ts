/**
 * What travels between an agent and its coordinator. All times in messages are durations or
 * ages in milliseconds: two machines never need to agree on the time of day.
 *
 *   enrol (once) → challenge → hello → (ask → block)* with beats and results → goodbye
 *
 * enrol shows a join token, hello the device's key; its answer brings the session token that all
 * further calls of this boot show.
 */
import { z } from 'zod'
import type { LoadPart } from './load-tests.ts'

/** What kind of document a URL is fetched as; it decides how its links are read. Nothing is read
 * from a `document`: a client asked for it alone. */
export type RequestKind = 'page' | 'robots' | 'sitemap' | 'document'

/** The last capture of a URL, for a conditional request and a revisit record. */
/** The response that holds what is known of a URL, and by which its site may say that it still holds. */
export interface PreviousCapture {
  digest: string
  url: string
  capturedAt: number
  /** Its WARC-Record-ID; null when the archive does not know it. */
  recordId: string | null
  etag: string | null
  lastModified: string | null
}

export interface BlockRequest {
  /** Identifies the request inside its host and block; to be sent back as it came. */
  hash: number
  url: string
  kind: RequestKind
  hops: number
  depth: number
  via: string | null
  previous: PreviousCapture | null
}

/** A bot password that a wiki gave the station: sent to its own agents only, recorded nowhere. */
export interface WikiLogIn {
  /** The address of its api.php. */
  api: string
  /** As in `Name@bot`. */
  user: string
  password: string
}

/** The wiki refused the log-in lately: what is to be asked there ends with these words, undialled. */
export interface RefusedLogIn {
  api: string
  refused: { code: string; message: string }
}

/** Requests to one host and its one permitted address, which share a policy: the group of a block.
 * They go out in this order, `threads` at a time. */
export interface HostBlock {
  hostId: number
  collectionId: number
  address: string
  /** Wait this long after the END of each response before the next request. */
  delayMs: number
  /** Wait longer after a slow download: so many times as long as it took, but no longer than this. */
  restFactor?: { times: number; atMostMs: number }
  /** Requests in flight at once: 1 wherever there is a delay. */
  threads: number
  /** Rest longer after a large response, so that the host gives no more than this on average. */
  bytesPerSecond: number | null
  /**
   * The `Authorization` that a wiki gave the station; sent to its own agents only, recorded
   * nowhere.
   */
  authorization?: string
  /** For wikis of this host that want a log-in. */
  logIns?: (WikiLogIn | RefusedLogIn)[]
  requests: BlockRequest[]
}

export interface Block {
  fence: number
  /** From when the agent asked; it dials nothing of this block afterwards. */
  deadlineMs: number
  hosts: HostBlock[]
}

/** PostgreSQL takes no NUL, and a list on a screen no line breaks. */
function shortText(charactersMax: number) {
  return z
    .string()
    .max(charactersMax)
    .transform((text) => text.replaceAll(/\p{Cc}/gu, ' '))
}

/** What a device says of itself. No hardware address: it would name the machine everywhere. */
const deviceFacts = z.object({
  os: shortText(50),
  osVersion: shortText(100),
  hostName: shortText(255),
  software: shortText(100),
})
export type DeviceFacts = z.infer<typeof deviceFacts>

const signature = z.string().max(100)

export const enrolMessage = z.object({
  protocol: z.number().int(),
  publicKey: z.string().length(43),
  name: shortText(100),
  facts: deviceFacts,
  signature,
})
export type Enrol = z.infer<typeof enrolMessage>

export interface Enrolment {
  device: string
}

export const challengeMessage = z.object({ device: z.string().min(1).max(100) })

export interface Challenge {
  nonce: string
  /** Under which address this station publishes the keys with which its devices sign their requests
   * to sites; null or absent: they are not signed. */
  signatureAgent?: string | null
}

/** With what a device signs its requests to sites: a key for that alone, and its signature of the
 * station's key directory (see web-bot-auth.ts of the net room). By the device's clock. */
const botSigning = z.object({
  publicKey: z.string().regex(/^[\w-]{43}$/),
  createdS: z.number().int().min(0),
  expiresS: z.number().int().min(0),
  signature: z.string().regex(/^[A-Za-z0-9+/]{86}==$/),
})
export type BotSigningKey = z.infer<typeof botSigning>

export const helloMessage = z.object({
  protocol: z.number().int(),
  device: z.string().min(1).max(100),
  boot: z.string().min(8).max(100),
  nonce: z.string().max(200),
  facts: deviceFacts,
  /** Absent or null: the device does not sign its requests to sites. */
  signing: botSigning.nullish(),
  signature,
  /** The boot before this one, of which the program knows that it is over: its hosts are free
   * sooner than those of one that may still be dialling. */
  endedBoot: z.string().max(100).optional(),
})
export type Hello = z.infer<typeof helloMessage>

export interface Welcome {
  /** Shown as the Bearer of every further call of this boot. */
  session: string
  userAgent: string
  /** The `Signature-Agent` to sign requests with; null or absent: do not. */
  signatureAgent?: string | null
  limits: { bodyBytesMax: number }
  allowPrivateAddresses: boolean
  /** From which address the hello came, as the station sees it: a lent machine never dials it. Older
   * stations do not say. */
  seenAddress?: string
}

export const askMessage = z.object({
  requestsMax: z.number().int().min(1).max(10_000),
  hostsMax: z.number().int().min(1).max(2_000),
})
export type LeaseRequest = z.infer<typeof askMessage>

export interface LeaseResponse {
  block: Block | null
  /** When there is nothing to do now: come back after this long. */
  waitMs: number
  /** Why this device gets nothing, when it is not for want of work. */
  pause?: { code: string; message: string }
  /** What the operator has to tell the owner of this device, for as long as it is to be seen. */
  message?: { text: string; ageMs: number }
  /** A part of a load test that the site's owner asked for. */
  load?: LoadPart
  /** As in `Welcome`: a machine that runs for weeks is given other addresses in the meantime. */
  seenAddress?: string
}

/** Far more blocks than an agent has in progress. */
const FENCES_MAX = 10_000

export const beatMessage = z.object({
  /** Grows with every request that ends; a beat without progress does not keep a block alive. */
  progress: z.number().int(),
  fences: z.array(z.number().int()).max(FENCES_MAX),
  /** Its owner lets it rest: it will ask for nothing until that is over. */
  rests: z.boolean().optional(),
  /** Why it rests, in one of the agent's own words for it; older agents do not say. */
  rest: z
    .string()
    .regex(/^[a-z-]{1,40}$/)
    .nullish(),
})
export type Heartbeat = z.infer<typeof beatMessage>

export interface HeartbeatResponse {
  /** Fences of the agent that are no longer valid: stop working on them. */
  ended: number[]
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** The end of the last year that four digits can write. */
const LATEST_MS = Date.UTC(10_000, 0) - 1

/**
 * A duration that a device reports. Beyond the limit it says nothing that we could use, but could make
 * a host wait for ever; it is clamped, not refused, because a clock that jumped must not cost a capture.
 */
function reportedMs(limitMs: number) {
  return z.number().transform((ms) => Math.min(Math.max(ms, 0), limitMs))
}

/** Up to the year 9999, so that it can be written as a date; 0 where a server says none that can be read. */
function writableMs() {
  return z
    .number()
    .catch(0)
    .transform((ms) => Math.min(Math.max(ms, 0), LATEST_MS))
}

/** What a page or a server says at any length, cut to what is stored. */
function cutText(charactersMax: number) {
  return z.string().transform((text) => text.slice(0, charactersMax))
}

/** A validator or an address that is cut would be another one: one that is too long counts as none. */
function wholeText(charactersMax: number) {
  return z
    .string()
    .nullable()
    .transform((text) => (text !== null && text.length > charactersMax ? null : text))
}

/** Canonical addresses are shorter. */
const URL_CHARS_MAX = 8_192
const HEADER_CHARS_MAX = 8_192
/** A page with more links is a list of addresses, not a page. */
const LINKS_MAX = 10_000
/** As many as a sitemap may hold by its protocol. */
const SITEMAP_LINKS_MAX = 50_000
/** Of all links of a document together; a document with more fills a manifest alone. */
const LINK_CHARS_MAX = 4_000_000
const SITEMAP_CHARS_MAX = 16_000_000
/** A robots.txt of 512,000 bytes in base64. */
const ROBOTS_CHARS_MAX = 700_000
/** Bodies are cut at 64 MB. */
const PAYLOAD_BYTES_MAX = 1024 * 1024 * 1024
/** The capture, the request and how it was reached. A few more are refused one by one, where records are checked. */
const MEMBERS_MAX = 16
const ID_CHARS_MAX = 100

const count = z.number().int().min(0)
const url = z.string().max(URL_CHARS_MAX)

const requestOf = {
  fence: count,
  collectionId: count,
  hostId: count,
  hash: count,
}

const failedResult = z.object({
  ...requestOf,
  type: z.literal('failed'),
  url,
  code: z.string().max(ID_CHARS_MAX),
  message: cutText(1_000),
  retry: z.enum(['now', 'later', 'never']),
  endedAgoMs: reportedMs(DAY_MS),
  totalMs: reportedMs(HOUR_MS),
  /** How long a wiki that refuses logins now wants to be left alone. */
  retryAfterMs: reportedMs(DAY_MS).nullish(),
})

/** Not dialled at all: the block ended, the agent is stopping, or the host asked for a pause. */
const returnedResult = z.object({
  ...requestOf,
  type: z.literal('returned'),
})

export const certificateFacts = z.object({
  digest: shortText(100),
  issuer: shortText(300),
  subject: shortText(300),
  validUntil: writableMs(),
})

/** The page took too long or too much memory to read, or could not be read at all. */
const UNREAD_CODES = ['page:too-slow', 'page:too-large', 'page:unreadable'] as const
export type UnreadCode = (typeof UNREAD_CODES)[number]

const capturedResult = z
  .object({
    ...requestOf,
    type: z.literal('captured'),
    /** As it was asked for. */
    kind: z.enum(['page', 'robots', 'sitemap', 'document']),
    url,
    status: z.number().int().min(0).max(999),
    capturedAt: z.number(),
    endedAgoMs: reportedMs(DAY_MS),
    /** From dialling to an open connection, without TLS; null when one was open already. Older agents
     * do not say. */
    connectMs: reportedMs(HOUR_MS).nullish(),
    /** From the call to the first byte, connecting included. */
    firstByteMs: reportedMs(HOUR_MS),
    totalMs: reportedMs(HOUR_MS),
    record: z.enum(['response', 'revisit']),
    mime: cutText(255),
    digest: z.string().max(ID_CHARS_MAX),
    payloadBytes: count.max(PAYLOAD_BYTES_MAX),
    /** Lengths in bytes of the WARC members in the upload; the capture's own record is the first. */
    members: z.array(z.number().int().positive()).min(1).max(MEMBERS_MAX),
    retryAfterMs: reportedMs(DAY_MS).nullable(),
    /** What the server showed over TLS. */
    certificate: certificateFacts.nullish(),
    /** The Content-Encoding that the answer came in, if any. */
    encoding: cutText(255).nullish(),
    /** Where a redirect leads, resolved and canonical. */
    location: wholeText(URL_CHARS_MAX),
    etag: wholeText(HEADER_CHARS_MAX),
    lastModified: wholeText(HEADER_CHARS_MAX),
    title: cutText(10_000).nullable(),
    nofollow: z.boolean(),
    links: z.array(url),
    /** How many links were beyond the limit of one page. Older agents do not say. */
    linksDropped: count.optional(),
    /** Links to what a page is shown with (images, styles): they do not add to the depth. */
    embeds: z.array(url),
    /** Further sitemaps that a sitemap index lists. */
    sitemaps: z.array(url),
    /** For robots.txt only: the body, base64. */
    body: z.string().max(ROBOTS_CHARS_MAX).nullable(),
    /** Why nothing was read from the page, which is captured all the same. Older agents do not say. */
    unread: z.enum(UNREAD_CODES).nullish().catch(null),
  })
  .transform(boundLinks)

interface LinkLists {
  kind: RequestKind
  links: string[]
  embeds: string[]
  sitemaps: string[]
}

/** The first links of a document: no result fills the memory or the frontier alone. */
export function boundLinks<R extends LinkLists>(result: R): R {
  const isSitemap = result.kind === 'sitemap'
  const most = isSitemap ? SITEMAP_LINKS_MAX : LINKS_MAX
  const characters = isSitemap ? SITEMAP_CHARS_MAX : LINK_CHARS_MAX
  return {
    ...result,
    links: firstOf(result.links, most, characters),
    embeds: firstOf(result.embeds, LINKS_MAX, LINK_CHARS_MAX),
    sitemaps: firstOf(result.sitemaps, most, characters),
  }
}

function firstOf(urls: string[], most: number, charactersMax: number): string[] {
  let [taken, characters] = [0, 0]
  while (taken < urls.length && taken < most) {
    characters += urls[taken]!.length
    if (characters > charactersMax) break
    taken += 1
  }
  return urls.slice(0, taken)
}

export const resultMessage = z.discriminatedUnion('type', [
  capturedResult,
  failedResult,
  returnedResult,
])
export type Result = z.infer<typeof resultMessage>
export type CapturedResult = z.infer<typeof capturedResult>
export type FailedResult = z.infer<typeof failedResult>

/** The code of a failure in the place of a capture whose records do not hold. It says nothing about the site. */
export const BAD_RECORD = 'MINGA_BAD_RECORD'

export const uploadManifest = z.object({
  boot: z.string().max(ID_CHARS_MAX),
  results: z.array(resultMessage).max(10_000),
})
export type UploadManifest = z.infer<typeof uploadManifest>

export interface UploadAnswer {
  accepted: number
  /** Results whose lease had been taken over: dropped, never stored twice. */
  stale: number
}
