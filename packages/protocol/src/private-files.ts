/**
 * A data folder is for the user who runs Minga alone: it holds keys, sessions and archived pages. Files and folders are
 * made so by the umask of the process; folders of older versions are tightened when they are opened.
 */
import { readdirSync, statSync } from 'node:fs'
import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'

const PRIVATE_UMASK = 0o077
const OTHERS = 0o077
/** Of a folder that a group may pass through, as the DuckDB service does, nothing can be read by that. */
const GROUP_ENTERS = 0o010
/** Of a folder where everyone may write, such as the one for temporary files: it belongs to the machine. */
const STICKY = 0o1000

/** By one of these a folder is known as a data folder, of a station or of an agent. */
const MARKS = ['minga.db', 'station.json', 'device.json']
/** SQLite gives its other files the mode of the database. */
const KEPT_PRIVATE = ['minga.db', 'minga.db-wal', 'minga.db-shm', 'secrets.json', 'station.json']

let userUmask: number | null = null

/** To be called first by every process that writes a data folder. Threads cannot, and have it from their process. */
export function usePrivateUmask(): void {
  const former = process.umask(PRIVATE_UMASK)
  userUmask ??= former
}

/** A file that the user asked for, outside the data folder, has the mode that the user's own umask gives. */
export async function giveUserMode(file: string): Promise<void> {
  if (userUmask !== null) await chmod(file, 0o666 & ~userUmask)
}

/**
 * Takes a data folder and its database from everyone but their owner. Answers whether others could read there before.
 * A folder that holds other things and nothing of ours, or that belongs to the machine, stays as it is.
 */
export async function tightenFolder(data: string): Promise<boolean> {
  const { mode } = await stat(data)
  const names = new Set(readdirSync(data))
  const isKnown = MARKS.some((name) => names.has(name))
  if ((mode & STICKY) !== 0 || (names.size > 0 && !isKnown)) return false
  const paths = [data, ...KEPT_PRIVATE.filter((name) => names.has(name)).map((n) => join(data, n))]
  const loosened = paths.filter((path) => isOpenToOthers(path, path === data ? GROUP_ENTERS : 0))
  // What another user owns stays as that user wants it.
  for (const path of loosened) await chmod(path, statSync(path).mode & 0o700).catch(() => {})
  return isKnown && loosened.some((path) => !isOpenToOthers(path, 0))
}

/** A database's other files come and go with those who use it. */
function isOpenToOthers(path: string, allowed: number): boolean {
  return ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & OTHERS & ~allowed) !== 0
}
