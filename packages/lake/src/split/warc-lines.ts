/**
 * Captures of a WARC file as lines of JSON, so that they are cleaned and counted like any others. A file is one unit:
 * where a record begins is known only to whoever read those before it.
 */
import { indexEntry, readRecords, type WarcDamage, type WarcRecord } from '@minga/archive'

export const WARC_FIELDS = [
  'url',
  'at',
  'status',
  'mime',
  'digest',
  'bytes',
  'kind',
  'offset',
  'damage',
]

/** Heads of HTTP are far smaller; bodies are not needed. */
const HEAD_BYTES = 256 * 1024
const PIECE_CHARACTERS = 256 * 1024

export async function* warcLines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let lines = ''
  for await (const item of readRecords(bytes, { blockLimitBytes: HEAD_BYTES })) {
    const row = 'damage' in item ? damageRow(item) : captureRow(item)
    if (row === null) continue
    lines += `${JSON.stringify(row)}\n`
    if (lines.length < PIECE_CHARACTERS) continue
    yield Buffer.from(lines)
    lines = ''
  }
  if (lines !== '') yield Buffer.from(lines)
}

/** Without an address, so that a rule which needs one counts it. */
const damageRow = ({ damage }: WarcDamage): object => ({
  offset: damage.offset,
  damage: damage.code,
})

function captureRow(record: WarcRecord): object | null {
  // Records of a shared gzip member cannot be opened alone, but here they are read one after another anyway.
  const entry = indexEntry({ ...record, storage: 'plain' }, '')
  if (entry === null) return null
  return {
    url: entry.url,
    at: record.headers.get('WARC-Date'),
    status: /^[0-9]+$/.test(entry.status) ? entry.status : null,
    mime: entry.mime,
    digest: entry.digest === '-' ? null : entry.digest,
    bytes: record.blockBytes,
    kind: record.type,
    offset: record.offset,
  }
}
