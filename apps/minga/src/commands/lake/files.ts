/** Files of this machine that commands on queries and tables read and write. */
import { createReadStream } from 'node:fs'
import { copyFile, mkdir, open, readFile, stat } from 'node:fs/promises'
import { hash } from 'node:crypto'
import { basename, extname, join, resolve } from 'node:path'
import { UnreadableFile } from '../../errors.ts'

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

/** Throws unless it is a file that can be read. */
export async function requireReadable(file: string): Promise<void> {
  const handle = await open(file).catch((cause: unknown) => {
    throw new UnreadableFile(file, { cause })
  })
  const isFolder = (await handle.stat()).isDirectory()
  await handle.close()
  if (isFolder) throw new UnreadableFile(file, { cause: new Error('it is a folder') })
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
