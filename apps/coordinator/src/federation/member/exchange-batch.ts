/**
 * A batch between stations: one zstd frame of lines of JSON. The first line describes the collections that
 * the batch speaks of, every other is a row of the sender's outbox.
 */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { CollectionPayload, ReceivedRow, ShippedRow } from '@minga/frontier'
import { canonicalUrl } from '@minga/net'
import { BadUpload, collectionSpec } from '@minga/protocol'
import { z } from 'zod'

/** Unpacked: a few times what is sent at once. Reading more would take seconds, and so would storing it. */
const BYTES_MAX = 16 * 1024 * 1024
/** Rows and descriptions of what is sent at once, in characters; only a single row may be more. */
const SENT_CHARS_MAX = 6_000_000
const TEXT_MAX = 8_192
const URLS_MAX = 100_000
/** Of one description. No federation comes near it. */
const SHARES_MAX = 10_000

/** The first rows that make one batch with the descriptions of their collections; at least one if there is any. */
export function rowsOfBatch(
  rows: readonly ShippedRow[],
  collections: readonly CollectionPayload[],
): ShippedRow[] {
  const specs = new Map(collections.map(({ identity, spec }) => [identity, spec.length]))
  let chars = 0
  const end = rows.findIndex(({ identity, payload }, position) => {
    const described = specs.get(identity ?? '') ?? 0
    specs.delete(identity ?? '')
    chars += payload.length + described
    return position > 0 && chars > SENT_CHARS_MAX
  })
  return rows.slice(0, end === -1 ? rows.length : end)
}

export function encodeBatch(
  rows: readonly ShippedRow[],
  collections: readonly CollectionPayload[],
): Buffer {
  const lines = [JSON.stringify({ collections })]
  for (const { seq, kind, identity, payload } of rows) {
    // The payload is JSON already.
    const head = JSON.stringify({ seq, kind, identity })
    lines.push(`${head.slice(0, -1)},"payload":${payload}}`)
  }
  return zstdCompressSync(lines.join('\n'))
}

const count = z.number().int().min(0)
const text = z.string().max(TEXT_MAX)
/** Canonical as everything in the seen-set: another spelling would be another page. */
const address = text.refine((url) => canonicalUrl(url) === url)
const tuple = z.tuple([address, z.enum(['page', 'sitemap']), count, count, text.nullable()])
const urls = z.array(tuple).max(URLS_MAX)
const done = z.array(address).max(URLS_MAX)
const share = z.object({ pages: count.nullable(), bytes: count.nullable() })

const collection = z.object({
  identity: z.string().min(1).max(100),
  spec: z.string().refine(isCrawl),
  state: z.enum(['running', 'paused', 'finished', 'cancelled']),
  reason: text.nullable(),
  home: text.nullable(),
  version: count,
  versionBy: text.nullable(),
  shares: z
    .record(z.string(), share)
    .refine((shares) => Object.keys(shares).length <= SHARES_MAX)
    .nullable(),
})

/** Stations share crawls, and nothing that is their own. */
function isCrawl(json: string): boolean {
  try {
    return collectionSpec.safeParse(JSON.parse(json)).data?.kind === 'crawl'
  } catch {
    return false
  }
}

const clock = z.object({
  host: z.string().min(1).max(300),
  epoch: count,
  restMs: count,
  crawlDelayMs: count,
  backoffMs: count,
})

const ofCollection = { seq: count, identity: z.string() }
const received = z.discriminatedUnion('kind', [
  z.object({ ...ofCollection, kind: z.literal('urls'), payload: z.object({ urls }) }),
  z.object({
    ...ofCollection,
    kind: z.literal('journal'),
    payload: z.object({ found: urls, done }),
  }),
  z.object({
    ...ofCollection,
    kind: z.literal('handover'),
    payload: z.object({ host: z.string().nullable(), found: urls, done }),
  }),
  z.object({
    seq: count,
    kind: z.literal('over'),
    payload: z.object({ hosts: z.array(clock).max(URLS_MAX) }),
  }),
  z.object({ seq: count, kind: z.literal('collection'), payload: collection }),
])

export interface Batch {
  collections: CollectionPayload[]
  rows: ReceivedRow[]
}

/** May take seconds for input crafted to be slow: see `exchange.ts` for where it is called. */
export function decodeBatch(body: Uint8Array): Batch {
  const [first, ...lines] = unpacked(body)
  const { collections, rows } = parsed(first, lines)
  const known = new Set(collections.map(({ identity }) => identity))
  for (const row of rows) {
    const isKnown = !('identity' in row) || known.has(row.identity)
    if (!isKnown) throw new BadUpload('it speaks of a collection that it does not describe')
  }
  return { collections, rows }
}

function parsed(first: unknown, lines: readonly unknown[]): Batch {
  try {
    const { collections } = z.object({ collections: z.array(collection) }).parse(first)
    return { collections, rows: lines.map((line): ReceivedRow => received.parse(line)) }
  } catch (cause) {
    if (!(cause instanceof z.ZodError)) throw cause
    throw new BadUpload('its rows are not as agreed', { cause })
  }
}

function unpacked(body: Uint8Array): unknown[] {
  try {
    const lines = zstdDecompressSync(body, { maxOutputLength: BYTES_MAX }).toString().split('\n')
    return lines.map((line) => JSON.parse(line) as unknown)
  } catch (cause) {
    throw new BadUpload('it is no batch of lines in a zstd frame', { cause })
  }
}
