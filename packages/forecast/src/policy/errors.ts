import { MingaError } from '@minga/protocol'

export class UnknownPolicy extends MingaError {
  readonly code = 'MINGA_UNKNOWN_POLICY'
  readonly retry = 'never'
  constructor(name: string, names: readonly string[]) {
    super(`There is no policy "${name}"; there are ${names.join(', ')}.`)
  }
}
