/** The journals of other stations, kept as they come, packed. */
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import type { Sql } from '@minga/store'
import type { JournalPayload } from './entries.ts'

export interface KeptBatch {
  station: string
  /** Of its first row: unique for that station. */
  seq: number
  collectionId: number
  journal: JournalPayload
}

export async function keepBatch(sql: Sql, batch: KeptBatch): Promise<void> {
  const { station, seq, collectionId, journal } = batch
  await sql.insertMany({
    table: 'kept_batches',
    columns: ['station', 'seq', 'collection_id', 'payload'],
    rows: [[station, seq, collectionId, zstdCompressSync(JSON.stringify(journal))]],
    onConflict: 'ignore',
  })
}

export function unpackKept(payload: Uint8Array): JournalPayload {
  return JSON.parse(zstdDecompressSync(payload).toString()) as JournalPayload
}
