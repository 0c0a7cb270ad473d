/** What can go wrong with a wiki, each with a code and a sentence that says what to do. */
import { MingaError, PermanentError } from '@minga/protocol'

/** An invalid filter of revisions. */
export class BadWikiFilter extends PermanentError {
  readonly code = 'MINGA_BAD_WIKI_FILTER'
}

/** A question in the language of queries that has a word, value or size it may not have. */
export class BadWikiQuery extends PermanentError {
  readonly code = 'MINGA_BAD_WIKI_QUERY'
}

/** The requested wiki is not on this station. */
export class NoSuchWiki extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WIKI'
  override readonly status = 404

  static named(wiki: string, near: readonly string[]): NoSuchWiki {
    const list =
      near.length > 0 ? `known are, for example: ${near.join(', ')}` : 'there is none yet'
    return new NoSuchWiki(`There is no wiki "${wiki}" here: ${list}.`)
  }
}

/** The requested page is not in the wiki's history on this station. */
export class NoSuchWikiPage extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_WIKI_PAGE'
  override readonly status = 404

  /** `near`: titles like it that are here. */
  static titled(title: string, wiki: string, near: readonly string[] = []): NoSuchWikiPage {
    const hint = near.length > 0 ? `similar are: ${near.join(', ')}` : 'extract it first'
    return new NoSuchWikiPage(`There is no page "${title}" of ${wiki} here: ${hint}.`)
  }
}

/** A question about revisions took longer, or asked for more, than it may. */
export class WikiQuestionRefused extends PermanentError {
  readonly code = 'MINGA_WIKI_QUESTION_REFUSED'

  static tooLong(timeMs: number): WikiQuestionRefused {
    return new WikiQuestionRefused(
      `The query was stopped after ${timeMs} ms. Request fewer pages or a shorter period.`,
    )
  }

  static tooManyRows(rowsMax: number): WikiQuestionRefused {
    return new WikiQuestionRefused(
      `The answer has more than ${rowsMax} rows. Request fewer pages or a shorter period.`,
    )
  }

  static notAQuestion(): WikiQuestionRefused {
    return new WikiQuestionRefused('Only one SELECT can be asked of the revisions of a wiki.')
  }
}

/** A file of histories was taken away or changed while it was read. */
export class WikiFilesMoved extends MingaError {
  readonly code = 'MINGA_WIKI_FILES_MOVED'
  readonly retry = 'now'

  static beneath(reader: string, cause: unknown): WikiFilesMoved {
    const moved = new WikiFilesMoved(
      `Files of a wiki were replaced while ${reader} read them. Repeat the call.`,
    )
    moved.cause = cause
    return moved
  }
}

/** A document is no dump of a wiki, or one that must not be read. */
export class DumpRefused extends PermanentError {
  readonly code = 'MINGA_DUMP_REFUSED'
  constructor(problem: string, line: number, byte: number) {
    super(`The dump cannot be read: ${problem} (line ${line}, byte ${byte}).`)
  }
}

/** The file of a dump is damaged or ends early; all that comes before the place was read. */
export class DumpDamaged extends PermanentError {
  readonly code = 'MINGA_DUMP_DAMAGED'
  /** Byte of the file, as it lies there, near which the damage is. */
  readonly position: number
  constructor(position: number, problem: string, options?: ErrorOptions) {
    super(
      `The dump is damaged near byte ${position} of its file: ${problem}. Everything before was read. Download the file again and repeat the import for the rest.`,
      options,
    )
    this.position = position
  }
}

/** A dump is packed in a way that needs a program of the machine. */
export class DumpToolMissing extends PermanentError {
  readonly code = 'MINGA_DUMP_TOOL_MISSING'
  constructor(programs: readonly string[], debianPackage: string) {
    super(
      `Unpacking this dump needs one of the programs ${programs.join(', ')}. Install the package ${debianPackage}, or unpack the file first.`,
    )
  }
}

/** A dump does not say of which wiki it is. */
export class DumpWithoutSite extends PermanentError {
  readonly code = 'MINGA_DUMP_WITHOUT_SITE'
  constructor() {
    super('The dump has no <siteinfo>, so its wiki is unknown. Name the wiki.')
  }
}

/** An import was to go on in a file that is not the one it began with. */
export class DumpChanged extends PermanentError {
  readonly code = 'MINGA_DUMP_CHANGED'
  constructor() {
    super('The dump has changed since its import began. Import it from its start.')
  }
}

/** A part of a file of texts is not what was written there. */
export class DamagedPack extends PermanentError {
  readonly code = 'MINGA_DAMAGED_PACK'
  constructor(path: string, where: string, options?: ErrorOptions) {
    super(`The pack ${path} is damaged: ${where}. The rest of it can be read.`, options)
  }
}

/** Texts were given to a pack that it cannot hold as they are. */
export class BadPackInput extends PermanentError {
  readonly code = 'MINGA_BAD_PACK_INPUT'
}

/** The given address leads to no wiki. */
export class BadWikiAddress extends PermanentError {
  readonly code = 'MINGA_BAD_WIKI_ADDRESS'
  constructor(written: string, why: string) {
    super(`The address “${written.slice(0, 200)}” leads to no wiki: ${why}.`)
  }
}
