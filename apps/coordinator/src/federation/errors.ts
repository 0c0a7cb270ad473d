import { BRANCH_LEVELS_MAX, MingaError, type Retry } from '@minga/protocol'

/** Another station of the federation does not answer. */
export class StationAway extends MingaError {
  readonly code = 'MINGA_STATION_AWAY'
  readonly retry = 'later'
  constructor(station: string, options?: ErrorOptions) {
    super(`The station ${station} does not answer; it is tried again.`, options)
  }
}

/** What another station said no with, under its code. */
export class StationSaidNo extends MingaError {
  readonly code: `MINGA_${string}`
  readonly retry: Retry
  constructor(said: { code: string; message: string; isItsTrouble: boolean }) {
    super(said.message)
    this.code = said.code as `MINGA_${string}`
    this.retry = said.isItsTrouble ? 'later' : 'never'
  }
}

/** A call that claims to be of a station, and is not, or not any more. */
export class StationCallRefused extends MingaError {
  readonly code = 'MINGA_STATION_CALL_REFUSED'
  readonly retry = 'never'

  static unknown(id: string): StationCallRefused {
    return new StationCallRefused(`The station ${id.slice(0, 50)} is not of this federation.`)
  }

  static unsigned(): StationCallRefused {
    return new StationCallRefused('A call between stations is signed; this one is not.')
  }

  static forged(): StationCallRefused {
    return new StationCallRefused('The signature of this call does not fit what it says.')
  }

  static withoutDigest(): StationCallRefused {
    return new StationCallRefused(
      'A large call between stations names the digest of its body; update the older of the two stations.',
    )
  }

  static misdirected(to: string): StationCallRefused {
    return new StationCallRefused(`This call is for the station ${to.slice(0, 50)}, not for us.`)
  }

  static repeated(): StationCallRefused {
    return new StationCallRefused('This very call has been here before.')
  }

  static unreadable(options?: ErrorOptions): StationCallRefused {
    return new StationCallRefused(
      'What a station sends is JSON in a zstd frame, and this is not; update the older of the two stations.',
      options,
    )
  }
}

export class ClocksApart extends MingaError {
  readonly code = 'MINGA_CLOCKS_APART'
  readonly retry = 'later'
  constructor(apartMs: number) {
    const seconds = Math.round(Math.abs(apartMs) / 1_000)
    super(
      `The clocks of the two stations are ${seconds} s apart, more than a minute; set the one that is wrong.`,
    )
  }
}

export class NotFederated extends MingaError {
  readonly code = 'MINGA_NOT_FEDERATED'
  readonly retry = 'never'
  constructor() {
    super('This station collects alone; found a federation or join one first.')
  }
}

export class FederatedAlready extends MingaError {
  readonly code = 'MINGA_FEDERATED_ALREADY'
  readonly retry = 'never'
  constructor() {
    super('This station is in a federation already; leave it first (--leave).')
  }
}

export class InviteRefused extends MingaError {
  readonly code = 'MINGA_INVITE_REFUSED'
  readonly retry = 'never'
  constructor() {
    super(
      'This invitation is unknown, was used, or is older than a day; ask the registrar for another (--invite).',
    )
  }
}

export class NotRegistrar extends MingaError {
  readonly code = 'MINGA_NOT_REGISTRAR'
  readonly retry = 'later'
  constructor(registrar: string) {
    super(`This station does not keep the map of its federation; ${registrar} does.`)
  }
}

/** The map is still being put together after a promotion. */
export class MapUnsettled extends MingaError {
  readonly code = 'MINGA_MAP_UNSETTLED'
  readonly retry = 'later'
  constructor() {
    super('The new registrar still waits for what others know of the map; ask again soon.')
  }
}

export class RegistrarAnswers extends MingaError {
  readonly code = 'MINGA_REGISTRAR_ANSWERS'
  readonly retry = 'never'

  static another(registrar: string): RegistrarAnswers {
    return new RegistrarAnswers(
      `The registrar ${registrar} answers; only a lost one is replaced. Stop it first if that is meant.`,
    )
  }

  static promoted(station: string): RegistrarAnswers {
    return new RegistrarAnswers(
      `The station ${station} was promoted already; confirm it (--confirm ${station}) or reject it (--reject ${station}).`,
    )
  }

  static itself(): RegistrarAnswers {
    return new RegistrarAnswers('This station is the registrar already.')
  }

  static stays(): RegistrarAnswers {
    return new RegistrarAnswers(
      'The registrar cannot leave the others without one; stop it, promote another (--promote), start it again and let it leave then.',
    )
  }
}

/** Whether the former registrar may go on is for its operator to say: two of them would send two visitors. */
export class PromotionUndecided extends MingaError {
  readonly code = 'MINGA_PROMOTION_UNDECIDED'
  readonly retry = 'later'
  constructor(station: string) {
    super(
      `The station ${station} says that it was promoted to registrar; confirm it (minga station federate --confirm ${station}) or reject it (--reject ${station}).`,
    )
  }
}

export class NoPromotion extends MingaError {
  readonly code = 'MINGA_NO_PROMOTION'
  readonly retry = 'never'
  constructor(station: string) {
    super(
      `No promotion of the station ${station.slice(0, 100)} waits for a decision here; \`minga station status\` says which does.`,
    )
  }
}

export class BadStationUrl extends MingaError {
  readonly code = 'MINGA_BAD_STATION_URL'
  readonly retry = 'never'

  static noAddress(text: string): BadStationUrl {
    return new BadStationUrl(
      `"${text.slice(0, 100)}" is no address of a station; write it as in https://minga.example.`,
    )
  }

  static unsafe(url: string): BadStationUrl {
    return new BadStationUrl(
      `Stations call each other over https, and ${url.slice(0, 100)} is not; give the station a certificate (up --tls-cert) or name its address (up --public-url).`,
    )
  }

  static guarded(url: string, reason: string): BadStationUrl {
    return new BadStationUrl(
      `The station's address ${url.slice(0, 100)} is not called: ${reason}. Start stations of an intranet with --allow-private-addresses.`,
    )
  }

  static unserved(): BadStationUrl {
    return new BadStationUrl(
      'Only a station that stays can be in a federation; start it with `minga up` first.',
    )
  }
}

export class BadBranch extends MingaError {
  readonly code = 'MINGA_BAD_BRANCH'
  readonly retry = 'never'
  constructor(text: string) {
    super(
      `"${text.slice(0, 100)}" is no branch; write at most ${BRANCH_LEVELS_MAX} names of letters and digits with slashes between them, as in pt/lisbon.`,
    )
  }
}

/** The federated folder was opened briefly, without the station that renews its rights. */
export class FederatedFolder extends MingaError {
  readonly code = 'MINGA_FEDERATED_STATION'
  readonly retry = 'never'
  constructor(data: string) {
    super(
      `The station in ${data} collects together with others and dials only while it runs; start it with \`minga up\`, then repeat this.`,
    )
  }
}
