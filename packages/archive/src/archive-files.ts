/** The files of an archive: the only place in this package that touches the disk. */

import { createReadStream } from 'node:fs'
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface ByteRange {
  start: number
  /** Exclusive. */
  end: number
}

const READ_BYTES = 256 * 1024

/** The bytes of a file or a part of it. A handle stays open. */
export async function* readChunks(
  file: string | FileHandle,
  range?: ByteRange,
): AsyncGenerator<Buffer> {
  if (range && range.end <= range.start) return
  const bounds = range ? { start: range.start, end: range.end - 1 } : {}
  const options = { highWaterMark: READ_BYTES, ...bounds }
  const stream =
    typeof file === 'string'
      ? createReadStream(file, options)
      : file.createReadStream({ ...options, autoClose: false })
  for await (const chunk of stream) yield chunk as Buffer
}

/** Lines without their line breaks; the last one need not have any. */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of readChunks(file)) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n')
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

export async function fileBytes(path: string): Promise<number> {
  return (await stat(path)).size
}

export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true })
}

/**
 * Writes to a temporary file in the same folder, makes it durable, then renames: readers see the
 * old file or the new one, and a crash leaves at most a `.tmp` that the next run overwrites.
 */
export async function writeWhole<T>(
  path: string,
  write: (file: FileHandle) => Promise<T>,
): Promise<T> {
  const temporary = `${path}.tmp`
  const file = await open(temporary, 'w')
  try {
    const result = await write(file)
    await file.sync()
    await file.close()
    await rename(temporary, path)
    await syncFolder(dirname(path))
    return result
  } catch (error) {
    await file.close().catch(() => {})
    await removeFile(temporary)
    throw error
  }
}

/** A rename is only durable once its folder is. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
