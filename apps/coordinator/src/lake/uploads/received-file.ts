/** A file that arrives in parts, each checked by its digest; what has arrived is what the file holds. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DiskFull } from '@minga/store'
import { BadPart, UploadOffset } from '../lake-errors.ts'

export interface Part {
  offset: number
  /** Of the whole file. */
  total: number
  bytes: Buffer
  /** `sha256:` and its digits, of the part. */
  digest: string | undefined
}

export async function receivedBytes(path: string): Promise<number> {
  return (await stat(path).catch(() => null))?.size ?? 0
}

/**
 * How many bytes have arrived with this part. A part whose answer was lost is sent again and refused with where to
 * go on; one that was cut short by a crash is continued in its middle. Only one call at a time for a file.
 */
export async function appendPart(path: string, part: Part): Promise<number> {
  const { offset, total, bytes, digest } = part
  if (digest === undefined) throw BadPart.withoutDigest()
  if (offset + bytes.length > total) throw BadPart.tooMany(total)
  if (`sha256:${createHash('sha256').update(bytes).digest('hex')}` !== digest)
    throw BadPart.broken()
  const received = await receivedBytes(path)
  if (offset !== received) throw new UploadOffset(received)
  await mkdir(dirname(path), { recursive: true })
  const file = await open(path, 'a')
  try {
    await file.writeFile(bytes)
    await file.datasync()
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOSPC') throw DiskFull.at(dirname(path))
    throw error
  } finally {
    await file.close()
  }
  return received + bytes.length
}

export async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  return `sha256:${hash.digest('hex')}`
}
