import { PermanentError } from '@minga/protocol'

/** A selector of a watch that is not CSS, or CSS that cannot be asked of a stored page. */
export class BadSelector extends PermanentError {
  readonly code = 'MINGA_BAD_SELECTOR' as const

  constructor(selector: string, cause: unknown) {
    const problem = cause instanceof Error ? cause.message : String(cause)
    super(`The selector ${JSON.stringify(selector.slice(0, 200))} is invalid: ${problem}.`, {
      cause,
    })
  }
}

/** Bytes that were to be what the detector remembers of a page, or of its noise, but are not. */
export class BadSketch extends PermanentError {
  readonly code = 'MINGA_BAD_SKETCH' as const

  constructor(problem: string, cause?: unknown) {
    super(`The stored sketch of a page cannot be read: ${problem}.`, { cause })
  }
}
