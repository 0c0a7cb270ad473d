/** What passes between the thread that asks and the thread that holds the database. */
import { type PlainError, StoreMisused } from './errors.ts'
import type { BlobSeries } from './blobs.ts'
import type { Operation, OperationTable } from './sql.ts'

export interface Call {
  readonly id: number
  readonly operation: string
  readonly args: unknown
}

export type Request = Call | 'close'

export type Answer =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: PlainError }

export type Response =
  | { readonly opened: true }
  | { readonly failed: PlainError }
  | { readonly answers: readonly Answer[] }

/** What the store's thread is to open. */
export interface OpenOptions {
  /** The folder of the SQLite file and of the blobs. */
  readonly data: string
  /** With it the database is PostgreSQL; blobs stay in the folder. */
  readonly postgresUrl?: string | undefined
  /** Name of this writer, part of the names of its blob files. */
  readonly writer: string
}

export interface OperationsModule {
  readonly operations: OperationTable
  readonly blobSeries: Readonly<Record<string, BlobSeries>>
}

/** The arguments come from another thread: there the compiler checked them against this very operation. */
export function operationNamed(operations: OperationTable, name: string): Operation {
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined
  if (!operation) throw new StoreMisused(`There is no operation "${name}" in the store.`)
  return operation as Operation
}
