/**
 * Captures of a WARC file as lines of JSON, so that they are cleaned and counted like any others.
 * Where the file was cut no row tells: offsets count from its beginning, and what ends at a cut is
 * checked together with what follows.
 */
import { indexEntry, readRecords, type WarcDamage, type WarcRecord } from '@minga/archive'
import { BadInput } from '../errors.ts'

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

export interface WarcPart {
  /** Name of the file, for error messages. */
  name: string
  from: number
  to: number
  fileBytes: number
  read(bounds: { from: number; to: number }): AsyncIterable<Uint8Array>
}

type Item = WarcRecord | WarcDamage

/** Heads of HTTP are far smaller; bodies are not needed. */
const HEAD_BYTES = 256 * 1024
const PIECE_CHARACTERS = 256 * 1024

export async function* warcLines(part: WarcPart): AsyncGenerator<Buffer> {
  let lines = ''
  const { from, to } = part
  for await (const item of readRecords(part.read({ from, to }), { blockLimitBytes: HEAD_BYTES })) {
    const row =
      'damage' in item ? damageRow(await damageIn(part, item), from) : captureRow(item, from)
    if (row === null) continue
    lines += `${JSON.stringify(row)}\n`
    if (lines.length < PIECE_CHARACTERS) continue
    yield Buffer.from(lines)
    lines = ''
  }
  if (lines !== '') yield Buffer.from(lines)
}

/**
 * What seems to end too early may have been cut off by us. If it continues well behind the cut, the
 * cut is wrong, and so is what another task reads from there; if not, it is damaged as it would be
 * in one piece.
 */
async function damageIn(part: WarcPart, item: WarcDamage): Promise<WarcDamage> {
  const { offset, code } = item.damage
  if (code !== 'truncated' || part.to === part.fileBytes) return item
  const bounds = { from: part.from + offset, to: part.fileBytes }
  for await (const again of readRecords(part.read(bounds), { blockLimitBytes: 0 })) {
    if (offsetOf(again) > 0) break
    if ('damage' in again) return { damage: { ...again.damage, offset } }
  }
  throw BadInput.cutInside(part.name, part.to)
}

const offsetOf = (item: Item): number => ('damage' in item ? item.damage.offset : item.offset)

/** Without an address, so that a rule which needs one counts it. */
const damageRow = ({ damage }: WarcDamage, from: number): object => ({
  offset: from + damage.offset,
  damage: damage.code,
})

function captureRow(record: WarcRecord, from: number): object | null {
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
    offset: from + record.offset,
  }
}
