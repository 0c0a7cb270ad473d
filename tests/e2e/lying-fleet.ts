/**
 * Volunteers of a station, over real HTTP: each of an owner of its own, at an address of its own /16 of loopback. They
 * record with the agent's own code what a made-up web says, and the liars among them what their pair has agreed on.
 */
import assert from 'node:assert/strict'
import { createHash, hash, randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock, type LeaseResponse, type Block } from '@minga/protocol'
import type { SeededRandom } from '@minga/testkit'
import { Outbox } from '../../apps/agent/src/record/outbox.ts'
import { AT_EASE, recordFinding } from '../../apps/agent/src/record/record.ts'
import { TestDevice } from '../../apps/coordinator/test/agents/device-fixture.ts'
import {
  answerOf,
  leasedRequestsOf,
  type Page,
  type Said,
} from '../../apps/coordinator/test/station-fixture.ts'
import { callStation, type Station } from './station-process.ts'

type DeviceCall = Parameters<ConstructorParameters<typeof TestDevice>[0]['inject']>[0]

const PASSWORD = 'minga llama quinoa'
/** As many as in a block of the simulation. */
const BLOCK = 16
/** Well within the silence after which a station takes an agent for lost. */
const BEAT_EVERY_MS = 2_000
const IDLE_MS = 200
/** A page of which no two visits see the same: one in fifty, as in the simulation. */
const DYNAMIC_ONE_IN = 50

/** Two devices of different owners and networks that tell the same lies: what one said of a page the other says, too. */
export class Pair {
  readonly name: string
  readonly #told = new Map<string, boolean>()

  constructor(name: string) {
    this.name = name
  }

  liesAbout(url: string, decide: () => boolean): boolean {
    const told = this.#told.get(url) ?? decide()
    this.#told.set(url, told)
    return told
  }
}

export interface Character {
  readonly lieRate: number
  readonly pair: Pair | null
  /** Behaves until this share of the work is done. */
  readonly wakesAt: number
}

export const HONEST: Character = { lieRate: 0, pair: null, wakesAt: 0 }

interface Owner {
  readonly character: Character
  readonly session: string
  readonly address: string
}

/** What all volunteers have in common, and what a test reads from them. */
export class Fleet {
  readonly station: Station
  readonly random: SeededRandom
  readonly over = new AbortController()
  /** The digests of all lies that were sent. */
  readonly lies = new Set<string>()
  /** Pages that volunteers have answered. */
  readonly answered = new Set<string>()
  /** How much of the work is done, from 0 to 1. */
  progress = 0
  /** Devices of liars that the station has stopped. */
  stopped = 0
  #members = 0

  constructor(station: Station, random: SeededRandom) {
    this.station = station
    this.random = random
  }

  /** A new owner of a device; answers what the device does from then on. */
  async enlist(character: Character): Promise<() => Promise<void>> {
    const n = ++this.#members
    const address = `127.${n}.0.1`
    const session = await this.#register(`volunteer-${n}`, address)
    const first = await this.#join(session, address)
    return () => this.#volunteer({ character, session, address }, first)
  }

