import { PermanentError } from '@minga/protocol'

export class UnreadableBelief extends PermanentError {
  readonly code = 'MINGA_UNREADABLE_BELIEF'

  constructor(bytes: Uint8Array) {
    super(
      `A stored belief of ${bytes.length} bytes and version ${bytes[0] ?? 'none'} cannot be read.`,
    )
  }
}

export class UnreadablePriors extends PermanentError {
  readonly code = 'MINGA_UNREADABLE_PRIORS'

  constructor(bytes: Uint8Array) {
    super(
      `Stored priors of ${bytes.length} bytes and version ${bytes[0] ?? 'none'} cannot be read.`,
    )
  }
}
