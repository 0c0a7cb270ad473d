/** Files of this machine that commands on queries and tables read and write. */
import { createReadStream, createWriteStream } from 'node:fs'
import { copyFile, mkdir, open, readFile, rename, stat } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { basename, extname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { FolderFull, UnreadableFile, UnwritableFolder } from '../errors.ts'

/** A file as it is now. */
export interface InputFile {
  input: string
  path: string
  bytes: number
  changedAtMs: number
}

export async function inputFile(input: string, file: string): Promise<InputFile> {
  const path = resolve(file)
  const { size, mtimeMs } = await stat(path).catch((cause: unknown) => {
    throw new UnreadableFile(file, { cause })
  })
  return { input, path, bytes: size, changedAtMs: mtimeMs }
}

export async function readJsonFile(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (cause) {
    throw new UnreadableFile(file, { cause })
  }
}

/** A copy whose name carries what is in it; resolves to that name. */
export async function copyByContent(file: string, folder: string): Promise<string> {
  const ending = extname(file)
  const name = `${basename(file, ending)}-${hash('sha256', await readFile(file)).slice(0, 12)}`
  await mkdir(folder, { recursive: true })
  await copyFile(file, join(folder, `${name}${ending}`))
  return name
}

/** It has its name when it is whole and on disk. */
export async function writeWhole(
  file: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  arriving = `${file}.arriving`,
): Promise<void> {
  await pipeline(pieces, createWriteStream(arriving, { flush: true }))
  await rename(arriving, file)
}

/** Says in one sentence what is wrong with a folder that answers go to. */
export async function writingTo<T>(folder: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) throw error
    const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT'
    throw isFull
      ? new FolderFull(folder, { cause: error })
      : new UnwritableFolder(folder, { cause: error })
  }
}

/** Parts of a file from `start` on, as often as `next` says where the one after it begins. */
export async function sendParts(
  { path, bytes }: InputFile,
  { start, partBytes }: { start: number; partBytes: number },
  next: (part: Uint8Array, at: number) => Promise<number>,
): Promise<void> {
  const handle = await open(path)
  try {
    const part = Buffer.alloc(Math.min(partBytes, Math.max(1, bytes)))
    for (let at = start; at < bytes;) {
      const { bytesRead } = await handle.read(part, 0, part.length, at)
      at = await next(part.subarray(0, bytesRead), at)
    }
  } finally {
    await handle.close()
  }
}

export async function printFile(file: string): Promise<void> {
  for await (const piece of createReadStream(file)) process.stdout.write(piece as Buffer)
}
