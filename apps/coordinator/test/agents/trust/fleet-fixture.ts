/** A station with trusted devices and strangers, each of which sees its own web. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import type { TrustView } from '@minga/fleet'
import type { BatchView, FailedResult, ResultLine } from '@minga/protocol'
import type { Row } from '@minga/store'
import { TestDevice } from '../device-fixture.ts'
import {
  leasedRequestsOf,
  openStation,
  TOKENS,
  uploadOf,
  type StationChanges,
  type TestStation,
  type Web,
} from '../../station-fixture.ts'
import { queryRows } from '../../../../../packages/store/test/raw-sql-fixture.ts'

const OPERATIONS = new URL('../../contract-operations.ts', import.meta.url)
const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

export class Fleet {
  readonly station: TestStation
  #devices = 0

  constructor(station: TestStation) {
    this.station = station
  }

  async trusted(): Promise<TestDevice> {
    const device = new TestDevice(this.station)
    await device.enrol()
    return this.#arrive(device)
  }

  /** Each in another network and, unless it is given, of another owner. */
  async stranger(owner = `acct_${this.#devices}`): Promise<TestDevice> {
    const token = `token-${this.#devices}`
    await this.station.store.call('createJoinToken', {
      hash: hash('sha256', token),
      id: `join_${this.#devices}`,
      owner,
      isReusable: false,
      isTrusted: false,
      expiresAt: null,
      openMax: 1,
      now: this.station.clock.now(),
    })
    const device = new TestDevice(this.station)
    device.address = `198.${51 + this.#devices}.100.7`
    const said = await device.enrol(token)
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return this.#arrive(device)
  }

  async #arrive(device: TestDevice): Promise<TestDevice> {
    this.#devices++
    await device.hello(bootOf(device))
    return device
  }

  /**
   * The device does its work, at most so many blocks, and uploads captures of its own web; returns
   * the requested URLs.
   */
  async work(device: TestDevice, web: Web, blocks = Infinity): Promise<string[]> {
    const asked: string[] = []
    for (let idle = 0, done = 0; idle < 2 && done < blocks;) {
      await this.station.clock.advance(2_000)
      const beat = await device.call('beat', { progress: this.station.clock.now(), fences: [] })
      if (beat.status !== 200) break
      const { block } = await device.ask(this.station.clock)
      idle = block ? 0 : idle + 1
      if (!block) continue
      done++
      const parcels = this.station.fetch(block, web)
      asked.push(...leasedRequestsOf(block).map(({ request }) => request.url))
      const said = await device.upload(uploadOf(parcels, bootOf(device)))
      assert.equal(said.status, 200, JSON.stringify(said.body))
    }
    return asked
  }

  /** They were silent for long. */
  async hello(...devices: TestDevice[]): Promise<void> {
    for (const device of devices) await device.hello(bootOf(device))
  }

  /** As if two thousand audits of it had agreed. */
  prove({ id }: TestDevice): Promise<number> {
    const text = 'UPDATE device_trust SET agreements = 2000 WHERE device = ?'
    return this.station.store.call('change', { text, params: [id] })
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return queryRows(this.station.store, text, params)
  }

  async trustOf({ id }: TestDevice): Promise<TrustView> {
    return (await this.station.store.call('trustOf', { device: id }))!
  }

  async submit(urls: string[]): Promise<string> {
    const said = await this.station.post('/batches', { urls, maxAgeS: 0 })
    return (said.body as BatchView).id
  }

  async results(id: string): Promise<ResultLine[]> {
    const { rawPayload } = await this.station.app.inject({
      url: `/api/batches/${id}/results`,
      headers: { host: 'localhost', ...KEY },
    })
    const lines = rawPayload.toString().split('\n').filter(Boolean)
    return lines.map((line) => JSON.parse(line) as ResultLine)
  }

  async body(url: string): Promise<string> {
    return (await this.station.content(url)).body.toString()
  }
}

/** The device leases what it gets and says that nothing of it can be fetched, of what `named` makes of the addresses. */
export async function failAll(
  { station }: Fleet,
  device: TestDevice,
  named: (url: string) => string = (url) => url,
): Promise<number> {
  await station.clock.advance(2_000)
  await device.call('beat', { progress: station.clock.now(), fences: [] })
  const { block } = await device.ask(station.clock)
  if (block === null) return 0
  const parcels = leasedRequestsOf(block).map(({ fence, collectionId, hostId, request }) => {
    const why = { code: 'MINGA_TLS_FAILED', message: '', retry: 'never' as const }
    const times = { endedAgoMs: 0, totalMs: 1 }
    const place = { fence, collectionId, hostId, hash: request.hash, url: named(request.url) }
    const result: FailedResult = { type: 'failed', ...place, ...why, ...times }
    return { result, members: [], endedAtMs: 0, weightBytes: 0 }
  })
  const said = await device.upload(uploadOf(parcels, bootOf(device)))
  assert.equal(said.status, 200, JSON.stringify(said.body))
  return parcels.length
}

export const bootOf = ({ id }: TestDevice): string => `boot of ${id}`

export async function newFleet(changes: StationChanges = {}): Promise<Fleet> {
  return new Fleet(await openStation({ operations: OPERATIONS, ...changes }))
}

export async function balance(fleet: Fleet, account: string): Promise<number> {
  const [found] = await fleet.station.store.call('balancesOf', {
    accounts: [account],
  })
  return found!.balanceMicros
}

export async function sumOfLedger(fleet: Fleet): Promise<number> {
  const trial = await fleet.station.store.call('trialBalance', {})
  return trial.entriesMicros
}
