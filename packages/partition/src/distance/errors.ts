import { PermanentError } from '@minga/protocol'

/** A line of a file of traces that is no trace; the other lines count. */
export class BadHopList extends PermanentError {
  readonly code = 'MINGA_BAD_HOP_LIST'
  constructor(name: string, line: number, what: string) {
    super(`${name}, line ${line}: ${what}.`)
  }
}

/** A line of a list of places that says where nothing is; the other lines count. */
export class BadPlaceList extends PermanentError {
  readonly code = 'MINGA_BAD_PLACE_LIST'
  constructor(name: string, line: number, what: string) {
    super(`${name}, line ${line}: ${what}.`)
  }
}

/** Bytes that were to be what is remembered of times, but are not. */
export class BadTimes extends PermanentError {
  readonly code = 'MINGA_BAD_TIMES'
  constructor(what: string) {
    super(`The stored connection times cannot be read: ${what}.`)
  }
}

export class BadDistanceInput extends PermanentError {
  readonly code = 'MINGA_BAD_DISTANCE_INPUT'
  constructor(what: string) {
    super(`${what}.`)
  }
}
