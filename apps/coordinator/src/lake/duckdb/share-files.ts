/**
 * What the DuckDB service may read. It is another user of the station's group, and nothing in a data folder is for
 * the group: a file of the lake is opened to it when a question names the file, and folders on the way can be
 * entered but not listed. So a process that was taken over reads the files of its question and finds no others.
 */
import { chmod, lstat, mkdir, readdir } from 'node:fs/promises'
import { dirname, join, resolve, sep } from 'node:path'

const GROUP_READS = 0o040
const GROUP_ENTERS = 0o010
const ALL_OTHERS = 0o077
/** A folder where everyone may write belongs to the machine. */
const STICKY = 0o1000

/**
 * Before a station serves. With the service its group may pass through the data folder, so whatever an older version
 * left readable in it is closed; without it the folder is for its user alone.
 */
export async function prepareFolder(data: string, lake: string, isShared: boolean): Promise<void> {
  const { mode } = await lstat(data)
  if ((mode & STICKY) !== 0) return
  if (!isShared) return takeFromOthers(data, ALL_OTHERS)
  await mkdir(lake, { recursive: true })
  const inData = (await readdir(data)).map((name) => join(data, name))
  const inLake = (await readdir(lake)).map((name) => join(lake, name))
  for (const path of inData) if (path !== lake) await takeFromOthers(path, ALL_OTHERS)
  for (const path of [lake, ...inLake]) await takeFromOthers(path, ALL_OTHERS & ~GROUP_ENTERS)
  await takeFromOthers(data, ALL_OTHERS & ~GROUP_ENTERS)
  await give(data, GROUP_ENTERS)
}

/** What is not in the lake is not ours to open: an operator who names such a file decides who reads it. */
export async function shareFiles(
  { data, lake }: { data: string; lake: string },
  files: readonly string[],
): Promise<void> {
  const inLake = files.map((file) => resolve(file)).filter((file) => file.startsWith(lake + sep))
  // A process works in the lake, also for a question that names no file.
  const folders = new Set([data, lake, ...inLake.flatMap((file) => foldersTo(file, data))])
  for (const folder of folders) await give(folder, GROUP_ENTERS)
  await Promise.all(inLake.map((file) => give(file, GROUP_READS)))
}

function foldersTo(file: string, data: string): string[] {
  const folders: string[] = []
  for (let at = dirname(file); at !== data && at !== dirname(at); at = dirname(at)) folders.push(at)
  return folders
}

/** What is not there, or another user's, stays as it is: reading it fails, with its own error. */
async function give(path: string, right: number): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || (found.mode & right) === right || found.isSymbolicLink()) return
  await chmod(path, (found.mode & 0o777) | right).catch(() => {})
}

async function takeFromOthers(path: string, rights: number): Promise<void> {
  const found = await lstat(path).catch(() => null)
  if (found === null || (found.mode & rights) === 0 || found.isSymbolicLink()) return
  await chmod(path, found.mode & 0o777 & ~rights).catch(() => {})
}
