import { MingaError } from '@minga/protocol'

export class StationUnreachable extends MingaError {
  readonly code: 'MINGA_STATION_UNREACHABLE' | 'MINGA_UNKNOWN_AGENT' = 'MINGA_STATION_UNREACHABLE'
  readonly retry = 'later'
  constructor(url: string, options?: ErrorOptions) {
    super(`The station at ${url} does not answer; it is tried again by itself.`, options)
  }
}

/** To whoever does not say hello by itself it is as if the station were away. */
export class UnknownHere extends StationUnreachable {
  override readonly code = 'MINGA_UNKNOWN_AGENT'
}

export class StationRefused extends MingaError {
  readonly code = 'MINGA_STATION_REFUSED'
  readonly retry = 'never'
  readonly reason: string
  constructor(url: string, reason: string) {
    super(`The station at ${url} refused this agent: ${reason}`)
    this.reason = reason
  }
}

export class InsecureStation extends MingaError {
  readonly code = 'MINGA_INSECURE_STATION'
  readonly retry = 'never'
  constructor(url: string) {
    super(`${url} is plain http beyond this machine; join over https instead.`)
  }
}

export class TokenNeeded extends MingaError {
  readonly code = 'MINGA_TOKEN_NEEDED'
  readonly retry = 'never'
  constructor(url: string, station: string | null) {
    super(
      station === null
        ? `This device is new to ${url}; give the join token of the station with --token.`
        : `This folder holds a device of ${station}, which ${url} does not know; give a join token with --token, or another folder with --data.`,
    )
  }
}

export class BadDeviceFile extends MingaError {
  readonly code = 'MINGA_BAD_DEVICE_FILE'
  readonly retry = 'never'
  constructor(file: string) {
    super(`${file} is not the file of a device; restore it, or move it away to enrol anew.`)
  }
}
