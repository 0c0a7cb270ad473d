/**
 * A record that may not be kept any more is overwritten in place by a tombstone of exactly its
 * length, so that every other record stays where indexes say it is. A tombstone is an ordinary
 * metadata record which any reader passes over.
 *
 * In gzip the room that is left is filled where no reader looks: an extra field of the header
 * (RFC 1952 §2.3.1.1), and beyond what that holds empty stored blocks, five bytes each, that
 * inflate to nothing (RFC 1951 §3.2.4). In a plain file it is filled with spaces inside the block.
 */
import type { Instant } from '@minga/protocol'
import { crc32, deflateRawSync } from 'node:zlib'
import { sha256Label } from './digest.ts'
import type { RecordHead } from './record-head.ts'
import { oneLine, recordId, warcDate, type HeaderPair } from './warc-record.ts'

export interface Tombstone {
  /** Bare UUID of the tombstone itself. */
  id: string
  removedAt: Instant
  /** Of the removed record; null when it could not be read. */
  url: string | null
  /** WARC-Record-ID of the removed record, with its brackets. */
  refersTo: string | null
  reason: string
}

/** By this a tombstone is known from other metadata. */
const PROFILE = 'urn:minga:tombstone'

export function isTombstone({ type, headers }: Pick<RecordHead, 'type' | 'headers'>): boolean {
  return type === 'metadata' && headers.get('WARC-Profile') === PROFILE
}

/** One gzip member of exactly `length` bytes. */
export function tombstoneMember(tombstone: Tombstone, length: number): Buffer {
  for (const draft of drafts(tombstone)) {
    const content = recordOf(draft, draft.block.length)
    const deflated = deflateRawSync(content, { level: 9 })
    const room = length - HEAD_BYTES - deflated.length - TRAILER_BYTES
    // Two bytes say how long an extra field is: one byte alone cannot be filled.
    if (room === 0 || room >= 2) return padded({ deflated, content, room })
  }
  return lineBreaks(length)
}

/** One plain record of exactly `length` bytes. */
export function tombstoneRecord(tombstone: Tombstone, length: number): Buffer {
  for (const draft of drafts(tombstone)) {
    const blockBytes = blockBytesFor(draft, length)
    if (blockBytes !== null) return recordOf(draft, blockBytes)
  }
  return lineBreaks(length)
}

/** No record is so short that it comes to this; if one were, readers skip line breaks between records. */
function lineBreaks(length: number): Buffer {
  return Buffer.alloc(length, '\n')
}

interface Draft {
  headers: HeaderPair[]
  block: Buffer
}

/** From all that is worth saying down to the least that is a record: small members have little room. */
function drafts({ id, removedAt, url, refersTo, reason }: Tombstone): Draft[] {
  const least: HeaderPair[] = [
    ['WARC-Type', 'metadata'],
    ['WARC-Record-ID', recordId(id)],
    ['WARC-Date', warcDate(removedAt)],
  ]
  const marked: HeaderPair[] = [...least, ['WARC-Profile', PROFILE]]
  const linked: HeaderPair[] =
    refersTo === null ? marked : [...marked, ['WARC-Refers-To', oneLine(refersTo)]]
  const named: HeaderPair[] = url === null ? linked : [...linked, ['WARC-Target-URI', oneLine(url)]]
  const typed: HeaderPair[] = [...named, ['Content-Type', 'application/warc-fields']]
  const why = (chars: number): Buffer => {
    const text = oneLine(reason)
    const cut = text.length > chars ? `${text.slice(0, chars).toWellFormed()}…` : text
    return Buffer.from(`removed: ${warcDate(removedAt)}\r\nreason: ${cut}\r\n`)
  }
  const none = Buffer.alloc(0)
  return [
    { headers: typed, block: why(REASON_CHARS) },
    { headers: typed, block: why(SHORT_REASON_CHARS) },
    { headers: named, block: none },
    { headers: linked, block: none },
    { headers: marked, block: none },
    { headers: least, block: none },
  ]
}

const REASON_CHARS = 2_000
const SHORT_REASON_CHARS = 40

const RECORD_END = '\r\n\r\n'

/** With spaces behind what the block says. */
function recordOf({ headers, block }: Draft, blockBytes: number): Buffer {
  const filled = Buffer.alloc(blockBytes, ' ')
  block.copy(filled)
  const digest: HeaderPair[] =
    block.length === 0 ? [] : [['WARC-Block-Digest', sha256Label([filled])]]
  return Buffer.concat([Buffer.from(headOf([...headers, ...digest], blockBytes)), filled, END])
}

const END = Buffer.from(RECORD_END)

function headOf(headers: readonly HeaderPair[], blockBytes: number): string {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return `WARC/1.1\r\n${lines}Content-Length: ${blockBytes}\r\n\r\n`
}

/** How long the block must be for the record to have this length; null when it cannot be. */
function blockBytesFor(draft: Draft, length: number): number | null {
  const bare = recordOf(draft, draft.block.length).length - draft.block.length
  const digits = String(draft.block.length).length
  for (let more = 0; more <= LENGTH_DIGITS; more++) {
    const blockBytes = length - bare - more
    if (blockBytes < draft.block.length) return null
    if (String(blockBytes).length === digits + more) return blockBytes
  }
  return null
}

/** A block that grows by one digit of its length makes its record longer by two. */
const LENGTH_DIGITS = 10

const HEAD_BYTES = 10
const TRAILER_BYTES = 8
const EXTRA_BYTES_MAX = 0xffff
const EMPTY_BLOCK = Buffer.from([0, 0, 0, 0xff, 0xff])
const HAS_EXTRA = 4
/** Subfields of an extra field have two letters and a length. */
const SUBFIELD_HEAD_BYTES = 4

interface Padding {
  deflated: Buffer
  content: Buffer
  room: number
}

function padded({ deflated, content, room }: Padding): Buffer {
  const beyond = Math.max(0, room - 2 - EXTRA_BYTES_MAX)
  const blocks = Math.ceil(beyond / EMPTY_BLOCK.length)
  const extra = extraField(room - blocks * EMPTY_BLOCK.length)
  const flags = extra.length > 0 ? HAS_EXTRA : 0
  const head = Buffer.from([0x1f, 0x8b, 8, flags, 0, 0, 0, 0, 2, 255])
  const trailer = Buffer.alloc(TRAILER_BYTES)
  trailer.writeUInt32LE(crc32(content), 0)
  trailer.writeUInt32LE(content.length, 4)
  const filler = Buffer.alloc(blocks * EMPTY_BLOCK.length, EMPTY_BLOCK)
  return Buffer.concat([head, extra, filler, deflated, trailer])
}

/** Exactly `bytes` long; none when that is 0. */
function extraField(bytes: number): Buffer {
  const field = Buffer.alloc(bytes)
  if (bytes === 0) return field
  field.writeUInt16LE(bytes - 2, 0)
  if (bytes - 2 >= SUBFIELD_HEAD_BYTES) {
    field.write('mt', 2, 'latin1')
    field.writeUInt16LE(bytes - 2 - SUBFIELD_HEAD_BYTES, 4)
  }
  return field
}
