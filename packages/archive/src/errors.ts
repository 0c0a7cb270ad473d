import { PermanentError } from '@minga/protocol'

/** What was handed in as one WARC member is not one readable record. */
export class UnreadableRecord extends PermanentError {
  readonly code = 'MINGA_UNREADABLE_RECORD' as const

  constructor(where: string, why: string) {
    super(`The record at ${where} cannot be read: ${why} Run "minga archive verify" on its file.`)
  }
}

/** A revisit record was requested that would not be true. */
export class ImpossibleRevisit extends PermanentError {
  readonly code = 'MINGA_IMPOSSIBLE_REVISIT' as const

  constructor(why: string) {
    super(`The record cannot become a revisit: ${why} Keep it as a response.`)
  }
}

/** The files named for a WACZ do not fit together. */
export class ImpossibleExport extends PermanentError {
  readonly code = 'MINGA_IMPOSSIBLE_EXPORT' as const

  constructor(why: string) {
    super(`The archive cannot be exported: ${why}`)
  }
}

/** A question to the index that cannot be answered as it stands. */
export class BadCdxQuery extends PermanentError {
  readonly code = 'MINGA_BAD_CDX_QUERY' as const

  constructor(parameter: string, why: string) {
    super(`The query to the index is invalid: ${parameter} ${why}.`)
  }
}
