import { MingaError } from '@minga/protocol'

export class NoSeeds extends MingaError {
  readonly code = 'MINGA_BAD_SEED'
  readonly retry = 'never'
  constructor(seed: string) {
    super(
      `"${seed}" is not an http or https address; write it in full, as in https://example.org/.`,
    )
  }
}

export class NotAllowed extends MingaError {
  readonly code = 'MINGA_NOT_ALLOWED'
  readonly retry = 'never'
  constructor(what: string) {
    super(`${what} needs a token of this station; see station.json in its data folder.`)
  }
}

export class PortTaken extends MingaError {
  readonly code = 'MINGA_PORT_TAKEN'
  readonly retry = 'never'
  constructor(address: string, options?: ErrorOptions) {
    super(`${address} is in use by another program; choose another one with --port.`, options)
  }
}

export class NoSuchCapture extends MingaError {
  readonly code = 'MINGA_NO_SUCH_CAPTURE'
  readonly retry = 'never'
  constructor(url: string, hint: string) {
    super(`The archive has no such capture of ${url}; ${hint}.`)
  }
}

export class BadImport extends MingaError {
  readonly code = 'MINGA_BAD_IMPORT'
  readonly retry = 'never'
  constructor(file: string, problem: string, options?: ErrorOptions) {
    super(`${file} was not imported: ${problem}.`, options)
  }
}

export class WrongProtocol extends MingaError {
  readonly code = 'MINGA_WRONG_PROTOCOL'
  readonly retry = 'never'
  constructor(got: number) {
    super(
      `The agent speaks protocol ${got}, which this station does not; update the older of the two.`,
    )
  }
}
