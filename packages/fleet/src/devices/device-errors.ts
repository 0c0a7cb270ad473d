import { MingaError, PermanentError } from '@minga/protocol'

export class TokenRefused extends PermanentError {
  readonly code = 'MINGA_TOKEN_REFUSED'
  override readonly status = 401
  constructor() {
    super('The station does not know this join token. Copy it again, or ask for a new one.')
  }
}

export class TokenUsed extends PermanentError {
  readonly code = 'MINGA_TOKEN_USED'
  override readonly status = 401
  constructor() {
    super(
      'This join token has already enrolled another device and is valid only once. Ask for a new one.',
    )
  }
}

export class TokenExpired extends PermanentError {
  readonly code = 'MINGA_TOKEN_EXPIRED'
  override readonly status = 401
  constructor(at: number) {
    super(`This join token expired at ${new Date(at).toISOString()}. Ask for a new one.`)
  }
}

export class TokenRevoked extends PermanentError {
  readonly code = 'MINGA_TOKEN_REVOKED'
  override readonly status = 401
  constructor() {
    super('This join token was revoked. Ask for a new one.')
  }
}

export class NoSuchToken extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_TOKEN'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no join token ${id}. List your join tokens to see their ids.`)
  }
}

export class NoSuchDevice extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_DEVICE'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no device ${id}. List your devices to see their ids.`)
  }
}

export class DeviceRevoked extends PermanentError {
  readonly code = 'MINGA_DEVICE_REVOKED'
  override readonly status = 403
  constructor() {
    super(
      'This device was revoked by its owner or the station, so it gets no work. Ask for a new join token and start with an empty --data folder.',
    )
  }
}

export class DeviceTaken extends PermanentError {
  readonly code = 'MINGA_DEVICE_TAKEN'
  override readonly status = 409
  constructor() {
    super(
      'The key of this device is enrolled for another owner. Use a token of that owner, or start with an empty --data folder.',
    )
  }
}

export class TooManyJoinTokens extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_JOIN_TOKENS'
  override readonly status = 409
  constructor(most: number) {
    super(`You have ${most} unused join tokens, which is the limit. Use or revoke some first.`)
  }
}

export class TooManyDevices extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_DEVICES'
  override readonly status = 409
  constructor(most: number) {
    super(
      `The owner of this join token has ${most} devices, which is the limit. Delete or revoke one first, or ask the operator.`,
    )
  }
}

export class OwnerExpelled extends PermanentError {
  readonly code = 'MINGA_OWNER_EXPELLED'
  override readonly status = 403
  constructor() {
    super(
      'A device of this owner was expelled, so no device of the owner is accepted. Ask the operator if this is wrong.',
    )
  }
}

export class BadSignature extends PermanentError {
  readonly code = 'MINGA_BAD_SIGNATURE'
  override readonly status = 403
  constructor(what: string) {
    super(`${what} is not signed by the key of its device, so it was rejected.`)
  }
}

/** A nonce lives a minute and serves once; the agent asks for another. */
export class StaleChallenge extends MingaError {
  readonly code = 'MINGA_STALE_CHALLENGE'
  override readonly status = 408
  readonly retry = 'now'
  constructor() {
    super('The challenge was answered too late or twice. Ask for a new one.')
  }
}
