import { MingaError, PermanentError } from '@minga/protocol'

export class NoSeeds extends PermanentError {
  readonly code = 'MINGA_BAD_SEED'
  constructor(seed: string) {
    super(
      `The address "${seed}" is not an http or https address. Write it in full, as in https://example.org/.`,
    )
  }
}

/** The caller is not authenticated. */
export class NotAllowed extends PermanentError {
  readonly code = 'MINGA_NOT_ALLOWED'
  override readonly status = 401
  constructor(what: string) {
    super(
      `${what} needs a login or an API key that this station knows. The operator's key is in station.json in its data folder.`,
    )
  }
}

/** An address that was good for one download, once. */
export class StaleTicket extends PermanentError {
  readonly code = 'MINGA_STALE_TICKET'
  override readonly status = 403
  constructor() {
    super(
      'This address was valid for one download within a minute. Start the download on the page again.',
    )
  }
}

/** It is known who calls, and they may not. */
export class Forbidden extends PermanentError {
  readonly code = 'MINGA_FORBIDDEN'
  override readonly status = 403

  static byRole(what: string, action: string): Forbidden {
    return new Forbidden(
      `${what} is not among the rights of your account (${action}). Ask the operator of this station for a role that has it.`,
    )
  }

  static byScope(what: string, action: string): Forbidden {
    return new Forbidden(
      `${what} is not among the scopes of this API key (${action}). Use a key that has it, or log in.`,
    )
  }

  static byKey(what: string): Forbidden {
    return new Forbidden(`${what} cannot be done with an API key. Log in with your password.`)
  }
}

export class RateLimited extends MingaError {
  readonly code = 'MINGA_RATE_LIMITED'
  override readonly status = 429
  readonly retry = 'later'
  /** Sent as Retry-After. */
  readonly retryAfterS: number
  constructor(what: string, waitMs: number) {
    const seconds = Math.max(1, Math.ceil(waitMs / 1_000))
    super(`The limit of ${what} is reached. Try again in ${seconds} s.`)
    this.retryAfterS = seconds
  }
}

/** The body has more bytes than its route accepts from this caller. */
export class BodyTooLarge extends PermanentError {
  readonly code = 'MINGA_BODY_TOO_LARGE'
  override readonly status = 413
  constructor() {
    super(
      'The body of this request exceeds the limit of its address. Send less at a time, and include a key or session.',
    )
  }
}

/** JSON of so many values costs more time and memory than a request may have. */
export class TooManyValues extends PermanentError {
  readonly code = 'MINGA_BODY_TOO_LARGE'
  override readonly status = 413
  constructor(most: number) {
    super(`The body of this request has more than ${most} values. Send them in several requests.`)
  }
}

/** The request did not arrive in the time that its route has. */
export class RequestSlow extends MingaError {
  readonly code = 'MINGA_REQUEST_SLOW'
  override readonly status = 408
  readonly retry = 'later'
  constructor() {
    super(
      'The request did not arrive in time, so the connection is closed. Send it again, over a faster connection or in smaller parts.',
    )
  }
}

/** A browser may call a station only from its own page and by its own name. */
export class ForeignBrowser extends PermanentError {
  readonly code = 'MINGA_NOT_ALLOWED'
  override readonly status = 401

  static asProgram(): ForeignBrowser {
    return new ForeignBrowser(
      'Archived scripts and styles are not served for a page to run. Open the archived page itself.',
    )
  }

  static named(host: string): ForeignBrowser {
    return new ForeignBrowser(
      `This station does not have the name "${host}". Use the address in station.json in its data folder.`,
    )
  }

  static byCookie(): ForeignBrowser {
    return new ForeignBrowser(
      "The cookie of a session is accepted only in calls of the station's own page, with the token from its login. Log in again, and let programs send a key as Authorization: Bearer.",
    )
  }

  static elsewhere(): ForeignBrowser {
    return new ForeignBrowser(
      "A page of another origin may not call this station. Open the station's own page instead.",
    )
  }

  static from(origin: string): ForeignBrowser {
    return new ForeignBrowser(
      `A page of "${origin}" may not call this station. Open the station's own page instead.`,
    )
  }
}

