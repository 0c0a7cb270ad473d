import { MingaError } from '@minga/protocol'

export class StationUnreachable extends MingaError {
  readonly code = 'MINGA_STATION_UNREACHABLE'
  readonly retry = 'later'
  constructor(url: string, options?: ErrorOptions) {
    super(`The station at ${url} does not answer; it is tried again by itself.`, options)
  }
}

export class StationRefused extends MingaError {
  readonly code = 'MINGA_STATION_REFUSED'
  readonly retry = 'never'
  constructor(url: string, reason: string) {
    super(`The station at ${url} refused this agent: ${reason}`)
  }
}

export class InsecureStation extends MingaError {
  readonly code = 'MINGA_INSECURE_STATION'
  readonly retry = 'never'
  constructor(url: string) {
    super(`${url} is plain http beyond this machine; join over https instead.`)
  }
}
