import { MingaError, type Retry, PermanentError } from '@minga/protocol'

export class BadOption extends PermanentError {
  readonly code = 'MINGA_BAD_OPTION'
  constructor(option: string, expected: string, got: string, cause?: ErrorOptions) {
    super(`${option} takes ${expected}, not "${got}".`, cause)
  }
}

export class PlainListen extends PermanentError {
  readonly code = 'MINGA_PLAIN_LISTEN'
  constructor(listen: string) {
    super(
      `At ${listen} passwords and keys would cross the network in plain text; give --tls-cert and --tls-key, name the proxy that serves https with --behind-proxy, or accept it with --insecure.`,
    )
  }
}

export interface RefusedAddress {
  url: string
  reason: string
  /** Permission for private addresses would help. */
  isPrivate: boolean
}

/** What helps against a refused address. */
export const remedyOf = ({ isPrivate }: RefusedAddress): string =>
  isPrivate
    ? 'Loopback and private addresses need --allow-private-addresses.'
    : 'Choose another address.'

export class AddressRefused extends PermanentError {
  readonly code = 'MINGA_ADDRESS_REFUSED'
  constructor(refused: RefusedAddress) {
    super(`${refused.url} may not be requested: ${refused.reason}. ${remedyOf(refused)}`)
  }
}

export class NothingCollected extends PermanentError {
  readonly code = 'MINGA_NOTHING_COLLECTED'
  constructor(data: string) {
    super(
      `Nothing collected here yet (${data}); start with: minga crawl https://example.org/, or name another folder with --data.`,
    )
  }
}

/** An error that a station or a child process reported, with the code it had there. */
export class Reported extends MingaError {
  readonly code: `MINGA_${string}`
  readonly retry: Retry
  constructor(report: { code: string; message: string; retry?: Retry }) {
    super(report.message)
    this.code = report.code as `MINGA_${string}`
    this.retry = report.retry ?? 'never'
  }
}

export class StationGone extends MingaError {
  readonly code = 'MINGA_STATION_UNREACHABLE'
  readonly retry = 'later'
  constructor(url: string, options?: ErrorOptions) {
    super(`The station at ${url} is not responding. Check that it is running.`, options)
  }
}

export class StationNotRunning extends PermanentError {
  readonly code = 'MINGA_STATION_NOT_RUNNING'
  constructor(data: string) {
    super(
      `No station is running in ${data}; start it with \`minga up\`, or name one with --station.`,
    )
  }
}

export class NoSuchList extends PermanentError {
  readonly code = 'MINGA_NO_SUCH_LIST'
  constructor(file: string, option: string, options?: ErrorOptions) {
    super(`${file} cannot be read; ${option} takes a text file with one entry per line.`, options)
  }
}

export class BadLimitsFile extends PermanentError {
  readonly code = 'MINGA_BAD_LIMITS'
  constructor(file: string, options?: ErrorOptions) {
    super(`${file} cannot be read; --limits takes a JSON file with an object of limits.`, options)
  }
}

export class NoAgentFolder extends PermanentError {
  readonly code = 'MINGA_NO_AGENT_FOLDER'
  constructor(data: string) {
    super(`There is no agent in ${data}; name its folder with --data, or join a station first.`)
  }
}

export class AgentNotRunning extends PermanentError {
  readonly code = 'MINGA_AGENT_NOT_RUNNING'
  constructor(data: string) {
    super(`No agent is running in ${data}; \`minga agent join\` starts it.`)
  }
}

export class AgentWithoutPage extends PermanentError {
  readonly code = 'MINGA_AGENT_WITHOUT_PAGE'
  constructor(data: string) {
    super(
      `An agent is running in ${data}, but it does not respond: it was started with --no-page, is just starting, or is ending.`,
    )
  }
}

export class UnreadableFile extends PermanentError {
  readonly code = 'MINGA_UNREADABLE_FILE'
  constructor(file: string, options: { cause: unknown }) {
    const reason = options.cause instanceof Error ? options.cause.message : String(options.cause)
    super(`${file} cannot be read: ${reason}.`, options)
  }
}

export class UnwritablePlace extends PermanentError {
  readonly code = 'MINGA_UNWRITABLE_FOLDER'
  constructor(place: string, reason: string, options: { cause: Error }) {
    super(`Nothing can be written to ${place}: ${reason}; choose another place.`, options)
  }
}

export class FolderFull extends MingaError {
  readonly code = 'MINGA_DISK_FULL'
  readonly retry = 'later'
  constructor(folder: string, options: { cause: Error }) {
    super(`There is no room left in ${folder}; free some space and try again.`, options)
  }
}
