/** Everything the store raises on purpose, and how errors travel out of the store's thread. */
import { isMingaError, MingaError, type Retry, PermanentError } from '@minga/protocol/errors'

export class StoreLocked extends MingaError {
  readonly code = 'MINGA_STORE_LOCKED' as const
  readonly retry = 'later' as const

  static folder(folder: string): StoreLocked {
    return new StoreLocked(
      `Another process is using the data folder ${folder}. Stop it first, or choose another folder.`,
    )
  }

  static writer(writer: string): StoreLocked {
    return new StoreLocked(
      `Another process is connected as writer "${writer}". Stop it first, or give this one another name.`,
    )
  }
}

export class StoreUnavailable extends MingaError {
  readonly code = 'MINGA_STORE_UNAVAILABLE' as const
  readonly retry = 'later' as const

  static because(reason: string): StoreUnavailable {
    return new StoreUnavailable(
      `The store cannot be used now (${reason}). Nothing was changed unless a commit was in progress. Correct the cause and try again.`,
    )
  }
}

export class DiskFull extends MingaError {
  readonly code = 'MINGA_DISK_FULL' as const
  readonly retry = 'later' as const

  static at(place: string): DiskFull {
    return new DiskFull(`There is no room left in ${place}. Free some space and try again.`)
  }
}

export class StoreDamaged extends PermanentError {
  readonly code = 'MINGA_STORE_DAMAGED' as const

  static because(place: string, reason: string): StoreDamaged {
    return new StoreDamaged(`${place} is damaged: ${reason}. Restore it from a backup.`)
  }
}

export class StoreTooNew extends PermanentError {
  readonly code = 'MINGA_STORE_TOO_NEW' as const

  static version(found: number, known: number): StoreTooNew {
    return new StoreTooNew(
      `The data was written by a newer Minga (schema ${found}, this one knows ${known}). Install the newer version.`,
    )
  }
}

export class StoreMisused extends PermanentError {
  readonly code = 'MINGA_STORE_MISUSED' as const
}

export class ConstraintBroken extends PermanentError {
  readonly code = 'MINGA_CONSTRAINT_BROKEN' as const

  static rule(rule: string): ConstraintBroken {
    return new ConstraintBroken(
      `The database refused a row that violates a constraint of its table (${rule}); the call changed nothing.`,
    )
  }
}

/** An error as it crosses from the store's thread: structured clone would drop its code, retry and status. */
export interface PlainError {
  readonly name: string
  readonly message: string
  readonly stack: string | undefined
  readonly code: string | undefined
  readonly retry: Retry | undefined
  readonly status?: number
}

export function toPlainError(error: unknown): PlainError {
  if (!(error instanceof Error)) {
    return {
      name: 'Error',
      message: String(error),
      stack: undefined,
      code: undefined,
      retry: undefined,
    }
  }
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined
  const { retry, status } = isMingaError(error) ? error : {}
  const plain = { name: error.name, message: error.message, stack: error.stack, code, retry }
  return status === undefined ? plain : { ...plain, status }
}

const OWN_ERRORS = [
  StoreLocked,
  StoreUnavailable,
  DiskFull,
  StoreDamaged,
  StoreTooNew,
  StoreMisused,
  ConstraintBroken,
]

/** An error of another room, thrown by an operation: its class lives in the thread, its code here. */
class OperationError extends MingaError {
  readonly code: `MINGA_${string}`
  readonly retry: Retry
  override readonly status: number | undefined = undefined
  readonly #name: string

  constructor(plain: PlainError) {
    super(plain.message)
    this.status = plain.status
    this.code = plain.code as `MINGA_${string}`
    this.retry = plain.retry ?? 'never'
    this.#name = plain.name
  }

  override get name(): string {
    return this.#name
  }
}

export function fromPlainError(plain: PlainError): Error {
  const error = revive(plain)
  if (plain.stack !== undefined) error.stack = plain.stack
  return error
}

function revive(plain: PlainError): Error {
  const own = OWN_ERRORS.find((known) => known.name === plain.name)
  if (own) return new own(plain.message)
  if (plain.code?.startsWith('MINGA_')) return new OperationError(plain)
  const error = new Error(plain.message)
  error.name = plain.name
  return plain.code === undefined ? error : Object.assign(error, { code: plain.code })
}

const NO_ROOM = new Set(['ENOSPC', 'EDQUOT', 'EFBIG'])
const NO_ACCESS = new Set(['EIO', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EMFILE', 'ENFILE'])

/** What a failed file operation means for the store; other errors come back unchanged. */
export function fromSystemError(error: unknown, place: string): unknown {
  if (!(error instanceof Error) || !('code' in error) || isMingaError(error)) return error
  if (NO_ROOM.has(String(error.code))) return DiskFull.at(place)
  if (NO_ACCESS.has(String(error.code))) return StoreUnavailable.because(error.message)
  return error
}
