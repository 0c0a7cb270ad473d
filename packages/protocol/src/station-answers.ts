/**
 * What a station answers to its agents, checked field by field: a station may be broken, of another
 * version or hostile, and must not be able to crash or misuse the machines of its volunteers. Apart
 * from the messages, so that only an agent that has received an answer loads zod.
 */
import { z } from 'zod'
import { LOAD_MOST } from './agent-constants.ts'
import type { LoadOrder, LoadPart } from './load-tests.ts'
import type {
  LeaseResponse,
  Block,
  Challenge,
  Enrolment,
  HostBlock,
  UploadAnswer,
  Welcome,
} from './messages.ts'
import { plainText } from './plain-text.ts'

/** What an agent can ask for at once (see `askMessage`): more was never asked for. */
const REQUESTS_MAX = 10_000
const HOSTS_MAX = 2_000
/** Longer addresses exist, but no server takes them. */
const URL_CHARACTERS_MAX = 65_536
const TEXT_CHARACTERS_MAX = 2_000
const DAY_MS = 86_400_000

const wholeNumber = z.number().int()
const amount = z.number().min(0)
/** Longer than a day is as good as never, and timers overflow after 24 of them. */
const duration = z.number().transform((ms) => Math.min(Math.max(ms, 0), DAY_MS))
const url = z.string().max(URL_CHARACTERS_MAX)
/** It is shown to the owner of the machine. */
const shownText = z.string().transform((text) => plainText(text, TEXT_CHARACTERS_MAX))
/** It travels in a header or in a signature. */
const token = z.string().regex(/^[\x21-\x7e]{1,4000}$/)
const field = z.string().max(URL_CHARACTERS_MAX)

/** The answer, or the first thing that is wrong with it as `field: problem`. */
export type CheckedAnswer<T> = { answer: T } | { problem: string }

function reader<T>(schema: z.ZodType<T>): (json: unknown) => CheckedAnswer<T> {
  return (json) => {
    const read = schema.safeParse(json)
    if (read.success) return { answer: read.data }
    const [issue] = read.error.issues
    return { problem: plainText(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`, 200) }
  }
}

const previousCapture = z.object({
  digest: field,
  url,
  capturedAt: z.number(),
  recordId: field.nullable(),
  etag: field.nullable(),
  lastModified: field.nullable(),
})

const blockRequest = z.object({
  hash: wholeNumber,
  url,
  kind: z.enum(['page', 'robots', 'sitemap', 'document']),
  hops: wholeNumber,
  depth: wholeNumber,
  via: url.nullable(),
  previous: previousCapture.nullable(),
})

const logIn = z.union([
  z.object({ api: url, user: field, password: field }),
  z.object({ api: url, refused: z.object({ code: shownText, message: shownText }) }),
])

const hostBlock: z.ZodType<HostBlock> = z.object({
  hostId: wholeNumber,
  collectionId: wholeNumber,
  address: z.string().max(100),
  delayMs: duration,
  restFactor: z.object({ times: amount, atMostMs: duration }).exactOptional(),
  threads: wholeNumber.min(1).max(1_000),
  bytesPerSecond: z.number().positive().nullable(),
  authorization: field.exactOptional(),
  logIns: z.array(logIn).max(HOSTS_MAX).exactOptional(),
  requests: z.array(blockRequest).max(REQUESTS_MAX),
})

const block: z.ZodType<Block> = z
  .object({
    fence: wholeNumber,
    deadlineMs: duration,
    hosts: z.array(hostBlock).max(HOSTS_MAX),
  })
  .refine(
    ({ hosts }) => hosts.reduce((sum, { requests }) => sum + requests.length, 0) <= REQUESTS_MAX,
    `more than ${REQUESTS_MAX} requests`,
  )

const loadShare = { visitors: amount, requestsPerSecond: amount, bytesLeft: amount }

const loadPart: z.ZodType<LoadPart> = z.object({
  ...loadShare,
  test: z.string().max(100),
  step: wholeNumber,
  urls: z.array(url).max(LOAD_MOST.urls + 1),
  address: z.string().max(100),
  thinkMs: duration,
  answerMsMax: duration,
  durationMsMax: amount,
})

const seenAddress = z.string().max(100).exactOptional()

export const readEnrolment = reader<Enrolment>(z.object({ device: token }))

export const readChallenge = reader<Challenge>(
  z.object({
    nonce: z.string().max(200),
    signatureAgent: url.nullable().exactOptional(),
  }),
)

export const readWelcome = reader<Welcome>(
  z.object({
    session: token,
    userAgent: z.string().min(1).max(TEXT_CHARACTERS_MAX),
    signatureAgent: url.nullable().exactOptional(),
    limits: z.object({ bodyBytesMax: wholeNumber.min(1) }),
    allowPrivateAddresses: z.boolean(),
    seenAddress,
  }),
)

export const readLease = reader<LeaseResponse>(
  z.object({
    block: block.nullable(),
    waitMs: duration,
    pause: z.object({ code: shownText, message: shownText }).exactOptional(),
    message: z.object({ text: shownText, ageMs: z.number() }).exactOptional(),
    load: loadPart.exactOptional(),
    seenAddress,
  }),
)

export const readUploaded = reader<UploadAnswer>(z.object({ accepted: amount, stale: amount }))

export const readLoadOrder = reader<LoadOrder>(
  z.object({
    ...loadShare,
    goOn: z.boolean(),
    step: wholeNumber,
  }),
)
