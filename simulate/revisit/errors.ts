import { PermanentError } from '@minga/protocol'

export class BadTrace extends PermanentError {
  readonly code = 'MINGA_BAD_TRACE'
  constructor(line: number, what: string) {
    super(`Line ${line} of the trace: ${what}.`)
  }
}
