/** Where workers of a station elsewhere keep copies of its files, and how these go with the command that needed them. */
import { readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { isAlive } from './processes.ts'

const PREFIX = 'minga-worker-'

/** `name`: host, process of the command, and number, as in `lake-4711-2`. */
export function workerFolder(name: string): string {
  return join(tmpdir(), `${PREFIX}${name}`)
}

/** Those of commands that are no more, and of the one that is about to end. */
export async function removeWorkerFolders(ending?: number): Promise<void> {
  const before = `${PREFIX}${hostname()}-`
  for (const name of await readdir(tmpdir())) {
    const [, pid] =
      /^(\d+)-\d+$/.exec(name.startsWith(before) ? name.slice(before.length) : '') ?? []
    if (pid === undefined || (Number(pid) !== ending && isAlive(Number(pid)))) continue
    await rm(join(tmpdir(), name), { recursive: true, force: true })
  }
}
