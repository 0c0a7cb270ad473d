/** Errors for requests about wikis that cannot be carried out. */
import { MingaError, PermanentError } from '@minga/protocol'

export class NoSuchWikiTask extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WIKI_TASK'
  override readonly status = 404

  constructor(id: number | string) {
    super(`There is no task ${id}. \`minga wiki tasks\` lists them.`)
  }
}

export class NothingChosen extends PermanentError {
  readonly code = 'MINGA_WIKI_NOTHING_CHOSEN'

  constructor(url: string) {
    super(
      `The request chooses nothing of the wiki at ${url}. Choose pages by title, categories, namespaces, or all of it.`,
    )
  }
}

export class WikiAddressRefused extends PermanentError {
  readonly code = 'MINGA_WIKI_ADDRESS_REFUSED'

  constructor(url: string, reason: string) {
    super(`The wiki at ${url} may not be requested: ${reason}.`)
  }
}

export class WikiWithoutApi extends PermanentError {
  readonly code = 'MINGA_WIKI_WITHOUT_API'

  constructor(key: string) {
    super(`The API address of ${key} is not known. Add the wiki by its address first.`)
  }
}

export class UnsafeToken extends PermanentError {
  readonly code = 'MINGA_WIKI_UNSAFE_TOKEN'

  constructor(url: string) {
    super(`Tokens and passwords are sent over https only, and ${url} is not.`)
  }
}

export class NoSuchRevision extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_REVISION'
  override readonly status = 404

  constructor(wiki: string, revId: number) {
    super(
      `This station has no text of revision ${revId} of ${wiki}: it was not extracted, or is hidden.`,
    )
  }
}

export class NoSuchWikiEditor extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WIKI_EDITOR'
  override readonly status = 404

  constructor(wiki: string, name: string) {
    super(`This station has no revision of ${wiki} by ${JSON.stringify(name.slice(0, 100))}.`)
  }
}

export class NoSuchDump extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_DUMP'

  constructor(file: string, options?: ErrorOptions) {
    super(`${file} cannot be read. Name a dump on the machine of the station.`, options)
  }
}

export class NoSuchImport extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_IMPORT'

  constructor(id: number) {
    super(`There has been no import ${id} since this station was started. Start the import again.`)
  }
}

export class ImportStopped extends MingaError {
  readonly code = 'MINGA_IMPORT_STOPPED'
  readonly retry = 'later'

  constructor(file: string) {
    super(`The import of ${file} was stopped. Import it again to continue.`)
  }
}

/** A part of a list was requested with invalid parameters. */
export class BadWikiListing extends PermanentError {
  readonly code = 'MINGA_BAD_WIKI_LISTING'

  static page(): BadWikiListing {
    return new BadWikiListing('Pages are numbered from 1.')
  }

  static pageSize(most: number): BadWikiListing {
    return new BadWikiListing(`page_size must be a whole number from 1 to ${most}.`)
  }

  static pageAndCursor(): BadWikiListing {
    return new BadWikiListing('A list continues either by page or by cursor, not by both.')
  }

  static cursor(): BadWikiListing {
    return new BadWikiListing('The cursor is not one of this API for this list.')
  }

  static otherOrder(sort: string): BadWikiListing {
    return new BadWikiListing(`The cursor continues in the order ${sort}. Leave sort out.`)
  }

  static unknown(parameter: string, name: string, known: readonly string[]): BadWikiListing {
    const shown = JSON.stringify(name.slice(0, 60))
    return new BadWikiListing(
      `${parameter}: there is no ${shown}. Known values are ${known.join(', ')}.`,
    )
  }

  static texts(megabytes: number): BadWikiListing {
    return new BadWikiListing(
      `The texts of these revisions exceed ${megabytes} MB. Use a smaller page_size, or name the fields you need with project.`,
    )
  }

  static ofWhom(): BadWikiListing {
    return new BadWikiListing(
      'The request names neither a page (pageId) nor an editor (user). Add one of them.',
    )
  }

  static severalPages(pageId: number, wikis: readonly string[]): BadWikiListing {
    return new BadWikiListing(
      `Several wikis have a page ${pageId}. Add wiki=, one of ${wikis.join(', ')}.`,
    )
  }
}

/** Countries of editors were asked for without a file that knows them. */
export class WikiWithoutPlaces extends PermanentError {
  readonly code = 'MINGA_WIKI_WITHOUT_PLACES'
  override readonly status = 409

  constructor() {
    super(
      'This station does not know the location of addresses, because it was started without --geoip.',
    )
  }
}

/** Too many questions wait to be answered in the background. */
export class TooManyQuestions extends MingaError {
  readonly code = 'MINGA_WIKI_TOO_MANY_QUESTIONS'
  override readonly status = 429
  readonly retry = 'later'

  constructor(most: number) {
    super(
      `${most} queries wait in the background, which is the limit. Try again when some are answered.`,
    )
  }
}

export class NoSuchArticle extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_ARTICLE'
  override readonly status = 404

  constructor(pageId: string) {
    super(`This station has no page ${pageId.slice(0, 60)} of these wikis. Extract it first.`)
  }
}

/** Comparing texts took more time or memory than it may. */
export class WikiTextTooLong extends PermanentError {
  readonly code = 'MINGA_WIKI_TEXT_TOO_LONG'

  constructor(options?: ErrorOptions) {
    super(
      'These texts are too long to be compared here. Export them with `minga wiki export` and compare them elsewhere.',
      options,
    )
  }
}
