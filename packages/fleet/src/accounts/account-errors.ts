import { PermanentError } from '@minga/protocol'

/**
 * One answer for an unknown name and for a wrong password, so that no caller learns who has an
 * account.
 */
export class BadLogin extends PermanentError {
  readonly code = 'MINGA_BAD_LOGIN'
  override readonly status = 401
  constructor() {
    super(
      'The name or the password is wrong. Check both, or ask the operator of this station for a reset link.',
    )
  }
}

export class NameTaken extends PermanentError {
  readonly code = 'MINGA_NAME_TAKEN'
  override readonly status = 409
  constructor(name: string) {
    super(`The name "${name}" is taken by another account. Choose another name, or log in.`)
  }
}

export class WeakPassword extends PermanentError {
  readonly code = 'MINGA_WEAK_PASSWORD'
  constructor(problem: string) {
    super(
      `The password ${problem}. Choose another one, for example a few words that are hard to guess.`,
    )
  }
}

/** The password was right: what is missing is the other half. */
export class SecondFactorNeeded extends PermanentError {
  readonly code = 'MINGA_SECOND_FACTOR_NEEDED'
  override readonly status = 401
  constructor() {
    super(
      'This account has a second factor. Send the code of your authenticator app, or a recovery code, as well.',
    )
  }
}

/** Wrong, too old and used ones look the same from outside. */
export class BadCode extends PermanentError {
  readonly code = 'MINGA_BAD_CODE'
  override readonly status = 401
  constructor() {
    super(
      'The code is wrong, too old or already used. Wait for the next one in your app, and check the clock of its device.',
    )
  }
}

export class SecondFactorOn extends PermanentError {
  readonly code = 'MINGA_SECOND_FACTOR_ON'
  override readonly status = 409
  constructor() {
    super('The account already has a second factor. Remove it first, then set up another.')
  }
}

/** Unknown, removed, of another station, wrong or late: all look the same from outside. */
export class PasskeyRefused extends PermanentError {
  readonly code = 'MINGA_PASSKEY_REFUSED'
  override readonly status = 401
  constructor(options?: ErrorOptions) {
    super(
      'The passkey was not accepted. Try again within five minutes, or log in with your password.',
      options,
    )
  }
}

export class NoSuchPasskey extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_PASSKEY'
  override readonly status = 404
  constructor() {
    super('You have no such passkey. List your passkeys to see their ids.')
  }
}

export class TooManyPasskeys extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_PASSKEYS'
  override readonly status = 409
  constructor(most: number) {
    super(`The account has ${most} passkeys, which is the limit. Remove one first.`)
  }
}

export class PasskeysNeedName extends PermanentError {
  readonly code = 'MINGA_PASSKEYS_NEED_NAME'
  override readonly status = 409
  constructor(origin: string) {
    super(
      `Browsers bind passkeys to a name, and ${origin} has none. Open the station by its name, or as localhost on its own machine.`,
    )
  }
}

/** Late, forged, for another log-in, or refused there: the reasons are those of a library, and help who forges. */
export class OidcRefused extends PermanentError {
  readonly code = 'MINGA_OIDC_REFUSED'
  override readonly status = 401
  constructor(options?: ErrorOptions) {
    super(
      'The login at the issuer failed, or took longer than ten minutes. Start it again.',
      options,
    )
  }
}

export class UnknownIdentity extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_IDENTITY'
  override readonly status = 403
  constructor() {
    super(
      'No account here is linked to this identity. Log in with your password and link it on your account page, or ask the operator for an account.',
    )
  }
}

export class IdentityTaken extends PermanentError {
  readonly code = 'MINGA_IDENTITY_TAKEN'
  override readonly status = 409
  constructor() {
    super('This identity is already linked to an account. Remove it there first.')
  }
}

export class NoSuchIdentity extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_IDENTITY'
  override readonly status = 404
  constructor() {
    super('Your account has no such identity. List your identities to see their ids.')
  }
}

/** Unknown, used, expired and overtaken tokens look the same from outside. */
export class ResetInvalid extends PermanentError {
  readonly code = 'MINGA_RESET_INVALID'
  constructor() {
    super(
      'The reset link is unknown, used or too old. Ask the operator of this station for a new one.',
    )
  }
}

/** Unknown, used, expired and overtaken ones look the same from outside. */
export class EmailLinkInvalid extends PermanentError {
  readonly code = 'MINGA_EMAIL_LINK_INVALID'
  constructor() {
    super(
      'The link is unknown, used or older than an hour. Request another one on your account page.',
    )
  }
}

/** The session has ended, or belongs to another user. */
export class NoSuchSession extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_SESSION'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no open session ${id}; it may have ended already.`)
  }
}

export class NoSuchAccount extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_ACCOUNT'
  override readonly status = 404
  constructor(account: string) {
    super(`There is no account "${account}". List the accounts to see their ids and names.`)
  }
}

/** Else a station could lose its last operator, and its own command line its rights. */
export class OperatorStays extends PermanentError {
  readonly code = 'MINGA_OPERATOR_STAYS'
  override readonly status = 409
  constructor() {
    super(
      'The account "operator" always has the role operator. Change the roles of another account.',
    )
  }
}

export class NoSuchKey extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_KEY'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no API key ${id}. List your keys to see their ids.`)
  }
}

export class KeyRevoked extends PermanentError {
  readonly code = 'MINGA_KEY_REVOKED'
  override readonly status = 401
  constructor(id: string) {
    super(`API key ${id} was revoked. Make a new one and use that.`)
  }
}

export class KeyExpired extends PermanentError {
  readonly code = 'MINGA_KEY_EXPIRED'
  override readonly status = 401
  constructor(id: string, replacedBy: string | null) {
    super(
      replacedBy === null
        ? `API key ${id} has expired. Make a new one and use that.`
        : `API key ${id} was replaced by ${replacedBy} and its grace period is over. Use that one.`,
    )
  }
}

export class KeyReplaced extends PermanentError {
  readonly code = 'MINGA_KEY_REPLACED'
  override readonly status = 409
  constructor(id: string, replacedBy: string) {
    super(`API key ${id} was already replaced by ${replacedBy}. Rotate that one instead.`)
  }
}

export class TooManyKeys extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_KEYS'
  override readonly status = 409
  constructor(most: number) {
    super(`The account has ${most} API keys in use, which is the limit. Revoke some first.`)
  }
}

export class BadScope extends PermanentError {
  readonly code = 'MINGA_BAD_SCOPE'
  override readonly status = 403
  constructor(scopes: readonly string[]) {
    super(
      `The key cannot have the scopes ${scopes.join(', ')}, which your account does not have. Leave them out.`,
    )
  }
}

export class SignInLinkInvalid extends PermanentError {
  readonly code = 'MINGA_SIGN_IN_LINK_INVALID'
  constructor() {
    super(
      'This sign-in link was used already or is older than 15 minutes. `minga station sign-in` prints a new one.',
    )
  }
}