export class PortTaken extends PermanentError {
  readonly code = 'MINGA_PORT_TAKEN'
  constructor(address: string, options?: ErrorOptions, option = '--port') {
    super(`${address} is in use by another program. Choose another one with ${option}.`, options)
  }

  static forReplay(address: string, options?: ErrorOptions): PortTaken {
    return new PortTaken(address, options, '--replay-port')
  }
}

export class BadListenAddress extends PermanentError {
  readonly code = 'MINGA_BAD_LISTEN_ADDRESS'
  constructor(address: string, options?: ErrorOptions) {
    super(
      `${address} is not an address of this machine on which a server can listen. Give --listen one that is, such as 127.0.0.1 or 0.0.0.0.`,
      options,
    )
  }
}

export class BadGeoip extends PermanentError {
  readonly code = 'MINGA_BAD_GEOIP'

  static unreadable(file: string, options?: ErrorOptions): BadGeoip {
    return new BadGeoip(`${file} cannot be read. Give --geoip an existing file.`, options)
  }

  static broken(file: string, options?: ErrorOptions): BadGeoip {
    return new BadGeoip(
      `${file} is not a complete MaxMind DB file (.mmdb). Download it again or omit --geoip.`,
      options,
    )
  }

  static ofAnotherKind(file: string, kind: string): BadGeoip {
    return new BadGeoip(
      `${file} has the kind "${kind}", which contains no countries. Give --geoip a file of countries or cities.`,
    )
  }
}

/** The session was opened, or confirmed, too long ago for what it asks. */
export class ConfirmPassword extends PermanentError {
  readonly code = 'MINGA_CONFIRM_PASSWORD'
  override readonly status = 403
  constructor(what: string) {
    super(
      `${what} needs your password again, because you last entered it more than ten minutes ago. Send it to POST /api/sessions/confirm, or log in again, and repeat the request.`,
    )
  }
}

export class WrongProtocol extends PermanentError {
  readonly code = 'MINGA_WRONG_PROTOCOL'
  constructor(got: number) {
    super(
      `The agent uses protocol version ${got}, which this station does not support. Update the older of the two.`,
    )
  }
}

/** The call has to end; the request continues. */
export class RequestOpen extends MingaError {
  readonly code = 'MINGA_REQUEST_OPEN'
  override readonly status = 504
  readonly retry = 'later'
  constructor(batchId: string, timeoutS: number) {
    super(
      `The request was not answered within ${timeoutS} s and continues as batch ${batchId}. Request its results later.`,
    )
  }
}

export class BadSetting extends PermanentError {
  readonly code = 'MINGA_BAD_SETTING'
  constructor(problems: readonly string[]) {
    super(`No setting was changed: ${problems.join('; ')}.`)
  }
}

export class BadHost extends PermanentError {
  readonly code = 'MINGA_BAD_HOST'

  static named(text: string): BadHost {
    return new BadHost(
      `"${text.slice(0, 100)}" is not a valid host name. Write it as in example.org, without a scheme or a path.`,
    )
  }

  static suffix(rule: string): BadHost {
    return new BadHost(
      `The rule ${rule} covers everything below a public suffix. To confirm this, send wholeSuffix: true.`,
    )
  }

  static noPublicUrl(text: string): BadHost {
    return new BadHost(
      `"${text.slice(0, 100)}" is not a valid public address of a station. Write it as in https://minga.example, without a path.`,
    )
  }

  static noWildcard(text: string): BadHost {
    return new BadHost(
      `"${text.slice(0, 100)}" is a single name for all archived pages, which could then read each other. Each collection needs a separate name: point a wildcard name at the port of replay and write it as in https://*.replay.example, without a path.`,
    )
  }

  static refused(host: string, reason: string): BadHost {
    return new BadHost(`This station fetches nothing from ${host}: ${reason}.`)
  }
}

export class BadWebhook extends PermanentError {
  readonly code = 'MINGA_BAD_WEBHOOK'
  constructor(url: string, reason: string) {
    super(`The webhook ${url} may not be called: ${reason}. Give a public address.`)
  }
}

export class MethodRefused extends PermanentError {
  readonly code = 'MINGA_METHOD_REFUSED'
  constructor(method: string) {
    super(
      `Requests are fetched with GET only, not with ${method.slice(0, 30)}, because volunteers' machines must not change anything on sites.`,
    )
  }
}

