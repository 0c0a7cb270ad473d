/**
 * `archive/index.cdxj`, derived from the captures table: written under another name, synced and
 * renamed, so that readers see the old index or the new one, never half of one.
 */
import { cdxjTimestamp, writeCdxjFile, type CdxjEntry } from '@minga/archive'
import type { CaptureRow } from '@minga/protocol'
import type { Store } from '@minga/store'
import { mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { runExclusive } from '@minga/protocol/run-exclusive'
import type { Operations } from '../../station/station-operations.ts'

/** Rows per read: long enough to be quick, short enough not to hold up the store. */
const PAGE_ROWS = 5_000

export interface ArchiveIndex {
  file: string
  captures: number
}

/** Two writers would share the temporary files, hence one at a time. */
export function writeArchiveIndex(store: Store<Operations>, data: string): Promise<ArchiveIndex> {
  return runExclusive(store, () => writeIfStale(store, data))
}

async function writeIfStale(store: Store<Operations>, data: string): Promise<ArchiveIndex> {
  const folder = join(data, 'archive')
  const file = join(folder, 'index.cdxj')
  const { lastId, captures } = await store.call('archiveFacts', {})
  // The count too: on PostgreSQL a smaller id may be committed after a larger one.
  const state = `${lastId}/${captures}`
  const done = await store.call('readFact', { name: 'indexed' })
  if (done === state && (await exists(file))) return { file, captures }
  await mkdir(folder, { recursive: true })
  await writeCdxjFile(file, cdxjEntries(store, lastId))
  await store.call('writeFact', { name: 'indexed', value: state })
  return { file, captures }
}

async function* cdxjEntries(store: Store<Operations>, lastId: number): AsyncGenerator<CdxjEntry> {
  for (let afterId = 0; afterId < lastId;) {
    const rows = await store.call('listCaptures', { afterId, limit: PAGE_ROWS })
    if (rows.length === 0) return
    for (const row of rows) if (row.id <= lastId) yield cdxjEntryOf(row)
    afterId = rows.at(-1)!.id
  }
}

export function cdxjEntryOf(capture: CaptureRow): CdxjEntry {
  return {
    url: capture.url,
    timestamp: cdxjTimestamp(capture.capturedAt),
    mime: capture.kind === 'revisit' ? 'warc/revisit' : capture.mime,
    status: capture.status === 0 ? '-' : String(capture.status),
    digest: capture.digest,
    length: capture.length,
    offset: capture.offset,
    filename: capture.file,
  }
}

/**
 * With milliseconds: a player looks for what a revisit refers to from its exact date onwards, and would
 * pass over a response that seems to be of the beginning of that second, to a later one. And without
 * the status of a "not modified": a browser shows nothing under it, whatever it refers to.
 */
export function playerEntryOf(capture: CaptureRow): CdxjEntry {
  const entry = cdxjEntryOf(capture)
  const timestamp = cdxjTimestamp(capture.capturedAt, 17)
  return { ...entry, timestamp, status: entry.status === '304' ? '-' : entry.status }
}

async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    () => true,
    () => false,
  )
}
