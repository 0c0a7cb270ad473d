/** The station as an agent sees it: five calls over HTTP. */
import {
  PROTOCOL_VERSION,
  type Answer,
  type Ask,
  type Beat,
  type BeatAnswer,
  type UploadAnswer,
  type Welcome,
} from '@minga/protocol'
import { InsecureStation, StationRefused, StationUnreachable } from './errors.ts'

/** Longer than the coordinator's long poll; a call that takes this long is lost. */
const CALL_MS = 60_000

export interface StationOptions {
  url: string
  token: string
  device: string
  boot: string
  software: string
}

export class Station {
  readonly boot: string
  readonly #options: StationOptions

  constructor(options: StationOptions) {
    refuseInsecure(options.url)
    this.#options = options
    this.boot = options.boot
  }

  hello(): Promise<Welcome> {
    const { device, software } = this.#options
    return this.#post('hello', { protocol: PROTOCOL_VERSION, device, boot: this.boot, software })
  }

  ask(ask: Omit<Ask, 'boot'>, signal: AbortSignal): Promise<Answer> {
    return this.#post('ask', { ...ask, boot: this.boot }, signal)
  }

  beat(beat: Omit<Beat, 'boot'>, signal: AbortSignal): Promise<BeatAnswer> {
    return this.#post('beat', { ...beat, boot: this.boot }, signal)
  }

  upload(body: Uint8Array<ArrayBuffer>): Promise<UploadAnswer> {
    return this.#send('results', body, 'application/vnd.minga.upload')
  }

  /** A courtesy: without it the leases end by silence. */
  async goodbye(): Promise<void> {
    try {
      await this.#post('goodbye', { boot: this.boot })
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
    }
  }

  #post<T>(call: string, message: unknown, signal?: AbortSignal): Promise<T> {
    return this.#send(call, JSON.stringify(message), 'application/json', signal)
  }

  async #send<T>(
    call: string,
    body: string | Uint8Array<ArrayBuffer>,
    contentType: string,
    signal?: AbortSignal,
  ): Promise<T> {
    const { url, token } = this.#options
    const limit = AbortSignal.timeout(CALL_MS)
    let response: Response
    try {
      response = await fetch(`${url}/agent/${call}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': contentType },
        body,
        signal: signal ? AbortSignal.any([signal, limit]) : limit,
      })
      if (response.ok) return (await response.json()) as T
    } catch (cause) {
      throw new StationUnreachable(url, { cause })
    }
    const problem = await response.text().catch(() => '')
    if (isPassing(response.status, problem)) {
      if (problem.includes('MINGA_UNKNOWN_AGENT')) await this.hello()
      throw new StationUnreachable(url)
    }
    throw new StationRefused(url, problem || `HTTP ${response.status}`)
  }
}

/** 5xx and an unknown boot pass: the station is starting, or forgot us after a silence. */
function isPassing(status: number, problem: string): boolean {
  return status >= 500 || status === 429 || problem.includes('MINGA_UNKNOWN_AGENT')
}

/** Plain http is read and changed by anybody on the way; only our own machine is exempt. */
function refuseInsecure(url: string): void {
  const { protocol, hostname } = new URL(url)
  const isLoopback = /^127\.|^\[::1\]$|^localhost$/.test(hostname)
  if (protocol !== 'https:' && !isLoopback) throw new InsecureStation(url)
}
