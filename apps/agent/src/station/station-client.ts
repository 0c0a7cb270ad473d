/**
 * The station as an agent's main loop sees it: hello once, then calls that show the session it gave.
 * Beats have a thread of their own.
 */
import type { KeyObject } from 'node:crypto'
import {
  helloProof,
  PROTOCOL_VERSION,
  SIGNATURE_HEADER,
  signProof,
  uploadProof,
  refuseInsecure,
  type LeaseResponse,
  type LeaseRequest,
  type BotSigningKey,
  type DeviceFacts,
  type LoadOrder,
  type LoadReport,
  type UploadAnswer,
  type Welcome,
} from '@minga/protocol'
import {
  asChallenge,
  asLease,
  asLoadOrder,
  asNothing,
  asUploaded,
  asWelcome,
} from './checked-answers.ts'
import { StationUnreachable, UnknownHere } from '../errors.ts'
import { callStation, type ReadAnswer, type StationCall } from './station-call.ts'

export interface OwnDevice {
  id: string
  key: KeyObject
}

export interface StationOptions {
  url: string
  device: OwnDevice
  boot: string
  /** The boot before this one, when it is known to be over. */
  endedBoot?: string
  facts: DeviceFacts
  /** What to show of the key for requests to sites, for a station that publishes it there. */
  signingFor?: (agent: string) => BotSigningKey
  /** Called with the address under which the station sees this machine, whenever it says so. */
  onSeen?: (address: string) => void
}

export class StationClient {
  readonly boot: string
  readonly url: string
  /** Called whenever the station has given a new session. */
  onSession: () => void = () => {}
  readonly #options: StationOptions
  #session = ''
  #greeting: Promise<Welcome> | null = null

  constructor(options: StationOptions) {
    refuseInsecure(options.url)
    this.#options = options
    this.url = options.url
    this.boot = options.boot
  }

  get device(): string {
    return this.#options.device.id
  }

  /** What every call after the hello shows. */
  get session(): string {
    return this.#session
  }

  /** Two loops that find themselves forgotten at once say hello once. */
  hello(signal?: AbortSignal): Promise<Welcome> {
    this.#greeting ??= this.#greet(signal).finally(() => (this.#greeting = null))
    return this.#greeting
  }

  async #greet(signal?: AbortSignal): Promise<Welcome> {
    const { url, device, facts, endedBoot, signingFor } = this.#options
    const { boot } = this
    const open = { url, bearer: null }
    const { nonce, signatureAgent: agent } = await callStation(
      { ...open, call: 'challenge', body: JSON.stringify({ device: device.id }) },
      asChallenge,
      signal,
    )
    const proven = { device: device.id, boot, nonce }
    const signature = signProof(device.key, helloProof(proven))
    const former = endedBoot === undefined ? {} : { endedBoot }
    const signing = agent && signingFor ? { signing: signingFor(agent) } : {}
    const said = { ...proven, facts, ...signing, signature, ...former }
    const message = { protocol: PROTOCOL_VERSION, ...said }
    const welcome = await callStation(
      { ...open, call: 'hello', body: JSON.stringify(message) },
      asWelcome,
      signal,
    )
    this.#session = welcome.session
    this.#noteSeen(welcome)
    this.onSession()
    return welcome
  }

  async ask(ask: LeaseRequest, signal: AbortSignal): Promise<LeaseResponse> {
    const answer = await this.#send({ call: 'ask', body: JSON.stringify(ask) }, asLease, signal)
    // Before anything of its block is dialled: the block may lead to that very address.
    this.#noteSeen(answer)
    return answer
  }

  #noteSeen({ seenAddress }: Pick<Welcome, 'seenAddress'>): void {
    if (seenAddress !== undefined) this.#options.onSeen?.(seenAddress)
  }

  upload(body: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Promise<UploadAnswer> {
    const signature = signProof(this.#options.device.key, uploadProof(body))
    const headers = {
      'content-type': 'application/vnd.minga.upload',
      [SIGNATURE_HEADER]: signature,
    }
    return this.#send({ call: 'results', body, headers }, asUploaded, signal)
  }

  reportLoad(test: string, report: LoadReport, signal?: AbortSignal): Promise<LoadOrder> {
    const call = `load-tests/${encodeURIComponent(test)}/figures`
    return this.#send({ call, body: JSON.stringify(report) }, asLoadOrder, signal)
  }

  /** A courtesy: without it the leases end by silence. */
  async goodbye(signal?: AbortSignal): Promise<void> {
    try {
      await this.#send({ call: 'goodbye', body: '{}' }, asNothing, signal)
    } catch (error) {
      if (!(error instanceof StationUnreachable)) throw error
    }
  }

  /** For good: from now on the station refuses the key of this device. */
  async revoke(): Promise<void> {
    await this.#send({ call: 'revoke', body: '{}' }, asNothing)
  }

  async #send<T>(
    call: Omit<StationCall, 'url' | 'bearer'>,
    read: ReadAnswer<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { url } = this.#options
    const session = this.#session
    try {
      return await callStation({ ...call, url, bearer: session }, read, signal)
    } catch (error) {
      if (!(error instanceof UnknownHere)) throw error
      // The station dropped us after a silence, unless another loop has sent a hello in the
      // meantime. The call is repeated by its caller, after the pause that follows every failure.
      if (session === this.#session) await this.hello(signal)
      throw new StationUnreachable(url)
    }
  }
}
