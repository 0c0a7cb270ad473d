import { MingaError, PermanentError } from '@minga/protocol'

export class BadAddressBlock extends PermanentError {
  readonly code = 'MINGA_BAD_ADDRESS_BLOCK'
  constructor(text: string, why: string) {
    super(`"${text}" is not a valid address block: ${why}.`)
  }
}

/** A table that would send one address to two owners: guessing would let both fetch from one host. */
export class ContestedBlock extends PermanentError {
  readonly code = 'MINGA_CONTESTED_BLOCK'
  constructor(what: string, one: string, other: string) {
    super(`${what} is assigned to both ${one} and ${other}, but a block has one owner.`)
  }
}

export class BadPlacement extends PermanentError {
  readonly code = 'MINGA_BAD_PLACEMENT'
  constructor(what: string) {
    super(`${what}.`)
  }
}

/** A change of the map that does not begin where this copy of the map ends. */
export class PlacementGap extends MingaError {
  readonly code = 'MINGA_PLACEMENT_GAP'
  readonly retry = 'later'
  constructor(delta: { from: number; to: number }, epoch: number) {
    super(
      `The map is at epoch ${epoch}, and a change from ${delta.from} to ${delta.to} does not follow it. Request the changes since ${epoch}, or the whole map.`,
    )
  }
}

export class UnreadablePlacement extends PermanentError {
  readonly code = 'MINGA_UNREADABLE_PLACEMENT'
  constructor(what: string, at: number, options?: ErrorOptions) {
    super(`These bytes are not a valid placement map: ${what} at byte ${at}.`, options)
  }
}

export class BadFilter extends PermanentError {
  readonly code = 'MINGA_BAD_FILTER'
  constructor(where: string, what: string, options?: ErrorOptions) {
    super(`${where}: ${what}.`, options)
  }
}

export class BadStationTree extends PermanentError {
  readonly code = 'MINGA_BAD_STATION_TREE'
  constructor(what: string) {
    super(`${what}.`)
  }
}
