/** A station's devices alone: the real store and operations, virtual time. */
import { after } from 'node:test'
import { newDeviceKeys, type DeviceFacts } from '@minga/protocol'
import type { Row, Store } from '@minga/store'
import type { TestEngine } from '../../../store/test/contract-engines.ts'
import type { CreateJoinTokenArgs } from '../../src/devices/join-tokens.ts'
import type { DeviceView } from '../../src/devices/own-devices.ts'
import type { ContractOperations } from '../contract-operations.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

const START = 1_700_000_000_000

export const FACTS: DeviceFacts = {
  os: 'TestOS',
  osVersion: '1',
  hostName: 'tester',
  software: 'test/1',
}

export class TestDevices {
  readonly store: Store<ContractOperations>
  now = START
  #ids = 0

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  /** By default a one-time token of a volunteer; its hash is its name. */
  token(hash: string, more: Partial<CreateJoinTokenArgs> = {}): Promise<void> {
    const usual = {
      owner: 'ana',
      isReusable: false,
      isTrusted: false,
      expiresAt: null,
      openMax: 100,
    }
    const args = { hash, id: `join_${hash}`, ...usual, now: this.now, ...more }
    return this.store.call('createJoinToken', args)
  }

  async enrol(
    tokenHash: string,
    publicKey = newDeviceKeys().publicKey,
    devicesMax = 1_000,
  ): Promise<string> {
    const id = `dev_${++this.#ids}`
    const enrolled = { tokenHash, id, publicKey, name: 'a device', facts: FACTS }
    const args = { ...enrolled, devicesMax, now: this.now }
    const { device } = await this.store.call('enrolDevice', args)
    return device
  }

  /** A device of an owner, enrolled with a token of its own. */
  async deviceOf(owner: string, publicKey?: string): Promise<string> {
    const hash = `token ${++this.#ids}`
    await this.token(hash, { owner })
    return this.enrol(hash, publicKey)
  }

  list(owner: string | null): Promise<DeviceView[]> {
    return this.store.call('listDevices', { owner, limit: 100 })
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return queryRows(this.store, text, params)
  }
}

const opened: Store<ContractOperations>[] = []
after(() => Promise.all(opened.map((store) => store.close())))

export async function openDevices(engine: TestEngine): Promise<TestDevices> {
  const home = await engine.home()
  const operations = new URL('../contract-operations.ts', import.meta.url).href
  const store = await home.openHere<ContractOperations>({ operations })
  opened.push(store)
  return new TestDevices(store)
}
