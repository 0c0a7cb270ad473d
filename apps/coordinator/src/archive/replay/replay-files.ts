/** The files behind replay: the player, indexes made for it, and WARC files by ranges of bytes. */
import { createReadStream, type ReadStream } from 'node:fs'
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeCdxjFile, type CdxjEntry } from '@minga/archive'

export interface FilePart {
  size: number
  start: number
  /** The first byte that is not in it. */
  end: number
  bytes: ReadStream
}

/** A file, or the part that a Range header names; null when there is none or it has no such part. */
export async function openPart(path: string, range: string | undefined): Promise<FilePart | null> {
  const found = await stat(path).catch(() => null)
  if (!found?.isFile()) return null
  const { size } = found
  const span = spanOf(range, size)
  if (span === null) return null
  const { start, end } = span
  // An empty file has no last byte to name.
  const bytes = createReadStream(path, size === 0 ? {} : { start, end: end - 1 })
  return { size, start, end, bytes }
}

/** One range of bytes; several at once are answered with the whole, which is allowed. */
export function spanOf(
  range: string | undefined,
  size: number,
): { start: number; end: number } | null {
  const [, from = '', to = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return { start: 0, end: size }
  const start = from === '' ? Math.max(0, size - Number(to)) : Number(from)
  const end = from === '' || to === '' ? size : Math.min(Number(to) + 1, size)
  return start < end ? { start, end } : null
}

/** A program of the player with something before it. */
export async function readBehind(prelude: string, path: string): Promise<Buffer> {
  return Buffer.concat([Buffer.from(prelude), await readFile(path)])
}

/** A file made for one reader: it goes with its folder when it was read, or when its reader leaves. */
export async function openOnce(path: string): Promise<FilePart | null> {
  const part = await openPart(path, undefined)
  part?.bytes.once('close', () => void rm(dirname(path), { recursive: true, force: true }))
  return part
}

const EXPORTS = 'export-'

/** The folder is next to the indexes; what a killed station left there is older than any reader. */
export async function makeExportFolder(data: string): Promise<string> {
  const folder = join(data, 'replay')
  await mkdir(folder, { recursive: true })
  return mkdtemp(join(folder, EXPORTS))
}

/** Answers how many bytes that were. */
export async function appendBytes(file: string, bytes: Buffer): Promise<number> {
  await appendFile(file, bytes)
  return bytes.length
}

/** Indexes are derived: they may be deleted at any time, and older ones of the same name are. */
export class ReplayIndexes {
  readonly #folder: string
  readonly #writing = new Map<string, Promise<string>>()

  constructor(data: string) {
    this.#folder = join(data, 'replay')
  }

  /** The file of a source as it is in a state, written when it is not there. */
  async of(name: string, state: string, entries: () => AsyncIterable<CdxjEntry>): Promise<string> {
    const file = join(this.#folder, `${name}.${state}.cdxj`)
    const writing = this.#writing.get(file) ?? this.#write(file, `${name}.`, entries)
    this.#writing.set(file, writing)
    return writing.finally(() => this.#writing.delete(file))
  }

  async #write(
    file: string,
    start: string,
    entries: () => AsyncIterable<CdxjEntry>,
  ): Promise<string> {
    if (await stat(file).catch(() => null)) return file
    await mkdir(this.#folder, { recursive: true })
    for (const old of await readdir(this.#folder)) {
      if (old.startsWith(start)) await rm(join(this.#folder, old), { force: true })
    }
    await writeCdxjFile(file, entries())
    return file
  }
}
