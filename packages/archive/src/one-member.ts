/** One member in memory, decoded at once: what a coordinator checks before it appends. */

import { constants, gunzipSync } from 'node:zlib'
import { ImpossibleRevisit, UnreadableRecord } from './errors.ts'
import { REVISIT_SAME_PAYLOAD, revisitHeaders, type Referred } from './exchange-members.ts'
import { inflateOneMember, inflateOneMemberLater } from './gzip-member.ts'
import { bareUri, findHeadEnd, HEAD_BYTES_MAX, HeaderLines } from './header-lines.ts'
import { parseRecordHead } from './record-head.ts'
import { encodeRecord } from './warc-record.ts'

export interface DecodedMember {
  version: string
  type: string
  headers: HeaderLines
  block: Buffer
}

/** A volunteer may send a few kilobytes that unpack to gigabytes; larger captures are cut anyway. */
const LARGEST_MEMBER_BYTES = 256 * 1024 * 1024

/** Throws `UnreadableRecord` unless the buffer is exactly one whole record in gzip. */
export function decodeMember(
  member: Buffer,
  limitBytes: number = LARGEST_MEMBER_BYTES,
): DecodedMember {
  return recordIn(wholeOf(member, inflateOneMember(member, limitBytes)))
}

/** The same, unpacked off the main thread. */
export async function unpackMember(member: Buffer, limitBytes: number): Promise<DecodedMember> {
  return recordIn(wholeOf(member, await inflateOneMemberLater(member, limitBytes)))
}

function recordIn(content: Buffer): DecodedMember {
  const end = findHeadEnd(content)
  if (end && end.headBytes > HEAD_BYTES_MAX) {
    throw new UnreadableRecord('the member', 'its WARC head is too long.')
  }
  const head = end && parseRecordHead(content.subarray(0, end.headBytes))
  if (!end || !head || 'why' in head) {
    throw new UnreadableRecord(
      'the member',
      head && 'why' in head ? head.why : 'it has no WARC head.',
    )
  }
  const blockEnd = end.bodyAt + head.blockBytes
  if (content.toString('latin1', blockEnd) !== '\r\n\r\n') {
    throw new UnreadableRecord('the member', 'its Content-Length is not the length of its block.')
  }
  return { ...head, block: content.subarray(end.bodyAt, blockEnd) }
}

/**
 * Node's gunzip joins several members silently. A second one would be an unchecked record, and
 * other tools would find it in the archive.
 */
function wholeOf(
  member: Buffer,
  { content, usedBytes }: { content: Buffer; usedBytes: number },
): Buffer {
  if (usedBytes !== member.length) {
    throw new UnreadableRecord('the member', 'something follows the gzip data.')
  }
  return content
}

const RECOMPUTED = new Set([
  'warc-type',
  'warc-block-digest',
  'content-length',
  'warc-profile',
  'warc-refers-to',
  'warc-refers-to-target-uri',
  'warc-refers-to-date',
])

/** Holds the first header lines of any record, packed or not; the rest need not be unpacked. */
const START_BYTES = 1024

/** The WARC-Record-ID of a member in gzip; null when its start does not tell. */
export function recordIdOf(member: Uint8Array): string | null {
  try {
    const finishFlush = constants.Z_SYNC_FLUSH
    const start = gunzipSync(member.subarray(0, START_BYTES), { finishFlush })
    const head = start.toString('utf8', 0, findHeadEnd(start)?.headBytes ?? start.length)
    return /^WARC-Record-ID:[ \t]*(\S+)[ \t]*\r?\n/im.exec(head)?.[1] ?? null
  } catch {
    return null
  }
}

/**
 * Turns a response member into an identical-payload revisit of a capture already held, perhaps
 * under another URL. The record keeps its identifier, so request and metadata still point to it.
 */
export function toRevisit(member: Buffer, referred: Referred): Buffer {
  const { type, headers, block } = decodeMember(member)
  if (type !== 'response') throw new ImpossibleRevisit(`it is of type ${type}, not response.`)
  const digest = headers.get('WARC-Payload-Digest')
  if (digest !== referred.digest) {
    throw new ImpossibleRevisit(`its payload is ${digest ?? 'unnamed'}, not ${referred.digest}.`)
  }
  const end = findHeadEnd(block)
  if (!end) throw new ImpossibleRevisit('its block has no HTTP head.')
  return encodeRecord({
    type: 'revisit',
    headers: [
      ...headers.pairs.filter(([name]) => !RECOMPUTED.has(name.toLowerCase())),
      ...revisitHeaders(REVISIT_SAME_PAYLOAD, referred),
    ],
    block: [block.subarray(0, end.bodyAt)],
  })
}

/** What a revisit says of the response that it repeats. */
export function referenceOf(headers: HeaderLines): {
  id: string | null
  url: string | null
  at: number | null
} {
  const at = Date.parse(headers.get('WARC-Refers-To-Date') ?? '')
  return {
    id: headers.get('WARC-Refers-To') ?? null,
    url: headers.uri('WARC-Refers-To-Target-URI') ?? null,
    at: Number.isNaN(at) ? null : at,
  }
}

/** The same revisit, referring to this response. The very same bytes when it does so already. */
export function referTo(member: Buffer, referred: Referred): Buffer {
  const { type, headers, block } = decodeMember(member)
  if (type !== 'revisit') throw new ImpossibleRevisit(`it is of type ${type}, not revisit.`)
  const { id, url, at } = referenceOf(headers)
  const { recordId, capturedAt } = referred
  if (id === recordId && url === referred.url && at === capturedAt) return member
  const profile = headers.get('WARC-Profile') ?? REVISIT_SAME_PAYLOAD
  const kept = headers.pairs.filter(([name]) => !RECOMPUTED.has(name.toLowerCase()))
  return encodeRecord({
    type: 'revisit',
    headers: [...kept.map((pair) => bareUri(pair)), ...revisitHeaders(profile, referred)],
    block: [block],
  })
}
