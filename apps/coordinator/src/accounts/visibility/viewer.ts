/**
 * The reader on whose behalf the store is queried. What a reader may not see is decided in
 * `limited-sql.ts` and nowhere else; operators read without a viewer, and so does the station
 * itself.
 */
export interface Viewer {
  /** Null: not known, as on the machine of a station that only this machine can call. */
  account: string | null
  /** Sees what is shared with all readers of the station; others see what is public and what is theirs. */
  isReader: boolean
}

/** No account has this id. */
const NOBODY = ''

export const accountOf = ({ account }: Viewer): string => account ?? NOBODY
