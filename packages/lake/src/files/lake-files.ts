/**
 * The lake's folder on the disk of this machine. Names are paths below it with `/` between their parts.
 * A file has its name only when it is whole and on the disk, and never changes afterwards.
 */
import fs from 'node:fs/promises'
import path from 'node:path'
import { faultPoint } from '@minga/protocol/fault-point'
import { BadLakeName } from '../errors.ts'

export interface LakeFile {
  name: string
  bytes: number
  changedAtMs: number
}

/** Letters that every file system takes; a part is never dots alone, and a name never absolute. */
const PART = /^(?!\.+$)[A-Za-z0-9_.=-]{1,200}$/
const NAME_LENGTH = 1000

export function checkLakeName(name: string): void {
  const isName = name.length <= NAME_LENGTH && name.split('/').every((part) => PART.test(part))
  if (!isName) throw BadLakeName.of(name)
}

export class LakeFiles {
  readonly root: string

  /** `root` is absolute, or counts from where the process was started. */
  constructor(root: string) {
    this.root = path.resolve(root)
  }

  /** The path of a file or folder on this machine. */
  at(name: string): string {
    checkLakeName(name)
    return path.join(this.root, name)
  }

  /** The folder and those above it, for good: what is settled in it later is found after a power cut. */
  async makeFolder(name: string): Promise<void> {
    const folder = this.at(name)
    const first = await fs.mkdir(folder, { recursive: true })
    if (first === undefined) return
    for (let made = folder; ; made = path.dirname(made)) {
      await synced(path.dirname(made))
      if (made === first) return
    }
  }

  /** All files below a folder, however deep; what vanishes in the meantime is left out. */
  async list(folder: string): Promise<LakeFile[]> {
    const files: LakeFile[] = []
    for (const entry of await this.#entries(folder)) {
      if (entry.isFolder) files.push(...(await this.list(entry.name)))
      else {
        const stat = await unlessMissing(fs.stat(this.at(entry.name)))
        if (stat) files.push({ name: entry.name, bytes: stat.size, changedAtMs: stat.mtimeMs })
      }
    }
    return files
  }

  /** Names of the folders directly in a folder, with when they were last changed. */
  async folders(folder: string): Promise<{ name: string; changedAtMs: number }[]> {
    const found: { name: string; changedAtMs: number }[] = []
    for (const { name, isFolder } of await this.#entries(folder)) {
      const stat = isFolder ? await unlessMissing(fs.stat(this.at(name))) : undefined
      if (stat) found.push({ name, changedAtMs: stat.mtimeMs })
    }
    return found
  }

  /** Null when there is no such file. */
  async size(name: string): Promise<number | null> {
    return (await unlessMissing(fs.stat(this.at(name))))?.size ?? null
  }

  /** Gives a written file its name, for good: after a power cut both are there. */
  async settle(partial: string, name: string): Promise<void> {
    const to = this.at(name)
    await synced(this.at(partial))
    faultPoint('lake:settle:before-rename')
    await fs.rename(this.at(partial), to)
    await synced(path.dirname(to))
    faultPoint('lake:settle:after-rename')
  }

  /** Done again after a kill it does nothing more. */
  async remove(name: string): Promise<void> {
    await fs.rm(this.at(name), { force: true })
  }

  /** With everything in it. */
  async removeFolder(name: string): Promise<void> {
    await fs.rm(this.at(name), { recursive: true, force: true })
  }

  /** Removes a folder in which there is no file, however deep. False when there is one. */
  async removeEmptyFolder(name: string): Promise<boolean> {
    for (const entry of await this.#entries(name)) {
      if (!entry.isFolder || !(await this.removeEmptyFolder(entry.name))) return false
    }
    try {
      await fs.rmdir(this.at(name))
      return true
    } catch (error) {
      // Another process has put a file into it, or removed it.
      return isMissing(error)
    }
  }

  /** Only names in our own format: files of others are neither touched nor listed. */
  async #entries(folder: string): Promise<{ name: string; isFolder: boolean }[]> {
    const entries = await unlessMissing(fs.readdir(this.at(folder), { withFileTypes: true }))
    return (entries ?? [])
      .filter((entry) => PART.test(entry.name))
      .map((entry) => ({ name: `${folder}/${entry.name}`, isFolder: entry.isDirectory() }))
  }
}

/** A rename is only durable once its folder is. */
export async function synced(file: string): Promise<void> {
  const handle = await fs.open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

async function unlessMissing<R>(work: Promise<R>): Promise<R | undefined> {
  try {
    return await work
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'
