import { MingaError } from '@minga/protocol'

/** A line of a file of traces that is no trace; the other lines count. */
export class BadHopList extends MingaError {
  readonly code = 'MINGA_BAD_HOP_LIST'
  readonly retry = 'never'
  constructor(name: string, line: number, what: string) {
    super(`${name}, line ${line}: ${what}.`)
  }
}

/** A line of a list of places that says where nothing is; the other lines count. */
export class BadPlaceList extends MingaError {
  readonly code = 'MINGA_BAD_PLACE_LIST'
  readonly retry = 'never'
  constructor(name: string, line: number, what: string) {
    super(`${name}, line ${line}: ${what}.`)
  }
}

/** Bytes that were to be what is remembered of times, but are not. */
export class BadTimes extends MingaError {
  readonly code = 'MINGA_BAD_TIMES'
  readonly retry = 'never'
  constructor(what: string) {
    super(`The stored connection times cannot be read: ${what}.`)
  }
}

export class BadDistanceInput extends MingaError {
  readonly code = 'MINGA_BAD_DISTANCE_INPUT'
  readonly retry = 'never'
  constructor(what: string) {
    super(`${what}.`)
  }
}
