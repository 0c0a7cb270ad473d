import { MingaError, PermanentError } from '@minga/protocol'

/** A file of places or routes that cannot be read, or says hardly anything that can. */
export class BadPlaceFile extends PermanentError {
  readonly code = 'MINGA_BAD_PLACE_FILE'

  static unreadable(file: string, flag: string, options?: ErrorOptions): BadPlaceFile {
    return new BadPlaceFile(`${file} cannot be read. Give ${flag} an existing file.`, options)
  }

  static meaningless(file: string, flag: string, first: MingaError): BadPlaceFile {
    return new BadPlaceFile(`${file} is not a valid file for ${flag}: ${first.message}`, {
      cause: first,
    })
  }
}

/** The thread that learns distances ended without an answer. */
export class DistancesFailed extends MingaError {
  readonly code = 'MINGA_DISTANCES_FAILED'
  readonly retry = 'later'
  constructor(options?: ErrorOptions) {
    super(
      'The distances between hosts and agents could not be calculated. It will be tried again later.',
      options,
    )
  }
}

export class NoMap extends MingaError {
  readonly code = 'MINGA_NO_MAP'
  override readonly status = 404
  readonly retry = 'later'
  constructor() {
    super(
      'There is no map of hosts yet. The strategy `partitioned` makes one as soon as there are two agents.',
    )
  }
}

export class NotPartitioned extends PermanentError {
  readonly code = 'MINGA_NOT_PARTITIONED'
  override readonly status = 409
  constructor() {
    super('Hosts are not placed by a map. Set the strategy to `partitioned` first.')
  }
}

export class NoSuchEpoch extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_EPOCH'
  override readonly status = 404
  constructor(epoch: number) {
    super(`Epoch ${epoch} of the map is no longer stored, only the last fifty are.`)
  }
}
