/**
 * Where a command writes what it was asked for. A place is tried before the work, which may take hours: a name that
 * was mistyped is said to be wrong at once, in the same words by every command.
 */
import { createWriteStream, existsSync } from 'node:fs'
import { mkdir, mkdtemp, open, realpath, rename, rm, rmdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { giveUserMode, tightenFolder } from '@minga/protocol/private-files'
import { BadOption, FolderFull, UnwritablePlace } from './errors.ts'

/** As a file: standard output. */
export const STANDARD_OUTPUT = '-'

/** Throws unless a file can be written there; nothing is left of the trial. */
export async function requireFile(option: string, file: string): Promise<void> {
  if (file === STANDARD_OUTPUT || file === '') throw new BadOption(option, 'a file', file)
  await writingTo(file, () => tryFile(resolve(file)))
}

/** Makes the folder and those above it. */
export async function requireFolder(option: string, folder: string): Promise<void> {
  if (folder === STANDARD_OUTPUT || folder === '') throw new BadOption(option, 'a folder', folder)
  await writingTo(folder, async () => {
    await makeFolder(resolve(folder))
    // To exist is not enough: it may belong to another user.
    await rmdir(await mkdtemp(join(resolve(folder), '.minga-')))
  })
}

/** Makes the folder for its user alone; one that others could read is tightened, and the user is notified once. */
export async function requireDataFolder(folder: string): Promise<void> {
  await requireFolder('--data', folder)
  if (!(await tightenFolder(resolve(folder)))) return
  process.stderr.write(`minga: other users could read ${folder}; now only its owner can\n`)
}

/**
 * Like `mkdir -p`. Node's own `recursive` never ends where nothing can be made in a folder that is there, such as
 * /proc: it takes that for a missing parent, finds the parent, and begins again.
 */
export async function makeFolder(folder: string): Promise<void> {
  const parent = dirname(folder)
  if (parent !== folder && !existsSync(parent)) await makeFolder(parent)
  await mkdir(folder).catch(async (error: unknown) => {
    const isThere = (await stat(folder).catch(() => null))?.isDirectory() ?? false
    if (!isThere) throw error
  })
}

/** It has its name when it is whole and on disk; a device or a pipe is written to as it is, and stays one. */
export async function writeWhole(
  file: string,
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  arriving = `${file}.arriving`,
): Promise<void> {
  if (await isDevice(file)) return pipeline(pieces, createWriteStream(file))
  await pipeline(pieces, createWriteStream(arriving, { flush: true }))
  await giveUserMode(arriving)
  // What a link leads to is replaced, not the link.
  await rename(arriving, await realpath(file).catch(() => file))
}

/** Says in one sentence what is wrong with a place that something is written to. */
export async function writingTo<T>(place: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!(error instanceof Error) || !('syscall' in error && 'code' in error)) throw error
    const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT'
    throw isFull
      ? new FolderFull(place, { cause: error })
      : new UnwritablePlace(place, reasonOf(place, String(error.code)), { cause: error })
  }
}

async function tryFile(file: string): Promise<void> {
  // Opening a pipe would wait for its reader.
  if (await isDevice(file)) return
  const isThere = existsSync(file)
  const handle = await open(file, isThere ? 'r+' : 'ax')
  await handle.close()
  if (!isThere) await rm(file, { force: true })
}

/** Neither a file nor a folder. */
export async function isDevice(file: string): Promise<boolean> {
  const there = await stat(file).catch(() => null)
  return there !== null && !there.isFile() && !there.isDirectory()
}

const REASONS: Record<string, string> = {
  EACCES: 'you have no right to',
  EEXIST: 'it is no folder',
  EISDIR: 'it is a folder',
  ENAMETOOLONG: 'its name is too long',
  ENOTDIR: 'a file stands where its folder should be',
  EPERM: 'you have no right to',
  EROFS: 'the disk can only be read',
}

function reasonOf(place: string, code: string): string {
  if (code !== 'ENOENT') return REASONS[code] ?? code
  return existsSync(dirname(resolve(place)))
    ? 'nothing can be made in its folder'
    : 'its folder does not exist'
}
