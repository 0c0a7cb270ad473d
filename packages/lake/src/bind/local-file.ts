/** A file on this machine, read by parts. */
import fs from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { createGunzip } from 'node:zlib'
import { BadInput } from '../errors.ts'
import type { ByteSource } from '../split/units.ts'

export interface LocalFile extends ByteSource {
  path: string
  changedAtMs: number
  close(): Promise<void>
}

export async function openLocalFile(path: string): Promise<LocalFile> {
  const handle = await fs.open(path, 'r').catch((cause: unknown) => {
    throw BadInput.unreadable(path, cause)
  })
  const stat = await handle.stat()
  if (!stat.isFile()) {
    await handle.close()
    throw BadInput.noFile(path)
  }
  return {
    path,
    bytes: stat.size,
    changedAtMs: stat.mtimeMs,
    read: async (into, at) => (await handle.read(into, 0, into.length, at)).bytesRead,
    close: () => handle.close(),
  }
}

export async function readPart(source: ByteSource, from: number, atMost: number): Promise<Buffer> {
  const part = Buffer.alloc(Math.max(0, Math.min(atMost, source.bytes - from)))
  let filled = 0
  while (filled < part.length) {
    const read = await source.read(part.subarray(filled), from + filled)
    if (read === 0) break
    filled += read
  }
  return part.subarray(0, filled)
}

/** The beginning of what a gzip file holds; damage further on is found when it is read. */
export async function readUnpacked(path: string, atMost: number): Promise<Buffer> {
  const packed = createReadStream(path)
  const unpacking = createGunzip()
  packed.on('error', (error) => unpacking.destroy(error))
  packed.pipe(unpacking)
  const pieces: Buffer[] = []
  let bytes = 0
  try {
    for await (const piece of unpacking as AsyncIterable<Buffer>) {
      pieces.push(piece)
      bytes += piece.length
      if (bytes >= atMost) break
    }
  } catch (cause) {
    if (bytes === 0) throw BadInput.unreadable(path, cause)
  } finally {
    packed.destroy()
  }
  return Buffer.concat(pieces).subarray(0, atMost)
}
