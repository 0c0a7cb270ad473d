/** From a WARC file to its index lines. */

import { basename } from 'node:path'
import { readChunks } from './archive-files.ts'
import { cdxjTimestamp, type CdxjEntry } from './cdxj.ts'
import { mediaType } from './exchange-members.ts'
import { parseHttpBlock } from './http-block.ts'
import { readRecords, type WarcDamage, type WarcRecord } from './warc-reader.ts'

export interface IndexOptions {
  /** Damage does not stop indexing; this is called for it. */
  onDamage?: (damage: WarcDamage['damage']) => void
}

/** HTTP heads are far smaller; the body is not needed. */
const HEAD_BYTES = 256 * 1024

/** Captures that can be read alone, in file order; nothing for records in a shared gzip member. */
export async function* indexWarc(
  file: string,
  options: IndexOptions = {},
): AsyncGenerator<CdxjEntry> {
  for await (const item of readRecords(readChunks(file), { blockLimitBytes: HEAD_BYTES })) {
    if ('damage' in item) {
      options.onDamage?.(item.damage)
      continue
    }
    const entry = indexEntry(item, basename(file))
    if (entry) yield entry
  }
}

/** Null for records that are not captures. */
export function indexEntry(record: WarcRecord, filename: string): CdxjEntry | null {
  const url = record.headers.uri('WARC-Target-URI')
  const at = Date.parse(record.headers.get('WARC-Date') ?? '')
  const seen = whatWasSeen(record)
  if (record.storage === 'shared-member' || !seen || url === undefined || Number.isNaN(at))
    return null
  return {
    timestamp: cdxjTimestamp(at),
    url,
    ...seen,
    digest: record.headers.get('WARC-Payload-Digest') ?? '-',
    length: record.length,
    offset: record.offset,
    filename,
  }
}

function whatWasSeen(record: WarcRecord): Pick<CdxjEntry, 'mime' | 'status'> | null {
  if (record.type === 'resource') return { mime: mediaType(record.headers.pairs), status: '200' }
  const isHttp = /^application\/http\b/i.test(record.headers.get('Content-Type') ?? '')
  const answer = isHttp ? parseHttpBlock(record.block) : null
  if (record.type === 'revisit') {
    return { mime: 'warc/revisit', status: answer ? String(answer.status) : '-' }
  }
  if (record.type !== 'response' || !answer) return null
  return { mime: mediaType(answer.headers.pairs), status: String(answer.status) }
}
