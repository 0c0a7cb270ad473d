/** A capture's decoded body, read back from its WARC file. */
import { parseHttpBlock, readRecordAt } from '@minga/archive'
import { canonicalUrl, decodeContent } from '@minga/net'
import type { Store } from '@minga/store'
import { join } from 'node:path'
import type { ContentPlace } from './captures.ts'
import { NoSuchCapture } from './errors.ts'

/** A reader asks for all of it: the limits only stop bombs. */
const WHOLE = { bytesMax: 1024 * 1024 * 1024, ratioMax: 2_000 }

export interface CaptureContent {
  headers: Record<string, string>
  body: Buffer
}

export async function readContent(
  parts: { store: Store; data: string },
  query: { url: string; at: number | null },
): Promise<CaptureContent> {
  const url = canonicalUrl(query.url) ?? query.url
  const place = await parts.store.call<ContentPlace | null>('captureContent', { url, at: query.at })
  if (place === null) throw new NoSuchCapture(query.url)
  const { capture, payload } = place
  const file = join(parts.data, 'archive', payload.file)
  const record = await readRecordAt(file, payload.offset, payload.length)
  const http = parseHttpBlock(record.block)
  const encoding = http?.headers.all('content-encoding').join(',') || undefined
  const { bytes } = decodeContent(http?.body ?? record.block, encoding, WHOLE)
  return {
    body: bytes,
    headers: {
      // Never rendered as a page of the station itself: archived scripts must not run here.
      'content-type': 'application/octet-stream',
      'x-minga-mime': payload.mime,
      'x-minga-captured-at': new Date(capture.capturedAt).toISOString(),
      'x-minga-status': String(capture.status),
    },
  }
}
