/** Errors that both ends of the protocol know. */
import { MingaError, PermanentError } from './errors.ts'

export class BadUpload extends PermanentError {
  readonly code = 'MINGA_BAD_UPLOAD'
  readonly problem: string
  constructor(problem: string, options?: ErrorOptions) {
    super(`The upload was refused: ${problem}. Update the agent to the station's version.`, options)
    this.problem = problem
  }
}

export class UnknownAgent extends MingaError {
  readonly code = 'MINGA_UNKNOWN_AGENT'
  override readonly status = 409
  readonly retry = 'now'
  constructor(boot: string) {
    super(`The station does not know agent ${boot}, which must send its hello again.`)
  }
}

/** Invalid rules for scraping; `where` is a file or the field of a rule. */
export class BadExtract extends PermanentError {
  readonly code = 'MINGA_BAD_EXTRACT'
  constructor(where: string, what: string, options?: ErrorOptions) {
    super(`${where}: ${what}.`, options)
  }
}
