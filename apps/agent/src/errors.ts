import { MingaError, plainText, PermanentError } from '@minga/protocol'

/** Whatever answers instead of a station may send a whole page. */
const REASON_CHARACTERS_MAX = 1_000

export class StationUnreachable extends MingaError {
  readonly code: 'MINGA_STATION_UNREACHABLE' | 'MINGA_UNKNOWN_AGENT' | 'MINGA_BAD_STATION_ANSWER' =
    'MINGA_STATION_UNREACHABLE'
  readonly retry = 'later'
  constructor(url: string, options?: ErrorOptions) {
    super(`The station at ${url} does not answer. The agent retries automatically.`, options)
  }
}

/** For callers that do not send a hello themselves it is as if the station were down. */
export class UnknownHere extends StationUnreachable {
  override readonly code = 'MINGA_UNKNOWN_AGENT'
}

/** It may be of another version, broken or hostile: tried again like one that is away. */
export class BadStationAnswer extends StationUnreachable {
  override readonly code = 'MINGA_BAD_STATION_ANSWER'
  constructor({ url, call }: { url: string; call: string }, problem: string) {
    super(url)
    this.message = `The station at ${url} sent an invalid answer to "${call}" (${problem}). The agent retries automatically.`
  }
}

export class StationRefused extends PermanentError {
  readonly code = 'MINGA_STATION_REFUSED'
  readonly reason: string
  /** Which call was refused and with which HTTP status, where that is known. */
  readonly refused: { call: string; status: number } | null
  constructor(url: string, reason: string, refused: StationRefused['refused'] = null) {
    const shown = plainText(reason, REASON_CHARACTERS_MAX)
    super(`The station at ${url} refused this agent: ${shown}`)
    this.reason = shown
    this.refused = refused
  }
}

export class TokenNeeded extends PermanentError {
  readonly code = 'MINGA_TOKEN_NEEDED'
  constructor(url: string, station: string | null) {
    super(
      station === null
        ? `This device is new to ${url}. Give the join token of the station with --token.`
        : `This folder holds a device of ${station}, which ${url} does not know. Give a join token with --token, or another folder with --data.`,
    )
  }
}

export class BadDeviceFile extends PermanentError {
  readonly code = 'MINGA_BAD_DEVICE_FILE'
  constructor(file: string) {
    super(`${file} is not a valid device file. Restore it, or move it away to enrol again.`)
  }
}

export class PageForeigner extends PermanentError {
  readonly code = 'MINGA_PAGE_FOREIGNER'
  constructor(from: string) {
    super(
      `The agent's page answers only itself, by its own address on this machine, not "${from}".`,
    )
  }
}

export class PageTokenRefused extends PermanentError {
  readonly code = 'MINGA_PAGE_TOKEN_REFUSED'
  constructor() {
    super("The call does not have the token of the agent's current run. Reload the agent's page.")
  }
}

export class PageNotThere extends PermanentError {
  readonly code = 'MINGA_PAGE_NOT_THERE'
  constructor(what: string) {
    super(`The agent's page has no ${what}.`)
  }
}

export class BadPageCall extends PermanentError {
  readonly code = 'MINGA_BAD_MESSAGE'
  constructor(problem: string) {
    super(`The body of the call is invalid: ${problem}.`)
  }
}

export class BadLimits extends PermanentError {
  readonly code = 'MINGA_BAD_LIMITS'

  static of(name: string, wanted: string): BadLimits {
    return new BadLimits(`The limit ${name} must be ${wanted}; nothing was changed.`)
  }

  static unknown(name: string): BadLimits {
    return new BadLimits(`There is no limit called "${name}"; nothing was changed.`)
  }

  static inFile(file: string, why: string): BadLimits {
    return new BadLimits(
      `${file} cannot be used (${why}); correct it, or remove it to begin with the usual limits.`,
    )
  }
}

export class FolderTaken extends MingaError {
  readonly code = 'MINGA_AGENT_RUNNING'
  readonly retry = 'later'
  constructor(data: string) {
    super(
      `Another agent is running in ${data}. Stop it first, or give this one a separate folder with --data.`,
    )
  }
}

export class BadRelease extends PermanentError {
  readonly code = 'MINGA_BAD_RELEASE'

  static because(why: string, options?: ErrorOptions): BadRelease {
    return new BadRelease(
      `The file is not a valid release of the agent: ${why}. Do not install it. Download it again from a station that you trust.`,
      options,
    )
  }
}
