/** A dump that lies in a file. */
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { DumpSource } from './compressed.ts'

const CHUNK_BYTES = 512 * 1024

export async function openDumpFile(path: string): Promise<DumpSource> {
  const { size } = await stat(path)
  return {
    size,
    path,
    read: (from) => createReadStream(path, { start: from, highWaterMark: CHUNK_BYTES }),
  }
}
