import { MingaError, type SettingsDifference, PermanentError } from '@minga/protocol'

export class NoSuchCollection extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_COLLECTION'
  override readonly status = 404
  constructor(id: number) {
    super(`There is no collection ${id}. List the collections to see their numbers.`)
  }
}

export class NoSuchHost extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_HOST'
  override readonly status = 404
  constructor(host: string) {
    super(`This station knows no host "${host}". Write it as in example.org or example.org:8080.`)
  }
}

/** Everyone who collects sees it; who started it changes it. */
export class ForeignCollection extends PermanentError {
  readonly code = 'MINGA_FORBIDDEN'
  override readonly status = 403
  constructor(id: number) {
    super(
      `Collection ${id} belongs to another user. Ask them or the operator of this station to change it.`,
    )
  }
}

/** Another's limits and delay are not changed by starting the same again. */
export class CollectionExists extends PermanentError {
  readonly code = 'MINGA_COLLECTION_EXISTS'
  override readonly status = 409
  constructor(id: number, { before, after }: SettingsDifference) {
    const changes = Object.keys(after).map(
      (name) => `${name} ${JSON.stringify(before[name])} → ${JSON.stringify(after[name])}`,
    )
    super(
      `Collection ${id} already has these seeds and this scope, with other settings (${changes.join(', ')}).` +
        'Send "existing": "continue" to keep its settings, "change" to apply yours, or "separate" to start a new collection.',
    )
  }
}

export class SharedCollection extends PermanentError {
  readonly code = 'MINGA_SHARED_COLLECTION'
  constructor() {
    super(
      "This collection belongs to the station (clients' requests, audits) and cannot be ended. Cancel batches instead, or pause it.",
    )
  }
}

export class WatchedCollection extends PermanentError {
  readonly code = 'MINGA_WATCHED_COLLECTION'
  override readonly status = 409
  constructor(id: number) {
    super(`Collection ${id} is a watch and cannot be cancelled. Pause or remove the watch instead.`)
  }
}

/** A watch, a wiki and the station's own are changed where they were made. */
export class FixedCollection extends PermanentError {
  readonly code = 'MINGA_FIXED_COLLECTION'
  constructor(id: number) {
    super(
      `Collection ${id} belongs to a watch, a wiki or the station itself. Change its limits there.`,
    )
  }
}

export class NothingToTakeBack extends PermanentError {
  readonly code = 'MINGA_NOTHING_TO_UNDO'
  override readonly status = 409
  constructor(id: number) {
    super(`Collection ${id} has no change left to undo.`)
  }
}

export class NoSuchBatch extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_BATCH'
  override readonly status = 404
  constructor(id: string) {
    super(`You have no batch ${id}. List your batches to see their ids.`)
  }
}

export class BatchKeyReused extends PermanentError {
  readonly code = 'MINGA_BATCH_KEY_REUSED'
  override readonly status = 409
  constructor(key: string) {
    super(
      `The idempotency key "${key}" belongs to another batch with other requests. Send a new key.`,
    )
  }
}

export class BatchTooLarge extends PermanentError {
  readonly code = 'MINGA_BATCH_TOO_LARGE'
  constructor(total: number, batchMax: number) {
    super(
      `A batch may have ${batchMax} requests at this station, but this one has ${total}. Split it into several.`,
    )
  }
}

export class QuotaExceeded extends MingaError {
  readonly code = 'MINGA_QUOTA_EXCEEDED'
  override readonly status = 429
  readonly retry = 'later'

  static open(args: { open: number; wanted: number; openMax: number }): QuotaExceeded {
    return new QuotaExceeded(
      `You have ${args.open} open requests of at most ${args.openMax}, so ${args.wanted} more are too many. Wait until some have ended, or ask the operator for more.`,
    )
  }

  static today(args: { used: number; wanted: number; dayMax: number }): QuotaExceeded {
    return new QuotaExceeded(
      `You have used ${args.used} of ${args.dayMax} requests today, so ${args.wanted} more are too many. Come back tomorrow (UTC), or ask the operator for more.`,
    )
  }
}

export class MapTaken extends MingaError {
  readonly code = 'MINGA_MAP_TAKEN'
  readonly retry = 'later'
  constructor() {
    super(
      'Another coordinator is writing a new map of hosts. The existing one stays in force until then.',
    )
  }
}
