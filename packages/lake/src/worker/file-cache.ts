/**
 * Copies of a station's files on this machine. Files of the lake never change, so a copy is right for as long as it
 * is kept; those read longest ago go first when there is no room. Files from outside are never kept.
 */
import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { TaskFileMissing } from '../errors.ts'
import type { FileRef } from '../model.ts'

export class FileCache {
  readonly #folder: string
  readonly #bytesMost: number
  /** In the order in which they were last asked for. */
  #known: Map<string, number> | null = null

  constructor(folder: string, bytesMost: number) {
    this.#folder = folder
    this.#bytesMost = bytesMost
  }

  /** The path of the copy; `bytes` gives the file's own when there is none yet. */
  async path(file: FileRef, bytes: () => AsyncIterable<Buffer>): Promise<string> {
    const known = await this.#files()
    const identity = `${file.at}:${file.name}:${file.bytes}:${file.changedAtMs ?? ''}`
    const name = createHash('sha256').update(identity).digest('hex')
    const at = path.join(this.#folder, name)
    if (!known.has(name)) {
      await this.#makeRoom(known, file.bytes)
      await pipeline(bytes(), createWriteStream(`${at}.partial`))
      const { size } = await fs.stat(`${at}.partial`)
      if (size !== file.bytes) throw TaskFileMissing.named(file.name)
      await fs.rename(`${at}.partial`, at)
    }
    known.delete(name)
    known.set(name, file.bytes)
    return at
  }

  /** What an earlier process left counts as read long ago; what it did not finish goes. */
  async #files(): Promise<Map<string, number>> {
    if (this.#known) return this.#known
    await fs.mkdir(this.#folder, { recursive: true })
    const known = new Map<string, number>()
    for (const name of await fs.readdir(this.#folder)) {
      const at = path.join(this.#folder, name)
      if (name.endsWith('.partial')) await fs.rm(at, { force: true })
      else known.set(name, (await fs.stat(at)).size)
    }
    this.#known = known
    return known
  }

  /**
   * A file that DuckDB has open stays readable after it is removed here, but one that a task was
   * given and has not opened yet does not: so at least all files of one task must fit, or the task
   * fails and says that one is missing.
   */
  async #makeRoom(known: Map<string, number>, wanted: number): Promise<void> {
    let held = [...known.values()].reduce((sum, bytes) => sum + bytes, 0)
    for (const [name, bytes] of known) {
      if (held + wanted <= this.#bytesMost) return
      await fs.rm(path.join(this.#folder, name), { force: true })
      known.delete(name)
      held -= bytes
    }
  }
}
