import { MingaError, PermanentError } from '@minga/protocol'

export class NoSuchCapture extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_CAPTURE'
  override readonly status = 404
  constructor(url: string, hint: string) {
    super(`The archive has no such capture of ${url}: ${hint}.`)
  }
}

/** The archive is asked for something that is no address. */
export class BadArchiveUrl extends PermanentError {
  readonly code = 'MINGA_BAD_ARCHIVE_URL'
  constructor(text: string) {
    super(
      `The address "${text.slice(0, 100)}" is not an http or https address. Write it in full, as in https://example.org/.`,
    )
  }
}

/** The archive is asked for something that is no time. */
export class BadArchiveTime extends PermanentError {
  readonly code = 'MINGA_BAD_ARCHIVE_TIME'

  static ofHeader(text: string): BadArchiveTime {
    return new BadArchiveTime(
      `Accept-Datetime "${text.slice(0, 100)}" is not an HTTP date. Write it as in Thu, 01 Jan 2026 12:00:00 GMT.`,
    )
  }

  static ofDiff(text: string): BadArchiveTime {
    return new BadArchiveTime(
      `"${text.slice(0, 100)}" is not a valid time of a capture. Write it as in 20260131, 2026-01-31T12:00:00Z, latest or previous.`,
    )
  }

  static ofPath(text: string): BadArchiveTime {
    return new BadArchiveTime(
      `"${text.slice(0, 100)}" is not a valid time of a capture. Write it in UTC as in 20260131120000.`,
    )
  }
}

/** Comparing two captures took more time or memory than it may. */
export class DiffTooLong extends PermanentError {
  readonly code = 'MINGA_DIFF_TOO_LONG'
  constructor(options?: ErrorOptions) {
    super(
      'These two captures are too large to be compared here. Read them with "minga archive get" and compare them elsewhere.',
      options,
    )
  }
}

export class NoSuchVersion extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_VERSION'
  override readonly status = 404
  constructor(collectionId: number, number: number) {
    super(
      `Collection ${collectionId} has no version ${number}. A crawl has one when it has ended, a watch one for each harvest.`,
    )
  }
}

/** The station writes it to its own disk first. */
export class ExportTooLarge extends MingaError {
  readonly code = 'MINGA_EXPORT_TOO_LARGE'
  override readonly status = 507
  readonly retry = 'later'
  constructor(collectionId: number) {
    super(
      `The station's disk has too little space to pack collection ${collectionId}. Free some, or run \`minga archive export --collection ${collectionId} --wacz FILE\` to another disk.`,
    )
  }
}

/** The player of archived pages asks for an index or a file that is not there. */
export class NoSuchSource extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_SOURCE'
  override readonly status = 404
  constructor(name: string) {
    super(
      `There is nothing to replay under "${name.slice(0, 100)}". Open the page again from the archive.`,
    )
  }
}

/** Archived pages of two collections would share an origin and read each other. */
export class NoReplayName extends PermanentError {
  readonly code = 'MINGA_NO_REPLAY_NAME'
  override readonly status = 404
  constructor() {
    super(
      'Pages of this collection cannot be replayed, because this station has no host name for them. Its operator' +
        'points a wildcard name at it and starts it with --replay-url, as in https://*.replay.example. Raw views work without.',
    )
  }
}

export class TooManyFavourites extends PermanentError {
  readonly code = 'MINGA_TOO_MANY_FAVOURITES'
  override readonly status = 409
  constructor(most: number) {
    super(`You have ${most} favourites, which is the limit. Remove one first.`)
  }
}

export class BadImport extends PermanentError {
  readonly code = 'MINGA_BAD_IMPORT'
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file} was not imported: ${problem}.`, options)
  }
}
