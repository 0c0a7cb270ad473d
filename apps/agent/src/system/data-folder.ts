/** Small files in an agent's own folder, readable by its owner only. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Null when there is none. */
export function readDataFile(data: string, name: string): Promise<string | null> {
  return readFile(join(data, name), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Renamed into place: a reader never meets half a file. */
export async function replaceDataFile(data: string, name: string, text: string): Promise<void> {
  await mkdir(data, { recursive: true })
  const file = join(data, name)
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

export async function removeDataFile(data: string, name: string): Promise<void> {
  await rm(join(data, name), { force: true })
}
