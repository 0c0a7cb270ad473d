/**
 * One agent per folder: two would share a device, and each would end the other's leases. The lock
 * is SQLite's, as on a station's data folder: the operating system's own, on all of them, and gone
 * with the process that held it, however it ended.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { FolderTaken } from '../errors.ts'

/** An agent whose command was killed needs a moment to be gone. */
const LEAVING_MS = 2_000

/** Returns what gives the folder free again. */
export async function lockFolder(data: string): Promise<() => void> {
  await mkdir(data, { recursive: true })
  // Programs that import this module may run without SQLite: see `permission-flags.ts`.
  const { DatabaseSync } = await import('node:sqlite')
  const lock = new DatabaseSync(join(data, 'agent.lock'), { timeout: LEAVING_MS })
  try {
    lock.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (/locked|busy/i.test((error as Error).message)) throw new FolderTaken(data)
    throw error
  }
  return () => lock.close()
}
