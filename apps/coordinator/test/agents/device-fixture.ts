/** A device that a test leads by the hand: real keys and signatures, calls through the real server. */
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
  type Challenge,
  type DeviceFacts,
  type Enrolment,
  type Welcome,
} from '@minga/protocol'
import type { VirtualClock } from '@minga/testkit'
import type { InjectOptions } from 'fastify'
import { TOKENS, UPLOAD_TYPE, type Said } from '../station-fixture.ts'

export const FACTS: DeviceFacts = {
  os: 'TestOS',
  osVersion: '7.1',
  hostName: 'tester',
  software: 'test/1',
}

interface StationApp {
  inject(options: InjectOptions): Promise<Said>
}

export class TestDevice {
  readonly keys = newDeviceKeys()
  readonly #station: StationApp
  id = ''
  session = ''
  /** Its apparent address, by which owners and networks are distinguished. */
  address = '127.0.0.1'

  constructor(station: StationApp) {
    this.#station = station
  }

  async enrol(token = TOKENS.joinToken, name = 'a device'): Promise<Said> {
    const { publicKey } = this.keys
    const signature = this.sign(enrolProof(publicKey, token))
    const message = { protocol: PROTOCOL_VERSION, publicKey, name, facts: FACTS, signature }
    const headers = { authorization: `Bearer ${token}` }
    const said = await this.call('enrol', message, headers)
    if (said.status === 200) this.id = (said.body as Enrolment).device
    return said
  }

  async hello(boot: string, facts = FACTS): Promise<Said> {
    const { nonce } = (await this.call('challenge', { device: this.id })).body as Challenge
    const proven = { device: this.id, boot, nonce }
    const signature = this.sign(helloProof(proven))
    const said = await this.call('hello', {
      protocol: PROTOCOL_VERSION,
      ...proven,
      facts,
      signature,
    })
    if (said.status === 200) this.session = (said.body as Welcome).session
    return said
  }

  call(
    name: string,
    payload: object | Buffer,
    headers: Record<string, string> = {},
  ): Promise<Said> {
    const usual = { authorization: `Bearer ${this.session}`, 'content-type': 'application/json' }
    return this.#station.inject({
      method: 'POST',
      url: `/agent/${name}`,
      remoteAddress: this.address,
      headers: { ...usual, ...headers },
      payload,
    })
  }

  upload(body: Buffer, signature = this.sign(uploadProof(body))): Promise<Said> {
    return this.call('results', body, {
      'content-type': UPLOAD_TYPE,
      [SIGNATURE_HEADER]: signature,
    })
  }

  /** The answer to a request, while nothing else moves the clock. */
  async ask(clock: VirtualClock): Promise<LeaseResponse> {
    const asked = this.call('ask', { requestsMax: 100, hostsMax: 10 })
    const isOver = asked.then(() => true)
    while (!(await Promise.race([isOver, turn()]))) await clock.advance(250)
    return (await asked).body as LeaseResponse
  }

  sign(proof: Buffer): string {
    return signProof(privateKeyOf(this.keys), proof)
  }
}

function turn(): Promise<false> {
  return new Promise((resolve) => setTimeout(() => resolve(false), 1))
}
