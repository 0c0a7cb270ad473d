import { MingaError } from '@minga/protocol'

/** What was handed in as one WARC member is not one readable record. */
export class UnreadableRecord extends MingaError {
  readonly code = 'MINGA_UNREADABLE_RECORD' as const
  readonly retry = 'never' as const

  constructor(where: string, why: string) {
    super(`The record at ${where} cannot be read: ${why} Run "minga archive verify" on its file.`)
  }
}

/** A revisit record was requested that would not be true. */
export class ImpossibleRevisit extends MingaError {
  readonly code = 'MINGA_IMPOSSIBLE_REVISIT' as const
  readonly retry = 'never' as const

  constructor(why: string) {
    super(`The record cannot become a revisit: ${why} Keep it as a response.`)
  }
}

/** The files named for a WACZ do not fit together. */
export class ImpossibleExport extends MingaError {
  readonly code = 'MINGA_IMPOSSIBLE_EXPORT' as const
  readonly retry = 'never' as const

  constructor(why: string) {
    super(`The archive cannot be exported: ${why}`)
  }
}

/** A question to the index that cannot be answered as it stands. */
export class BadCdxQuery extends MingaError {
  readonly code = 'MINGA_BAD_CDX_QUERY' as const
  readonly retry = 'never' as const

  constructor(parameter: string, why: string) {
    super(`The query to the index is invalid: ${parameter} ${why}.`)
  }
}
