/**
 * `archive/index.cdxj`, derived from the captures table: written under another name, synced and
 * renamed, so that readers see the old index or the new one, never half of one.
 */
import { cdxjTimestamp, writeCdxjFile, type CdxjEntry } from '@minga/archive'
import type { Store } from '@minga/store'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { CaptureRow } from './captures.ts'

/** Rows per read: long enough to be quick, short enough not to hold up the store. */
const PAGE_ROWS = 5_000

export interface ArchiveIndex {
  file: string
  captures: number
}

export async function writeArchiveIndex(store: Store, data: string): Promise<ArchiveIndex> {
  const folder = join(data, 'archive')
  const file = join(folder, 'index.cdxj')
  const facts = await store.call<{ lastId: number; captures: number }>('archiveFacts', {})
  const done = await store.call<string | null>('readFact', { name: 'indexedUpTo' })
  if (done === String(facts.lastId) && facts.lastId > 0) return { file, captures: facts.captures }
  await mkdir(folder, { recursive: true })
  await writeCdxjFile(file, cdxjEntries(store))
  await store.call('writeFact', { name: 'indexedUpTo', value: String(facts.lastId) })
  return { file, captures: facts.captures }
}

async function* cdxjEntries(store: Store): AsyncGenerator<CdxjEntry> {
  for await (const capture of allCaptures(store)) {
    yield {
      url: capture.url,
      timestamp: cdxjTimestamp(capture.capturedAt),
      mime: capture.kind === 'revisit' ? 'warc/revisit' : capture.mime,
      status: String(capture.status),
      digest: capture.digest,
      length: capture.length,
      offset: capture.offset,
      filename: capture.file,
    }
  }
}

export async function* allCaptures(store: Store): AsyncGenerator<CaptureRow> {
  for (let afterId = 0; ; ) {
    const rows = await store.call<CaptureRow[]>('listCaptures', { afterId, limit: PAGE_ROWS })
    if (rows.length === 0) return
    yield* rows
    afterId = rows.at(-1)!.id
  }
}