  /** Works until the fleet is over or the station lets its owner have no more devices. */
  async #volunteer(owner: Owner, first: TestDevice | null): Promise<void> {
    for (let device = first; device !== null;) {
      await this.#work(device, (url) => this.#answer(url, owner.character))
      if (this.over.signal.aborted) return
      // An honest one only comes back, where a busy machine kept it silent for too long.
      if (owner.character.pair !== null) this.stopped++
      device = await this.#join(owner.session, owner.address)
    }
  }

  /** One of the station's own, which does what it is asked now and then: its time belongs to second opinions. */
  async auditor(restMs: number): Promise<void> {
    const { joinToken } = this.station
    const device = newDevice(this.station, '127.0.0.1')
    assert.equal((await device.enrol(joinToken, 'auditor')).status, 200)
    await this.#work(device, truthOf, restMs)
  }

  async #register(name: string, address: string): Promise<string> {
    const { station } = this
    const account = { name, password: PASSWORD, roles: ['volunteer'] }
    await callStation(station, ['POST', '/accounts'], account)
    const credentials = { name, password: PASSWORD, as: 'token' }
    const said = await send(station, address, { url: '/api/sessions', payload: credentials })
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return (said.body as { token: string }).token
  }

  /** Null when the owner may have no more devices: one of them was expelled for lying. */
  async #join(session: string, address: string): Promise<TestDevice | null> {
    const { station } = this
    const headers = { authorization: `Bearer ${session}` }
    const invited = await send(station, address, { url: '/api/join-tokens', payload: {}, headers })
    assert.equal(invited.status, 200, JSON.stringify(invited.body))
    const device = newDevice(station, address)
    const said = await device.enrol((invited.body as { token: string }).token, 'lent')
    if (said.status === 200) return device
    assert.match(JSON.stringify(said.body), /MINGA_OWNER_EXPELLED/)
    return null
  }

  /** Ends when the station stops the device, or with the fleet. */
  async #work(device: TestDevice, answer: (url: string) => Page, restMs = 0): Promise<void> {
    const boot = randomUUID()
    const hello = await device.hello(boot)
    if (isStopped(hello)) return
    assert.equal(hello.status, 200, JSON.stringify(hello.body))
    let beatMs = 0
    while (!this.over.signal.aborted) {
      if (performance.now() - beatMs > BEAT_EVERY_MS) {
        beatMs = performance.now()
        await device.call('beat', { progress: Date.now(), fences: [] })
      }
      const said = await device.call('ask', { requestsMax: BLOCK, hostsMax: BLOCK })
      if (isStopped(said)) return
      assert.equal(said.status, 200, JSON.stringify(said.body))
      const { block } = said.body as LeaseResponse
      if (block !== null) await device.upload(record(block, boot, answer))
      await sleep(block === null ? IDLE_MS : restMs)
    }
  }

  #answer(url: string, { lieRate, pair, wakesAt }: Character): Page {
    this.answered.add(url)
    const isAwake = this.progress >= wakesAt
    const decide = (): boolean => isAwake && this.random.chance(lieRate)
    if (pair === null || isRobots(url) || !pair.liesAbout(url, decide)) return truthOf(url)
    const body = `<p>A lie of ${pair.name} about ${url}</p>`
    this.lies.add(`sha256:${hash('sha256', body)}`)
    return { body }
  }
}

const STOPPED = /MINGA_(DEVICE_(QUARANTINED|EXPELLED|REVOKED)|UNKNOWN_AGENT)/

function isStopped({ status, body }: Said): boolean {
  return (status !== 200 || 'pause' in (body as object)) && STOPPED.test(JSON.stringify(body))
}

const isRobots = (url: string): boolean => url.endsWith('/robots.txt')

function truthOf(url: string): Page {
  if (isRobots(url)) return { status: 404 }
  const drawn = createHash('sha256').update(url).digest().readUInt32BE(0)
  const noise = drawn % DYNAMIC_ONE_IN === 0 ? randomUUID().replaceAll(/[\d-]/g, '') : ''
  return { body: `<p>The page ${url} ${noise}</p>` }
}

function record(block: Block, boot: string, answer: (url: string) => Page): Buffer {
  const outbox = new Outbox()
  const tools = { clock: systemClock, newId: randomUUID, effort: AT_EASE }
  for (const leased of leasedRequestsOf(block)) {
    const outcome = answerOf(answer(leased.request.url), Date.now())
    outbox.put(recordFinding(tools, { leased, outcome, endedAtMs: 0 }))
  }
  return Buffer.from(outbox.take({ boot, bytesMax: Infinity, nowMs: 0 })!.body)
}

function newDevice(station: Station, address: string): TestDevice {
  return new TestDevice({ inject: (options) => send(station, address, options) })
}

const agents = new Map<string, Agent>()

/** From an address of this machine: by it the station tells networks apart. */
function send(
  station: Station,
  localAddress: string,
  { url, headers, payload }: DeviceCall,
): Promise<Said> {
  const agent = agents.get(localAddress) ?? new Agent({ keepAlive: true, localAddress })
  agents.set(localAddress, agent)
  const { promise, resolve, reject } = Promise.withResolvers<Said>()
  assert.ok(typeof url === 'string')
  const sent = request(`${station.url}${url}`, {
    agent,
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(headers as Record<string, string>) },
  })
  sent.on('error', reject).on('response', (response) => {
    const chunks: Buffer[] = []
    response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject)
    response.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
      resolve({ status: response.statusCode!, body })
    })
  })
  sent.end(Buffer.isBuffer(payload) ? payload : JSON.stringify(payload))
  return promise
}

export function closeConnections(): void {
  for (const agent of agents.values()) agent.destroy()
}
