/** What DuckDB and the disk say, as errors that tell the scheduler whether another try makes sense. */
import { isMingaError } from '@minga/protocol/errors'
import { DiskFull } from '@minga/store/errors'
import { TaskDiskTrouble, TaskFileMissing, TaskOutOfMemory, TaskRefused } from '../errors.ts'

export interface Circumstances {
  sql: string
  memoryMb: number
  folder: string
}

const DISK_FULL =
  /No space left|ENOSPC|disk quota|EDQUOT|max_temp_directory_size|temp_directory_size/i
const OUT_OF_MEMORY = /^Out of Memory Error|could not allocate|bad_alloc|failed to allocate/i
const FILE_MISSING = /No files found that match|No such file or directory/i
const DISK_TROUBLE = /^(IO Error|EIO|EMFILE|ENFILE)|\b(EIO|EMFILE|ENFILE)\b/

export function asTaskError(error: unknown, { sql, memoryMb, folder }: Circumstances): Error {
  if (isMingaError(error)) return error
  const message = error instanceof Error ? error.message : String(error)
  const cause = { cause: error }
  if (DISK_FULL.test(message)) return DiskFull.at(folder)
  if (OUT_OF_MEMORY.test(message)) return new TaskOutOfMemory(memoryMb, sql, cause)
  if (FILE_MISSING.test(message)) return TaskFileMissing.named(nameIn(message))
  if (DISK_TROUBLE.test(message)) return TaskDiskTrouble.because(firstLine(message), error)
  return new TaskRefused(`DuckDB refused a statement: ${firstLine(message)}`, sql, cause)
}

/**
 * What the disk says outside of DuckDB; whatever else it is, is a mistake of ours and continues as
 * it is.
 */
export function asFileError(error: unknown, folder: string): unknown {
  if (isMingaError(error) || !(error instanceof Error) || !('syscall' in error)) return error
  if (DISK_FULL.test(error.message)) return DiskFull.at(folder)
  return TaskDiskTrouble.because(error.message, error)
}

const firstLine = (message: string): string => message.split('\n', 1)[0] ?? message

/** The file that the message quotes. */
const nameIn = (message: string): string => /"([^"]+)"/.exec(message)?.[1] ?? 'A file'
