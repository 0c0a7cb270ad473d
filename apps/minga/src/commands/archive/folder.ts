/** The files of `DATA/archive` as the command line reads them; it changes none. */
import { createReadStream, existsSync, statSync } from 'node:fs'
import { appendFile, copyFile, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { giveUserMode } from '@minga/protocol/private-files'
import { NothingCollected } from '../../errors.ts'
import { writingTo } from '../../output-place.ts'

/** Reading must not create what is not there: a mistyped folder is an error, not an empty archive. */
export function requireArchive(data: string): string {
  const folder = resolve(data)
  if (existsSync(join(folder, 'minga.db')) || existsSync(join(folder, 'archive'))) return folder
  throw new NothingCollected(data)
}

export async function warcFilesOf(data: string): Promise<string[]> {
  const folder = join(data, 'archive')
  if (!existsSync(folder)) return []
  const names = await readdir(folder)
  return names.filter((name) => /\.warc(\.gz)?$/.test(name)).toSorted()
}

/** Null when there is none. */
export function sizeOf(file: string): number | null {
  return statSync(file, { throwIfNoEntry: false })?.size ?? null
}

/** All of it, or from one byte to another, both included. */
export function readBytes(
  file: string,
  part: { start?: number; end?: number } = {},
): AsyncIterable<Buffer> {
  return createReadStream(file, { highWaterMark: 256 * 1024, ...part })
}

/** Lines without their line breaks. */
export async function* readLines(file: string): AsyncGenerator<string> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of readBytes(file)) {
    const bytes = Buffer.concat([rest, chunk])
    const end = bytes.lastIndexOf(0x0a)
    rest = bytes.subarray(end + 1)
    if (end >= 0) yield* bytes.toString('utf8', 0, end).split('\n')
  }
  if (rest.length > 0) yield rest.toString('utf8')
}

export async function withTemporaryFolder<R>(
  near: string | null,
  work: (folder: string) => Promise<R>,
): Promise<R> {
  const folder = await mkdtemp(join(near ?? tmpdir(), '.minga-'))
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A file that a station is writing, as it was when `bytes` were committed. */
export async function copyStart(file: string, folder: string, bytes: number): Promise<string> {
  const copy = join(folder, basename(file))
  await copyFile(file, copy)
  await truncate(copy, bytes)
  return copy
}

export function writeText(file: string, text: string): Promise<void> {
  return writingTo(file, async () => {
    const isNew = !existsSync(file)
    await writeFile(file, text)
    if (isNew) await giveUserMode(file)
  })
}

/** Answers how many bytes that were. */
export async function appendTo(file: string, bytes: Buffer): Promise<number> {
  await appendFile(file, bytes)
  return bytes.length
}
