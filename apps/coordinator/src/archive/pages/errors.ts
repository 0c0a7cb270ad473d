/** What goes wrong while pages are read. */
import { PermanentError } from '@minga/protocol'

/** How this is recorded where a page ends with an outcome of its own. */
export const TOO_SLOW_CODE = 'page:too-slow'

export class PageTooSlow extends PermanentError {
  readonly code = 'MINGA_PAGE_TOO_SLOW'
  constructor(options?: ErrorOptions) {
    super(
      'Reading the page exceeded its time limit, so the rest of the page was skipped. Simplify the selectors that are applied to it, if there are any.',
      options,
    )
  }
}

export class PageUnreadable extends PermanentError {
  readonly code = 'MINGA_PAGE_UNREADABLE'
  constructor(reason: string, options?: ErrorOptions) {
    super(`The page cannot be read: ${reason.slice(0, 500)}`, options)
  }
}
