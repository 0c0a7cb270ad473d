import { MingaError } from '@minga/protocol'

export class BadScenario extends MingaError {
  readonly code = 'MINGA_BAD_SCENARIO'
  readonly retry = 'never'
  constructor(what: string, expected: string) {
    super(`The scenario's ${what} must be ${expected}.`)
  }
}
