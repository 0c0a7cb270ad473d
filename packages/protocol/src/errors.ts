/**
 * The root of every error that Minga raises on purpose.
 * Rooms subclass it in their own `errors.ts`; `docs/reference/errors.md` lists every code.
 */

/** `now`: the same call may succeed at once; `later`: after a pause; `never`: not without a change. */
export type Retry = 'now' | 'later' | 'never'

export abstract class MingaError extends Error {
  abstract readonly code: `MINGA_${string}`
  abstract readonly retry: Retry
  /** HTTP status of the response that reports it; without one, 400 if `retry` is `never` and 503 otherwise. */
  readonly status: number | undefined = undefined

  override get name(): string {
    return this.constructor.name
  }
}

/** An error that the same call meets again until something is changed. */
export abstract class PermanentError extends MingaError {
  readonly retry = 'never'
}

/** Survives two copies of this module in one process, which `instanceof` does not. */
export function isMingaError(error: unknown): error is MingaError {
  return (
    error instanceof Error &&
    'code' in error &&
    String(error.code).startsWith('MINGA_') &&
    'retry' in error
  )
}

/** For a log: the code and sentence of an error of ours, and the stack of any other. */
export function describeError(error: unknown): string {
  if (isMingaError(error)) return `${error.code} ${error.message}`
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
