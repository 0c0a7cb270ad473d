/** One member in memory, decoded at once: what a coordinator checks before it appends. */

import { gunzipSync, type Gunzip } from 'node:zlib'
import { ImpossibleRevisit, UnreadableRecord } from './errors.ts'
import { REVISIT_SAME_PAYLOAD, revisitHeaders, type Referred } from './exchange-members.ts'
import { findHeadEnd, HeaderLines } from './header-lines.ts'
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
  const content = gunzipWhole(member, limitBytes)
  const end = findHeadEnd(content)
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

function gunzipWhole(member: Buffer, maxOutputLength: number): Buffer {
  let result: { buffer: Buffer; engine: Gunzip }
  try {
    result = gunzipSync(member, { info: true, maxOutputLength }) as unknown as typeof result
  } catch (error) {
    throw new UnreadableRecord('the member', `${(error as Error).message}.`)
  }
  // zlib ignores what follows the last member; appended to a file it would be damage.
  if (result.engine.bytesWritten !== member.length) {
    throw new UnreadableRecord('the member', 'something follows the gzip data.')
  }
  return result.buffer
}

const RECOMPUTED = new Set([
  'warc-type',
  'warc-block-digest',
  'content-length',
  'warc-profile',
  'warc-refers-to-target-uri',
  'warc-refers-to-date',
])

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
