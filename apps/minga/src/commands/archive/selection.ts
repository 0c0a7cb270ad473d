/**
 * A part of the archive as a WARC of its own: the chosen captures and, for those that only refer
 * to an earlier payload, the captures they refer to, without which they could not be shown.
 */
import { warcinfoMember, writeCdxjFile, type CdxjEntry } from '@minga/archive'
import {
  playerEntryOf,
  readMember,
  SOFTWARE,
  type ArchiveFacts,
  type CaptureRow,
} from '@minga/coordinator'
import { systemClock } from '@minga/protocol'
import { createHash, randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { BadOption } from '../../errors.ts'
import { appendTo } from './folder.ts'
import { wantedCaptures, type ExportJob, type ExportSource } from './wanted.ts'

const FILE = 'selection.warc.gz'

export async function writeSelection(job: ExportJob): Promise<ExportSource> {
  const { lastId } = await job.api.get<ArchiveFacts>('/archive/facts')
  const warc = join(job.temporary, FILE)
  const cdxjPath = join(job.temporary, 'index.cdxj')
  const captures = await writeCdxjFile(cdxjPath, copiedEntries(job, warc, lastId))
  if (captures === 0) {
    const { urlPrefix, collection } = job.options
    const option = urlPrefix === undefined ? '--collection' : '--url-prefix'
    throw new BadOption(option, 'one that has captures', urlPrefix ?? String(collection))
  }
  return { warcFiles: [warc], cdxjPath, lastId }
}

/** Copies each record, revisits with the reference that they should have, and says where it is now. */
async function* copiedEntries(
  job: ExportJob,
  warc: string,
  lastId: number,
): AsyncGenerator<CdxjEntry> {
  const createdAt = systemClock.now()
  const info = { id: randomUUID(), createdAt, fileName: FILE, software: SOFTWARE }
  let offset = await appendTo(warc, warcinfoMember(info))
  const copied = new Set<string>()
  for await (const wanted of wantedCaptures(job, lastId)) {
    const payload = await payloadOf(job, wanted)
    for (const row of payload === wanted || payload === null ? [wanted] : [payload, wanted]) {
      const place = placeOf(row)
      if (copied.has(place)) continue
      copied.add(place)
      const bytes = await readMember(job.data, row, payload)
      yield { ...playerEntryOf(row), filename: FILE, offset, length: bytes.length }
      offset += await appendTo(warc, bytes)
    }
  }
}

/** Short, because millions of them are kept in memory. */
function placeOf(row: CaptureRow): string {
  return createHash('md5').update(`${row.file}@${row.offset}`).digest('base64')
}

/** Null when it is not in the archive. */
async function payloadOf({ api }: ExportJob, row: CaptureRow): Promise<CaptureRow | null> {
  if (row.kind === 'response') return row
  const asked = new URLSearchParams({ url: row.url, at: String(row.capturedAt) })
  const place = await api
    .get<{ payload: CaptureRow }>(`/captures/place?${asked.toString()}`)
    .catch(() => null)
  return place?.payload ?? null
}
