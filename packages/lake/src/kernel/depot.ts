/** Where the files of a task come from and where they go: a folder of this machine, or a station elsewhere. */
import type { FileRef, Task } from '../model.ts'

export interface Depot {
  /** What one task reads and writes, until it is closed. The signal ends whatever is under way. */
  open(task: Task, signal: AbortSignal): Promise<TaskFiles>
  /**
   * Removes files that a task wrote and that are not needed; files that are gone already are
   * ignored.
   */
  discard(task: Task, names: readonly string[]): Promise<void>
}

export interface TaskFiles {
  /** Empty at first and used by this task only: here it writes and spills. */
  folder: string
  /** The path on this machine of a whole file. */
  fetch(file: FileRef): Promise<string>
  /**
   * Some bytes of a file, in their order; the file is as it was when the query began, or it is an error. A chunk is good
   * until the next is asked for.
   */
  range(file: FileRef, bounds: { from: number; to: number }): AsyncIterable<Buffer>
  /** Gives written files their names in the lake, for good. */
  keep(files: readonly WrittenFile[]): Promise<void>
  /** Removes the folder with everything that was not kept. */
  close(): Promise<void>
}

export interface WrittenFile {
  path: string
  name: string
}

/** Names of a task's files begin so: no two attempts ever write the same one. */
export const filePrefix = (task: Pick<Task, 'index' | 'fence'>): string =>
  `${task.index}-${task.fence}-`
