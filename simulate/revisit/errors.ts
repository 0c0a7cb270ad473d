import { MingaError } from '@minga/protocol'

export class BadTrace extends MingaError {
  readonly code = 'MINGA_BAD_TRACE'
  readonly retry = 'never'
  constructor(line: number, what: string) {
    super(`Line ${line} of the trace: ${what}.`)
  }
}
