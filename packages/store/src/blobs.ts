/**
 * Bytes in a folder: `DATA/<series>/<series>-<writer>-<number>.<extension>`.
 *
 * Invariant: after a crash at any point, each file can be cut back to `committed_bytes` of its row
 * and then holds exactly what committed transactions appended. It follows from the order write →
 * fsync → commit, and from each file being written by one transaction at a time: a transaction
 * takes a file that no other one holds, or starts another (only PostgreSQL has parallel
 * transactions), so no transaction ever waits for a file.
 */
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { fromSystemError, StoreMisused } from './errors.ts'
import type { BlobLocation, Sql } from './sql.ts'

const fdatasync = promisify(fs.fdatasync)

export interface BlobSeries {
  /** A file is not grown beyond this, unless one append alone is larger. */
  readonly maxBytes: number
  /** Without the leading dot. */
  readonly extension: string
  /** What every file of the series begins with. */
  firstBytes?(file: string): Uint8Array
}

export interface BlobFolder {
  readonly data: string
  /** Part of the file names, so that several writers share a folder without meeting. */
  readonly writer: string
  readonly series: Readonly<Record<string, BlobSeries>>
}

interface OpenFile {
  readonly series: string
  readonly number: number
  readonly name: string
  readonly fd: number
  sizeBytes: number
  closed: boolean
  /** Its end on disk is in doubt: nothing more is appended, the next opening cuts it. */
  abandoned: boolean
}

export class Blobs {
  readonly folder: BlobFolder
  readonly #idle = new Map<string, OpenFile[]>()
  readonly #nextNumber = new Map<string, number>()
  /** Files that transactions under way have taken. */
  readonly #held = new Set<OpenFile>()

  constructor(folder: BlobFolder) {
    if (!/^[\w.-]{1,64}$/.test(folder.writer)) {
      throw new StoreMisused(
        `"${folder.writer}" cannot be part of a file name; use 1 to 64 letters, digits, dots, dashes or underscores as writer.`,
      )
    }
    this.folder = folder
  }

  /** Makes a file that exists on disk the one to go on with. */
  adopt(file: { series: string; number: number; name: string; sizeBytes: number }): void {
    const fd = fs.openSync(path.join(this.folder.data, file.series, file.name), 'r+')
    this.#release({ ...file, fd, closed: false, abandoned: false })
  }

  startNumberingAt(series: string, number: number): void {
    this.#nextNumber.set(series, number)
  }

  begin(): BlobTransaction {
    return new BlobTransaction({
      seriesOf: (series) => this.#seriesOf(series),
      take: (series) => this.#take(series),
      create: (series) => this.#create(series),
      discard: (file) => this.#discard(file),
      release: (file) => this.#release(file),
      place: this.folder.data,
    })
  }

  /** Gives up every open file, for when another process may have touched them. */
  abandonAll(): void {
    for (const file of this.#held) file.abandoned = true
    this.close()
  }

  close(): void {
    for (const files of this.#idle.values()) for (const file of files) fs.closeSync(file.fd)
    this.#idle.clear()
  }

  #seriesOf(series: string): BlobSeries {
    const found = this.folder.series[series]
    if (!found) {
      throw new StoreMisused(`There is no blob series "${series}"; declare it in blobSeries.`)
    }
    return found
  }

  #take(series: string): OpenFile | undefined {
    const file = this.#idle.get(series)?.shift()
    if (file) this.#held.add(file)
    return file
  }

  #create(series: string): OpenFile {
    const { extension } = this.#seriesOf(series)
    const directory = path.join(this.folder.data, series)
    for (;;) {
      const number = this.#nextNumber.get(series) ?? 0
      const name = `${series}-${this.folder.writer}-${String(number).padStart(6, '0')}.${extension}`
      this.#nextNumber.set(series, number + 1)
      try {
        // Never over an existing file: an abandoned one may still become committed.
        const fd = fs.openSync(path.join(directory, name), 'wx+')
        const file = { series, number, name, fd, sizeBytes: 0, closed: false, abandoned: false }
        this.#held.add(file)
        return file
      } catch (error) {
        if (!isExisting(error)) throw error
      }
    }
  }

  /** Undoes `#create`. */
  #discard(file: OpenFile): void {
    this.#held.delete(file)
    fs.closeSync(file.fd)
    try {
      fs.rmSync(path.join(this.folder.data, file.series, file.name))
    } catch {
      return // It has no row, so the next opening deletes it.
    }
    const isLast = this.#nextNumber.get(file.series) === file.number + 1
    if (isLast) this.#nextNumber.set(file.series, file.number)
  }

  #release(file: OpenFile): void {
    this.#held.delete(file)
    if (file.closed || file.abandoned) return fs.closeSync(file.fd)
    const idle = this.#idle.get(file.series) ?? []
    // The oldest file first, so that a quiet time fills and closes what a busy one opened.
    idle.push(file)
    idle.sort((a, b) => a.number - b.number)
    this.#idle.set(file.series, idle)
  }
}

interface BlobFiles {
  seriesOf(series: string): BlobSeries
  take(series: string): OpenFile | undefined
  create(series: string): OpenFile
  discard(file: OpenFile): void
  release(file: OpenFile): void
  readonly place: string
}

