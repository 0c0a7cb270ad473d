/**
 * Which run used this folder before. A folder has one agent at a time (a volunteer's by its lock, a
 * station's own by the supervisor, which starts the next when the last has ended), so the current
 * run knows that the former one is over, and notifies the station. A copy of the folder on another
 * machine knows nothing of the runs since: there the station waits until they must have stopped.
 */
import { readDataFile, replaceDataFile } from './system/data-folder.ts'

const FILE = 'boot'
const BOOT = /^[\w-]{8,100}$/

/** Notes this run; answers the one before it, null when there was none. */
export async function succeed(data: string, boot: string): Promise<string | null> {
  const former = (await readDataFile(data, FILE))?.trim() ?? ''
  await replaceDataFile(data, FILE, `${boot}\n`)
  return BOOT.test(former) ? former : null
}
