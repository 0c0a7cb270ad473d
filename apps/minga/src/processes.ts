/**
 * `processes.json` in a data folder: who is running, for other processes to read. Commands on
 * one folder may start and stop at the same moment, and only one of them serves it: what a living
 * process of another command has written stays.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

export type Role = 'coordinator' | 'agent' | 'worker' | 'store'

interface Running {
  pid: number
  role: Role
}

export class ProcessesFile {
  readonly #folder: string
  readonly #ours = new Set<number>()

  constructor(folder: string) {
    this.#folder = folder
  }

  /** On a disk that is full the old list stays: those who run are more than the list of them. */
  async write(list: readonly Running[]): Promise<void> {
    for (const { pid } of list) this.#ours.add(pid)
    const file = join(this.#folder, 'processes.json')
    if ((await read(file)).some(({ pid }) => !this.#ours.has(pid) && isAlive(pid))) return
    // A name of our own: two commands that write at once must not rename each other's file.
    const written = `${file}.${randomUUID()}`
    try {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      await writeFile(written, `${JSON.stringify(list)}\n`, { mode: 0o600 })
      await rename(written, file)
    } catch {
      await rm(written, { force: true }).catch(() => {})
    }
  }
}

export interface ListedProcess extends Running {
  isAlive: boolean
}

/** Whom the file of a folder names; one that was killed with its whole command is named and not alive. */
export async function listedProcesses(folder: string): Promise<ListedProcess[]> {
  const list = await read(join(folder, 'processes.json'))
  return list.map(({ pid, role }) => ({ pid, role, isAlive: isAlive(pid) }))
}

async function read(file: string): Promise<Running[]> {
  try {
    const list: unknown = JSON.parse(await readFile(file, 'utf8'))
    return Array.isArray(list) ? (list as Running[]) : []
  } catch {
    // None yet, or not one of ours: there is no process to respect.
    return []
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
