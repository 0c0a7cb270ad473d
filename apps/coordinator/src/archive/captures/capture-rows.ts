/** Writing the captures table: what crawls keep and what imported files hold, in one form. */
import type { CaptureRow } from '@minga/protocol'
import type { Sql, Value } from '@minga/store'

export interface NewCapture extends Omit<CaptureRow, 'id'> {
  hostId: number
  hash: number
  payloadBytes: number
  etag: string | null
  lastModified: string | null
  /** Who fetched it; null for what was imported. */
  device: string | null
  /** 1 when it may be served as verified (see trust). */
  verified: 0 | 1
}

/** Column → where its value comes from. */
const COLUMNS: Record<string, keyof NewCapture> = {
  collection_id: 'collectionId',
  host_id: 'hostId',
  hash: 'hash',
  url: 'url',
  captured_at: 'capturedAt',
  kind: 'kind',
  status: 'status',
  mime: 'mime',
  digest: 'digest',
  payload_bytes: 'payloadBytes',
  file: 'file',
  offset_bytes: 'offset',
  length_bytes: 'length',
  record_id: 'recordId',
  title: 'title',
  etag: 'etag',
  last_modified: 'lastModified',
  device: 'device',
  verified: 'verified',
}

export async function insertCaptures(sql: Sql, captures: readonly NewCapture[]): Promise<void> {
  const fields = Object.values(COLUMNS)
  await sql.insertMany({
    table: 'captures',
    columns: Object.keys(COLUMNS),
    rows: captures.map((capture) => fields.map((field): Value => capture[field])),
  })
}