/** A record that a device sent is not what the device says it is. */
export class BadRecord extends MingaError {
  readonly code = 'MINGA_BAD_RECORD'
  readonly retry = 'later'
  constructor(problem: string) {
    super(`The record for this request is invalid: ${problem}. Another device gets the request.`)
  }
}

export class NothingToCheck extends PermanentError {
  readonly code = 'MINGA_NOTHING_TO_CHECK'
  constructor(seq: number) {
    super(`Request ${seq} of this batch has no capture of a device that could be checked again.`)
  }
}

/** The file that holds what only this station knows is gone, and the database needs it. */
export class SecretsMissing extends PermanentError {
  readonly code = 'MINGA_SECRETS_MISSING'
  constructor(data: string) {
    super(
      `${data} has no secrets.json, whose key encrypts the passwords in the database. Restore it from a backup, or copy it from the folder of the station's other coordinator.`,
    )
  }
}

export class BadSecretsFile extends PermanentError {
  readonly code = 'MINGA_BAD_SECRETS_FILE'
  constructor(file: string, options?: ErrorOptions) {
    super(`${file} is damaged or not a valid file of secrets. Restore it from a backup.`, options)
  }
}

export class SecretsReadOnly extends PermanentError {
  readonly code = 'MINGA_SECRETS_READ_ONLY'
  constructor(file: string) {
    super(
      `The secrets of this station come from ${file}, which is only read. Run the command without CREDENTIALS_DIRECTORY on a copy in the data folder, and hand the new file to the service manager.`,
    )
  }
}

export class UnknownSecretsKey extends PermanentError {
  readonly code = 'MINGA_UNKNOWN_SECRETS_KEY'
  constructor(keyId: string) {
    super(
      `The database holds a secret that was encrypted with key ${keyId}, which secrets.json does not have. Restore the secrets.json that belongs to this database.`,
    )
  }
}

/** What the server said may name machines of the operator: it is theirs, and in no answer. */
export class MailNotSent extends MingaError {
  readonly code = 'MINGA_MAIL_NOT_SENT'
  override readonly status = 502
  readonly retry = 'later'
  constructor(to: string) {
    super(
      `The mail server did not accept the mail to ${to}. Check the address and try again later.`,
    )
  }
}

export class OidcOff extends PermanentError {
  readonly code = 'MINGA_OIDC_OFF'
  override readonly status = 409
  constructor() {
    super(
      'This station has no OpenID Connect issuer. Its operator starts it with MINGA_OIDC_ISSUER and MINGA_OIDC_CLIENT_ID.',
    )
  }
}

export class NoSuchWatch extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WATCH'
  override readonly status = 404
  constructor(id: number) {
    super(`There is no watch ${id}. List the watches to see their numbers.`)
  }
}

/** Those who read it see it; its owner and operators decide who does. */
export class ForeignWiki extends PermanentError {
  readonly code = 'MINGA_FORBIDDEN'
  override readonly status = 403

  constructor(wiki: string) {
    super(
      `The wiki ${wiki} belongs to another user. Its owner or the operator decides who may read it.`,
    )
  }
}

export class NoSuchSaved extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_SAVED_QUERY'
  override readonly status = 404
  constructor(id: number) {
    super(`You have no saved query ${id}.`)
  }
}

export class AlertRefused extends PermanentError {
  readonly code = 'MINGA_ALERT_REFUSED'

  static address(target: string, reason: string): AlertRefused {
    return new AlertRefused(`Nothing can be sent to ${target.slice(0, 200)}: ${reason}.`)
  }

  static nothingToTell(): AlertRefused {
    return new AlertRefused(
      'This alert would never fire. Choose changes, failures or recovered pages.',
    )
  }

  static notForFeeds(): AlertRefused {
    return new AlertRefused(
      'A feed has no quiet hours and no digest, because its reader decides when to read it. Leave them out.',
    )
  }
}

export class NoMailServer extends PermanentError {
  readonly code = 'MINGA_NO_MAIL_SERVER'
  override readonly status = 409
  constructor() {
    super(
      'This station sends no e-mail. Its operator starts it with MINGA_SMTP_URL and MINGA_MAIL_FROM.',
    )
  }
}
