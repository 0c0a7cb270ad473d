import { MingaError } from '@minga/protocol'

export class BadTrace extends MingaError {
  readonly code = 'MINGA_BAD_TRACE'
  readonly retry = 'never'
  constructor(line: number, what: string) {
    super(`Line ${line} of the trace: ${what}.`)
  }
}

export class BadPolicyFile extends MingaError {
  readonly code = 'MINGA_BAD_POLICY'
  readonly retry = 'never'
  constructor(path: string, what: string, options?: ErrorOptions) {
    super(`The policy ${path} ${what}.`, options)
  }
}
