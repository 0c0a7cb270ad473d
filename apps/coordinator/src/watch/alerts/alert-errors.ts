import { MingaError } from '@minga/protocol'

export class NoSuchAlert extends MingaError {
  readonly code = 'MINGA_NO_SUCH_ALERT'
  override readonly status = 404
  readonly retry = 'never'
  constructor(id: string) {
    super(`There is no alert ${id.slice(0, 100)}. List the alerts to see their ids.`)
  }
}

export class AlertRefused extends MingaError {
  readonly code = 'MINGA_ALERT_REFUSED'
  readonly retry = 'never'

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

export class TooManyAlerts extends MingaError {
  readonly code = 'MINGA_TOO_MANY_ALERTS'
  override readonly status = 409
  readonly retry = 'never'
  constructor(most: number) {
    super(
      `You have ${most} alerts, which is the limit. Remove one first, or make one for all watches.`,
    )
  }
}

export class NoMailServer extends MingaError {
  readonly code = 'MINGA_NO_MAIL_SERVER'
  override readonly status = 409
  readonly retry = 'never'
  constructor() {
    super(
      'This station sends no e-mail. Its operator starts it with MINGA_SMTP_URL and MINGA_MAIL_FROM.',
    )
  }
}

/** A test is an alert, too. */
export class MailboxUnconfirmed extends MingaError {
  readonly code = 'MINGA_MAILBOX_UNCONFIRMED'
  override readonly status = 409
  readonly retry = 'later'
  constructor(address: string) {
    super(
      `${address.slice(0, 200)} has not agreed to alerts of this account. Follow the link that was sent there, or turn the alert off and on again to get a new one.`,
    )
  }
}

export class NoSuchConfirmation extends MingaError {
  readonly code = 'MINGA_NO_SUCH_CONFIRMATION'
  override readonly status = 404
  readonly retry = 'never'
  constructor() {
    super(
      'This link was already used, or is older than three days. To get a new link, turn the alerts off and on again.',
    )
  }
}
