import { BRANCH_LEVELS_MAX, MingaError, PermanentError, type Retry } from '@minga/protocol'

/** Another station of the federation does not answer. */
export class StationAway extends MingaError {
  readonly code = 'MINGA_STATION_AWAY'
  readonly retry = 'later'
  constructor(station: string, options?: ErrorOptions) {
    super(`The station ${station} does not answer. The call is retried automatically.`, options)
  }
}

/** What another station said no with, under its code. */
export class StationSaidNo extends MingaError {
  readonly code: `MINGA_${string}`
  readonly retry: Retry
  override readonly status: number | undefined = undefined
  constructor(said: { code: string; message: string; status: number }) {
    super(said.message)
    this.code = said.code as `MINGA_${string}`
    const isItsFault = said.status >= 500
    this.retry = isItsFault ? 'later' : 'never'
    if (!isItsFault) this.status = said.status
  }
}

/** A call that claims to be of a station, and is not, or not any more. */
export class StationCallRefused extends PermanentError {
  readonly code = 'MINGA_STATION_CALL_REFUSED'
  override readonly status = 403

  static unknown(id: string): StationCallRefused {
    return new StationCallRefused(
      `The station ${id.slice(0, 50)} is not a member of this federation.`,
    )
  }

  static unsigned(): StationCallRefused {
    return new StationCallRefused(
      'This call has no signature. Calls between stations must be signed.',
    )
  }

  static forged(): StationCallRefused {
    return new StationCallRefused('The signature of this call does not match its content.')
  }

  static withoutDigest(): StationCallRefused {
    return new StationCallRefused(
      'This large call has no digest of its body. Update the older of the two stations.',
    )
  }

  static misdirected(to: string): StationCallRefused {
    return new StationCallRefused(
      `This call is addressed to the station ${to.slice(0, 50)}, not to this one.`,
    )
  }

  static repeated(): StationCallRefused {
    return new StationCallRefused('This call has already been received.')
  }

  static unreadable(options?: ErrorOptions): StationCallRefused {
    return new StationCallRefused(
      'The body of the call is not JSON in a zstd frame. Update the older of the two stations.',
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
      `The clocks of the two stations differ by ${seconds} s, which is more than a minute. Correct the wrong one.`,
    )
  }
}

export class NotFederated extends PermanentError {
  readonly code = 'MINGA_NOT_FEDERATED'
  override readonly status = 409
  constructor() {
    super('This station is not in a federation. Found or join one first.')
  }
}

export class FederatedAlready extends PermanentError {
  readonly code = 'MINGA_FEDERATED_ALREADY'
  override readonly status = 409
  constructor() {
    super('This station is already in a federation. Leave it first (--leave).')
  }
}

export class InviteRefused extends PermanentError {
  readonly code = 'MINGA_INVITE_REFUSED'
  override readonly status = 401
  constructor() {
    super(
      'This invitation is unknown, already used, or older than a day. Ask the registrar for another (--invite).',
    )
  }
}

export class NotRegistrar extends MingaError {
  readonly code = 'MINGA_NOT_REGISTRAR'
  readonly retry = 'later'
  constructor(registrar: string) {
    super(
      `This station is not the registrar of its federation (the registrar is ${registrar}). Send the call there.`,
    )
  }
}

/** The map is still being put together after a promotion. */
export class MapUnsettled extends MingaError {
  readonly code = 'MINGA_MAP_UNSETTLED'
  readonly retry = 'later'
  constructor() {
    super('The new registrar is still collecting the map from the other stations. Try again soon.')
  }
}

export class RegistrarAnswers extends PermanentError {
  readonly code = 'MINGA_REGISTRAR_ANSWERS'
  override readonly status = 409

  static another(registrar: string): RegistrarAnswers {
    return new RegistrarAnswers(
      `The registrar ${registrar} answers, and only a lost one can be replaced. To replace it anyway, stop it first.`,
    )
  }

  static promoted(station: string): RegistrarAnswers {
    return new RegistrarAnswers(
      `The station ${station} was promoted already. Confirm it (--confirm ${station}) or reject it (--reject ${station}).`,
    )
  }

  static itself(): RegistrarAnswers {
    return new RegistrarAnswers('This station is already the registrar.')
  }

  static stays(): RegistrarAnswers {
    return new RegistrarAnswers(
      'The registrar cannot leave while the federation has other members. Stop it, promote another (--promote), start it again and let it leave then.',
    )
  }
}

/** Whether the former registrar may go on is for its operator to say: two of them would send two visitors. */
export class PromotionUndecided extends MingaError {
  readonly code = 'MINGA_PROMOTION_UNDECIDED'
  readonly retry = 'later'
  constructor(station: string) {
    super(
      `The station ${station} says that it was promoted to registrar. Confirm it (minga station federate --confirm ${station}) or reject it (--reject ${station}).`,
    )
  }
}

export class NoPromotion extends PermanentError {
  readonly code = 'MINGA_NO_PROMOTION'
  override readonly status = 404
  constructor(station: string) {
    super(
      `No promotion of the station ${station.slice(0, 100)} is waiting for a decision here. \`minga station status\` shows which one is.`,
    )
  }
}

export class BadStationUrl extends PermanentError {
  readonly code = 'MINGA_BAD_STATION_URL'

  static noAddress(text: string): BadStationUrl {
    return new BadStationUrl(
      `The address of a station is invalid: "${text.slice(0, 100)}". Write it as in https://minga.example.`,
    )
  }

  static unsafe(url: string): BadStationUrl {
    return new BadStationUrl(
      `Stations call each other over https only, and ${url.slice(0, 100)} is not https. Give the station a certificate (up --tls-cert) or set its address (up --public-url).`,
    )
  }

  static guarded(url: string, reason: string): BadStationUrl {
    return new BadStationUrl(
      `The station's address ${url.slice(0, 100)} may not be called: ${reason}. Start stations of an intranet with --allow-private-addresses.`,
    )
  }

  static unserved(): BadStationUrl {
    return new BadStationUrl(
      'Only a permanently running station can be in a federation. Start it with `minga up` first.',
    )
  }
}

export class BadBranch extends PermanentError {
  readonly code = 'MINGA_BAD_BRANCH'
  constructor(text: string) {
    super(
      `The name of the branch is invalid: "${text.slice(0, 100)}". Write at most ${BRANCH_LEVELS_MAX} names of letters and digits separated by slashes, as in pt/lisbon.`,
    )
  }
}

/** The federated folder was opened briefly, without the station that renews its rights. */
export class FederatedFolder extends PermanentError {
  readonly code = 'MINGA_FEDERATED_STATION'
  constructor(data: string) {
    super(
      `The station in ${data} is a member of a federation and dials only while it runs. Start it with \`minga up\`, then repeat this command.`,
    )
  }
}
