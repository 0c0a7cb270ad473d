import { MingaError, PermanentError } from '@minga/protocol'

/** Everyone who reads sees it; who made it changes it. */
export class ForeignWatch extends PermanentError {
  readonly code = 'MINGA_FORBIDDEN'
  override readonly status = 403
  constructor(id: number) {
    super(
      `Watch ${id} belongs to another user. Ask them or the operator of this station to change it.`,
    )
  }
}

export class NoSuchRegion extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_REGION'
  override readonly status = 404
  constructor({ id, url, region }: { id: number; url: string; region: number }) {
    super(
      `Watch ${id} has no ignored region ${region} of ${url.slice(0, 200)}. List its ignored regions to see their numbers.`,
    )
  }
}

export class NoSuchSubscription extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_SUBSCRIPTION'
  override readonly status = 404
  constructor() {
    super('This station did not request such a subscription at a hub. Do not confirm it.')
  }
}

/** A status of its own: by it a hub knows that it is to send nothing more (WebSub §7). */
export class SubscriptionGone extends PermanentError {
  readonly code = 'MINGA_SUBSCRIPTION_GONE'
  override readonly status = 410
  constructor() {
    super('This address has no subscription any more. End the subscription.')
  }
}

export class WatchRefused extends PermanentError {
  readonly code = 'MINGA_WATCH_REFUSED'

  static address(url: string, reason: string, remedy = 'leave it out'): WatchRefused {
    return new WatchRefused(`${url.slice(0, 200)} cannot be watched: ${reason}; ${remedy}.`)
  }

  static severalPages(count: number): WatchRefused {
    return new WatchRefused(
      `A page is one address, but ${count} were given. Watch them as a list instead.`,
    )
  }

  static severalSeeds(count: number, most: number): WatchRefused {
    return new WatchRefused(
      `A site may have ${most} start addresses, but ${count} were given. Watch them as a list instead.`,
    )
  }

  static paused(id: number): WatchRefused {
    return new WatchRefused(`Watch ${id} is paused, so nothing of it is visited. Resume it first.`)
  }

  static nothingLeft(id: number): WatchRefused {
    return new WatchRefused(
      `Watch ${id} would have no addresses left. Remove the watch instead, or add addresses first.`,
    )
  }
}

export class NothingToUndo extends PermanentError {
  readonly code = 'MINGA_NOTHING_TO_UNDO'
  override readonly status = 409
  constructor(id: number) {
    super(`Watch ${id} has no change of a setting that could be undone.`)
  }
}

export class NoSuchCategory extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_CATEGORY'
  override readonly status = 404
  constructor(code: number) {
    super(`There is no category ${code}. List the categories to see their codes, or add it first.`)
  }
}

export class CategoryTaken extends PermanentError {
  readonly code = 'MINGA_CATEGORY_TAKEN'
  override readonly status = 409
  constructor(what: string) {
    super(`There is already a category ${what}. Choose another, or rename that one.`)
  }
}

export class CategoryInUse extends PermanentError {
  readonly code = 'MINGA_CATEGORY_IN_USE'
  override readonly status = 409
  constructor(code: number, watches: number) {
    super(
      `Category ${code} has ${watches} ${watches === 1 ? 'watch' : 'watches'}. Give them another one first.`,
    )
  }
}

export class NoSuchAlert extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_ALERT'
  override readonly status = 404
  constructor(id: string) {
    super(`There is no alert ${id.slice(0, 100)}. List the alerts to see their ids.`)
  }
}

export class TooManyAlerts extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_ALERTS'
  override readonly status = 409
  constructor(most: number) {
    super(
      `You have ${most} alerts, which is the limit. Remove one first, or make one for all watches.`,
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

export class NoSuchConfirmation extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_CONFIRMATION'
  override readonly status = 404
  constructor() {
    super(
      'This link was already used, or is older than three days. To get a new link, turn the alerts off and on again.',
    )
  }
}

export class NoHarvest extends PermanentError {
  readonly code = 'MINGA_NO_HARVEST'
  override readonly status = 409

  static now(id: number): NoHarvest {
    return new NoHarvest(
      `Watch ${id} has no pending or running harvest. Start one with \`minga watch harvest ${id}\`.`,
    )
  }

  static ofPages(id: number): NoHarvest {
    return new NoHarvest(
      `Watch ${id} is a watch of pages, which are visited one by one; only sites are harvested.`,
    )
  }
}
