/** A pretended device: real keys, signatures and HTTP; it fetches nothing. */
import { randomUUID, type KeyObject } from 'node:crypto'
import {
  enrolProof,
  helloProof,
  newDeviceKeys,
  privateKeyOf,
  PROTOCOL_VERSION,
  SIGNATURE_HEADER,
  signProof,
  uploadProof,
  type LeaseResponse,
  type LeaseRequest,
  type Heartbeat,
  type HeartbeatResponse,
  type Challenge,
  type Enrolment,
  type UploadAnswer,
  type Welcome,
} from '@minga/protocol'
import { Client } from 'undici'

const FACTS = { os: 'Linux', osVersion: '6', hostName: 'bench', software: 'bench/1' }
const KEEP_ALIVE_MS = 60_000

export interface StationConnection {
  url: string
  joinToken: string
}

/** Like an agent it has two connections: its beats must not wait behind a question. */
export class BenchDevice {
  readonly boot = randomUUID()
  readonly #station: StationConnection
  readonly #key: KeyObject
  readonly #publicKey: string
  readonly #beats: Client
  #main: Client | null = null
  #session = ''

  constructor(station: StationConnection) {
    const keys = newDeviceKeys()
    this.#station = station
    this.#key = privateKeyOf(keys)
    this.#publicKey = keys.publicKey
    this.#beats = this.#connection()
  }

  #connection(): Client {
    return new Client(this.#station.url, { keepAliveTimeout: KEEP_ALIVE_MS })
  }

  /** Enrols and says hello. */
  async join(): Promise<void> {
    const { joinToken } = this.#station
    const publicKey = this.#publicKey
    const { device } = await this.#say<Enrolment>(
      this.#beats,
      'enrol',
      {
        protocol: PROTOCOL_VERSION,
        publicKey,
        name: 'bench',
        facts: FACTS,
        signature: signProof(this.#key, enrolProof(publicKey, joinToken)),
      },
      joinToken,
    )
    const { nonce } = await this.#say<Challenge>(this.#beats, 'challenge', { device })
    const proven = { device, boot: this.boot, nonce }
    const signature = signProof(this.#key, helloProof(proven))
    const hello = { protocol: PROTOCOL_VERSION, ...proven, facts: FACTS, signature }
    this.#session = (await this.#say<Welcome>(this.#beats, 'hello', hello)).session
  }

  beat(beat: Heartbeat): Promise<HeartbeatResponse> {
    return this.#say(this.#beats, 'beat', beat)
  }

  ask(ask: LeaseRequest): Promise<LeaseResponse> {
    return this.#say(this.#mainConnection(), 'ask', ask)
  }

  upload(body: Buffer): Promise<UploadAnswer> {
    const headers = {
      authorization: `Bearer ${this.#session}`,
      'content-type': 'application/vnd.minga.upload',
      [SIGNATURE_HEADER]: signProof(this.#key, uploadProof(body)),
    }
    return send(this.#mainConnection(), { call: 'results', headers, body })
  }

  #mainConnection(): Client {
    this.#main ??= this.#connection()
    return this.#main
  }

  /** Until the next question; where the number of open files does not allow two each. */
  async closeMain(): Promise<void> {
    const main = this.#main
    this.#main = null
    await main?.close()
  }

  #say<T>(client: Client, call: string, message: object, bearer = this.#session): Promise<T> {
    const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
    return send(client, { call, headers, body: JSON.stringify(message) })
  }
}

async function send<T>(
  client: Client,
  { call, ...rest }: { call: string; headers: Record<string, string>; body: string | Buffer },
): Promise<T> {
  const { statusCode, body } = await client.request({
    method: 'POST',
    path: `/agent/${call}`,
    ...rest,
  })
  const text = await body.text()
  if (statusCode === 200) return JSON.parse(text) as T
  throw new Error(`${call} was answered with ${statusCode}: ${text}`)
}
