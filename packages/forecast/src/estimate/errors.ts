import { MingaError } from '@minga/protocol'

export class UnreadableBelief extends MingaError {
  readonly code = 'MINGA_UNREADABLE_BELIEF'
  readonly retry = 'never' as const

  constructor(bytes: Uint8Array) {
    super(
      `A stored belief of ${bytes.length} bytes and version ${bytes[0] ?? 'none'} cannot be read.`,
    )
  }
}

export class UnreadablePriors extends MingaError {
  readonly code = 'MINGA_UNREADABLE_PRIORS'
  readonly retry = 'never' as const

  constructor(bytes: Uint8Array) {
    super(
      `Stored priors of ${bytes.length} bytes and version ${bytes[0] ?? 'none'} cannot be read.`,
    )
  }
}
