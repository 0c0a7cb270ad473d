import { PermanentError } from '@minga/protocol'

export class BadScenario extends PermanentError {
  readonly code = 'MINGA_BAD_SCENARIO'
  constructor(what: string, expected: string) {
    super(`The scenario's ${what} must be ${expected}.`)
  }
}
