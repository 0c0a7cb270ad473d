/** An operator at a running station, and what clients and agents of it do around a change. */
import assert from 'node:assert/strict'
import type { BatchView, ResultLine } from '@minga/protocol'
import { openStation, TOKENS, type TestStation, type Web } from '../../station-fixture.ts'
import type { StationChanges } from '../../station-fixture.ts'
import type { SettingView, ShownChange } from '../../../src/station/settings/live-settings.ts'
import type { SettingName, SettingValues } from '../../../src/station/settings/registry.ts'

const KEY = { authorization: `Bearer ${TOKENS.apiKey}` }

export class Operator {
  readonly station: TestStation

  constructor(station: TestStation) {
    this.station = station
  }

  async read<T>(url: string): Promise<T> {
    const { status, body } = await this.station.inject({ url: `/api${url}`, headers: KEY })
    assert.equal(status, 200, JSON.stringify(body))
    return body as T
  }

  async set(changes: Partial<SettingValues> & { note?: string }): Promise<SettingView[]> {
    const said = await this.station.inject({
      method: 'PATCH',
      url: '/api/settings',
      headers: KEY,
      payload: changes,
    })
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as SettingView[]
  }

  async reset(name: SettingName): Promise<void> {
    const url = `/api/settings/${name}`
    const { status } = await this.station.inject({ method: 'DELETE', url, headers: KEY })
    assert.equal(status, 200)
  }

  async setting(name: SettingName): Promise<SettingView> {
    const all = await this.read<SettingView[]>('/settings')
    return all.find((one) => one.name === name)!
  }

  changes(query = ''): Promise<ShownChange[]> {
    return this.read(`/settings/changes${query}`)
  }

  async submit(urls: string[], more: object = {}): Promise<BatchView> {
    const said = await this.station.post('/batches', { urls, ...more })
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as BatchView
  }

  batch(id: string): Promise<BatchView> {
    return this.read(`/batches/${id}`)
  }

  async lines(id: string): Promise<ResultLine[]> {
    const { rawPayload } = await this.station.app.inject({
      url: `/api/batches/${id}/results`,
      headers: { host: 'localhost', ...KEY },
    })
    const texts = rawPayload.toString().split('\n').filter(Boolean)
    return texts.map((line) => JSON.parse(line) as ResultLine)
  }

  /** The station's own agent works until the batch has ended. */
  async serve(id: string, web: Web): Promise<void> {
    await this.station.hello()
    for (let rounds = 0; rounds < 100; rounds++) {
      if ((await this.batch(id)).open === 0) return
      await this.station.send(this.station.fetch(await this.station.lease(), web))
    }
    throw new Error('the batch does not end')
  }

  async ledgerSumsToZero(): Promise<void> {
    const check = await this.read<{ isTrue: boolean }>('/ledger/check')
    assert.equal(check.isTrue, true, JSON.stringify(check))
  }

  /** What an account has spent (below zero) or has left, or has earned as a volunteer. */
  async balance(account: string, as: 'client' | 'volunteer' = 'client'): Promise<number> {
    const query = `?as=${as}&account=${account}`
    return (await this.read<{ balanceMicros: number }>(`/balance${query}`)).balanceMicros
  }
}

export async function openOperator(changes: StationChanges = {}): Promise<Operator> {
  return new Operator(await openStation(changes))
}