/** The appends of one transaction. Ends with exactly one of commit, rollback and abandon. */
export class BlobTransaction {
  readonly #files: BlobFiles
  readonly #current = new Map<string, OpenFile>()
  /** Every file taken, even if rewound: they must be given back. */
  readonly #taken = new Set<OpenFile>()
  readonly #changed = new Set<OpenFile>()
  readonly #created = new Set<OpenFile>()
  readonly #undo: (() => void)[] = []

  constructor(files: BlobFiles) {
    this.#files = files
  }

  append(series: string, chunks: readonly Uint8Array[]): BlobLocation {
    const length = chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0)
    try {
      const file = this.#fileFor(series, length)
      const offset = file.sizeBytes
      this.#write(file, chunks)
      return { file: file.name, offset, length }
    } catch (error) {
      throw fromSystemError(error, this.#files.place)
    }
  }

  /** A point to which `rewind` can go back. */
  mark(): number {
    return this.#undo.length
  }

  rewind(mark: number): void {
    while (this.#undo.length > mark) this.#undo.pop()?.()
  }

  /** Brings bytes to the disk and rows into the transaction; the commit may follow. */
  async prepare(sql: Sql, writer: string): Promise<void> {
    if (this.#changed.size === 0) return
    try {
      await Promise.all(Array.from(this.#changed, (file) => fdatasync(file.fd)))
      const directories = new Set(Array.from(this.#created, (file) => file.series))
      for (const series of directories) syncDirectory(path.join(this.#files.place, series))
    } catch (error) {
      throw fromSystemError(error, this.#files.place)
    }
    await sql.insertMany({
      table: 'blob_files',
      columns: ['name', 'series', 'writer', 'committed_bytes', 'closed'],
      rows: Array.from(this.#changed, (file) => [
        file.name,
        file.series,
        writer,
        file.sizeBytes,
        file.closed ? 1 : 0,
      ]),
      onConflict: { keys: ['name'], update: ['committed_bytes', 'closed'] },
    })
  }

  commit(): void {
    this.#undo.length = 0
    for (const file of this.#taken) this.#files.release(file)
  }

  rollback(): void {
    this.rewind(0)
    for (const file of this.#taken) this.#files.release(file)
  }

  /** For a commit whose outcome is unknown: bytes stay, and the next opening checks the rows. */
  abandon(): void {
    for (const file of this.#taken) {
      file.abandoned = true
      this.#files.release(file)
    }
  }

  #fileFor(series: string, length: number): OpenFile {
    const { maxBytes } = this.#files.seriesOf(series)
    let file = this.#current.get(series) ?? this.#takeIdle(series)
    if (file && !file.abandoned && file.sizeBytes + length <= maxBytes) return file
    if (file) this.#closeFile(file)
    file = this.#createFile(series)
    const first = this.#files.seriesOf(series).firstBytes?.(file.name)
    if (first) this.#write(file, [first])
    return file
  }

  #takeIdle(series: string): OpenFile | undefined {
    const file = this.#files.take(series)
    if (!file) return undefined
    this.#taken.add(file)
    this.#current.set(series, file)
    return file
  }

  #closeFile(file: OpenFile): void {
    const wasChanged = this.#changed.has(file)
    file.closed = true
    this.#changed.add(file)
    this.#current.delete(file.series)
    this.#undo.push(() => {
      file.closed = false
      if (!wasChanged) this.#changed.delete(file)
      this.#current.set(file.series, file)
    })
  }

  #createFile(series: string): OpenFile {
    const file = this.#files.create(series)
    this.#taken.add(file)
    this.#created.add(file)
    this.#current.set(series, file)
    this.#undo.push(() => {
      this.#taken.delete(file)
      this.#created.delete(file)
      this.#current.delete(series)
      this.#files.discard(file)
    })
    return file
  }

  #write(file: OpenFile, chunks: readonly Uint8Array[]): void {
    const before = file.sizeBytes
    const wasChanged = this.#changed.has(file)
    this.#changed.add(file)
    // Before the write: a failing one may have left some of its bytes.
    this.#undo.push(() => {
      if (!wasChanged) this.#changed.delete(file)
      file.sizeBytes = before
      try {
        fs.ftruncateSync(file.fd, before)
      } catch {
        file.abandoned = true
      }
    })
    file.sizeBytes = writeAll(file.fd, chunks, before)
  }
}

/** Returns the position after the last byte. */
function writeAll(fd: number, chunks: readonly Uint8Array[], from: number): number {
  let position = from
  let left = chunks.filter((chunk) => chunk.byteLength > 0)
  while (left.length > 0) {
    const written = fs.writevSync(fd, left, position)
    position += written
    left = afterBytes(left, written)
  }
  return position
}

/** What is left after a write, which may be short: a nearly full disk takes only a part. */
function afterBytes(chunks: Uint8Array[], bytes: number): Uint8Array[] {
  let passed = 0
  for (const [index, chunk] of chunks.entries()) {
    if (passed + chunk.byteLength > bytes) {
      return [chunk.subarray(bytes - passed), ...chunks.slice(index + 1)]
    }
    passed += chunk.byteLength
  }
  return []
}

export function syncDirectory(directory: string): void {
  const fd = fs.openSync(directory, 'r')
  try {
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
  }
}

const isExisting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'
