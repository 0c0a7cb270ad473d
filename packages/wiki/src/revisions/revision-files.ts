/** The files of histories, on the disk of this machine. */
import fs from 'node:fs/promises'
import path from 'node:path'

/** Folder of a wiki's files, and what can be done with them. */
export class RevisionFiles {
  readonly #root: string

  constructor(data: string) {
    this.#root = path.join(data, 'wiki')
  }

  folder(wikiId: number): string {
    return path.join(this.#root, String(wikiId))
  }

  at(wikiId: number, name: string): string {
    return path.join(this.folder(wikiId), name)
  }

  async makeFolder(wikiId: number): Promise<void> {
    await fs.mkdir(this.folder(wikiId), { recursive: true })
  }

  async list(wikiId: number): Promise<string[]> {
    try {
      return await fs.readdir(this.folder(wikiId))
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  async wikis(): Promise<number[]> {
    try {
      const names = await fs.readdir(this.#root)
      return names.filter((name) => /^\d+$/.test(name)).map(Number)
    } catch (error) {
      if (isMissing(error)) return []
      throw error
    }
  }

  /** Gives a written file its name, for good: after a power cut both are there. */
  async settle(wikiId: number, partial: string, name: string): Promise<void> {
    await synced(this.at(wikiId, partial))
    await fs.rename(this.at(wikiId, partial), this.at(wikiId, name))
    await synced(this.folder(wikiId))
  }

  async remove(wikiId: number, name: string): Promise<void> {
    await fs.rm(this.at(wikiId, name), { recursive: true, force: true })
  }

  /** Null when there is no such file. */
  async size(wikiId: number, name: string): Promise<number | null> {
    try {
      return (await fs.stat(this.at(wikiId, name))).size
    } catch (error) {
      if (isMissing(error)) return null
      throw error
    }
  }
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Whether a reader's file was removed beneath it: a purge does not wait for readers. */
export function isFileGone(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return isMissing(error) || /No such file|No files found|Cannot open file/.test(error.message)
}

async function synced(file: string): Promise<void> {
  const handle = await fs.open(file, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
