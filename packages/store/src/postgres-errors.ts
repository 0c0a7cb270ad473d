/** What PostgreSQL's errors mean for the store. Codes: Appendix A of its manual. */
import { DatabaseError } from 'pg'
import { isMingaError } from '@minga/protocol'
import { ConstraintBroken, DiskFull, StoreDamaged, StoreUnavailable } from './errors.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK_DETECTED = '40P01'
const LOCK_NOT_AVAILABLE = '55P03'

/** Another transaction was in the way; the same one may pass if it begins again. */
export const isConflict = (error: unknown): boolean =>
  error instanceof DatabaseError &&
  (error.code === SERIALIZATION_FAILURE || error.code === DEADLOCK_DETECTED)

export const isLockTimeout = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === LOCK_NOT_AVAILABLE

export function fromPostgresError(error: unknown): unknown {
  if (isMingaError(error) || isConflict(error)) return error
  if (error instanceof DatabaseError) return fromSqlState(error)
  // Programming errors pass; what is left comes from the connection, often without a code.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) {
    return error
  }
  return StoreUnavailable.because(error.message || String(error))
}

function fromSqlState(error: DatabaseError): unknown {
  const state = error.code ?? ''
  if (state === '53100') return DiskFull.at("the database server's disk")
  if (state === 'XX001' || state === 'XX002') {
    return StoreDamaged.because('The database', error.message)
  }
  if (state.startsWith('23')) return ConstraintBroken.rule(error.message)
  // Connection lost, no resources, shutting down, wrong password or database.
  if (/^(?:08|53|57P|28|3D)/.test(state)) return StoreUnavailable.because(error.message)
  // These end the session, whatever their code: a server without room for files of its own calls it internal.
  if (/^(?:FATAL|PANIC)$/.test(error.severity ?? '')) return StoreUnavailable.because(error.message)
  return error
}
