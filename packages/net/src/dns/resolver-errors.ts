import { PermanentError } from '@minga/protocol'

export class InvalidResolveOverride extends PermanentError {
  readonly code = 'MINGA_INVALID_RESOLVE_OVERRIDE' as const
  constructor(text: string, reason: string) {
    super(
      `The name override "${text}" cannot be used: ${reason}. Write NAME=ADDRESS, for example a.test=127.0.0.1 or *.a.test=::1.`,
    )
  }
}
