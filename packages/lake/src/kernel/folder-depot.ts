/** The lake's folder on this very machine: files are read where they are and written where they stay. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { InputChanged, TaskFileMissing } from '../errors.ts'
import { LakeFiles, synced } from '../files/lake-files.ts'
import type { FileRef, Task } from '../model.ts'
import { filePrefix, type Depot, type TaskFiles, type WrittenFile } from './depot.ts'

/** Small enough to stay in the processor's cache, large enough that the calls do not count. */
const CHUNK_BYTES = 512 * 1024

export function folderDepot(lakeFolder: string): Depot {
  const files = new LakeFiles(lakeFolder)
  return {
    open: (task, signal) => openTaskFiles(files, task, signal),
    discard: async (_task, names) => {
      for (const name of names) await files.remove(name)
    },
  }
}

async function openTaskFiles(
  files: LakeFiles,
  task: Task,
  signal: AbortSignal,
): Promise<TaskFiles> {
  // Next to the files it will become, so that a rename is all it takes.
  const work = `${task.folder}/.work-${filePrefix(task)}files`
  await files.removeFolder(work)
  await files.makeFolder(task.folder)
  const folder = files.at(work)
  await fs.mkdir(folder)
  const fetched: FileRef[] = []
  return {
    folder,
    fetch: async (file) => {
      await checkUnchanged(pathOf(files, file), file)
      fetched.push(file)
      return pathOf(files, file)
    },
    range: (file, bounds) => rangeOf(pathOf(files, file), file, { ...bounds, signal }),
    keep: async (written) => {
      // What changed while it was read may have been read half old, half new.
      for (const file of fetched) await checkUnchanged(pathOf(files, file), file)
      await keepAll(files, task.folder, written)
    },
    close: () => files.removeFolder(work),
  }
}

const pathOf = (files: LakeFiles, file: FileRef): string =>
  file.at === 'lake' ? files.at(file.name) : file.name

async function* rangeOf(
  at: string,
  file: FileRef,
  { from, to, signal }: { from: number; to: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  await checkUnchanged(at, file)
  if (to > from) {
    const handle = await fs.open(at)
    try {
      yield* chunksOf(handle, { from, to, signal })
    } finally {
      await handle.close()
    }
  }
  await checkUnchanged(at, file)
}

/** One buffer for all of them: a new one for each would keep the collector of garbage busier than the disk. */
async function* chunksOf(
  handle: fs.FileHandle,
  { from, to, signal }: { from: number; to: number; signal: AbortSignal },
): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
  for (let at = from; at < to;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, to - at), at)
    // The file was truncated in the meantime: the later comparison with its former size reports
    // that.
    if (bytesRead === 0) return
    yield buffer.subarray(0, bytesRead)
    at += bytesRead
  }
}

async function checkUnchanged(at: string, file: FileRef): Promise<void> {
  const stat = await fs.stat(at).catch(() => null)
  if (file.at === 'outside') {
    const isSame =
      stat?.size === file.bytes && Math.floor(stat.mtimeMs) === Math.floor(file.changedAtMs ?? -1)
    if (!isSame) throw InputChanged.at(file.name)
  } else if (stat?.size !== file.bytes) throw TaskFileMissing.named(file.name)
}

/** All on the disk before the first has its name; the folder once for all of them. */
async function keepAll(
  files: LakeFiles,
  folder: string,
  written: readonly WrittenFile[],
): Promise<void> {
  for (const file of written) await synced(file.path)
  for (const file of written) await fs.rename(file.path, files.at(file.name))
  await synced(path.join(files.root, folder))
}
