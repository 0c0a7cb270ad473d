/** A station with an operator and clients who have money, and the synthetic web they ask for. */
import assert from 'node:assert/strict'
import type { Flag } from '@minga/fleet'
import type { BatchView, ResultLine } from '@minga/protocol'
import { People } from '../../accounts/people-fixture.ts'
import {
  openStation,
  TOKENS,
  type Said,
  type StationChanges,
  type TestStation,
  type Web,
} from '../../station-fixture.ts'

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT'

export interface Client {
  id: string
  token: string
}

export class TestClients {
  readonly station: TestStation
  readonly people: People

  constructor(station: TestStation) {
    this.station = station
    this.people = new People(station)
  }

  /** A new client with a budget; a request costs 1,000. */
  async client(name: string, micros = 1_000_000_000): Promise<Client> {
    const client = await this.people.person(name, 'client')
    const paid = await this.operator('POST', `/accounts/${client.id}/top-up`, { micros })
    assert.equal(paid.status, 200, JSON.stringify(paid.body))
    return client
  }

  call(token: string, method: Method, path: string, payload?: object): Promise<Said> {
    return this.station.inject({
      method,
      url: `/api${path}`,
      headers: { authorization: `Bearer ${token}` },
      ...(payload === undefined ? {} : { payload }),
    })
  }

  operator(method: Method, path: string, payload?: object): Promise<Said> {
    return this.call(TOKENS.apiKey, method, path, payload)
  }

  async submit({ token }: Client, urls: string[], more: object = {}): Promise<BatchView> {
    const said = await this.call(token, 'POST', '/batches', { urls, ...more })
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as BatchView
  }

  async lines({ token }: Client, id: string): Promise<ResultLine[]> {
    const { body } = await this.station.app.inject({
      url: `/api/batches/${id}/results`,
      headers: { host: 'localhost', authorization: `Bearer ${token}` },
    })
    return body
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as ResultLine)
  }

  /** `outcome code` of every request, in the order they were asked. */
  async ends(client: Client, id: string): Promise<string[]> {
    const lines = await this.lines(client, id)
    return lines
      .toSorted((a, b) => a.seq - b.seq)
      .map(({ outcome, code, status }) => `${outcome} ${code ?? status}`)
  }

  /** The station's own device works until the batch has ended; answers what it was asked for. */
  async serve(client: Client, web: Web, id: string): Promise<string[]> {
    const asked: string[] = []
    await this.station.hello()
    for (let rounds = 0; rounds < 200; rounds++) {
      const { body } = await this.call(client.token, 'GET', `/batches/${id}`)
      if ((body as BatchView).open === 0) return asked
      const block = await this.station.lease()
      for (const host of block.hosts) asked.push(...host.requests.map(({ url }) => url))
      await this.station.send(this.station.fetch(block, web))
    }
    throw new Error('the batch does not end')
  }

  async flags(query = ''): Promise<Flag[]> {
    return (await this.operator('GET', `/abuse/flags${query}`)).body as Flag[]
  }

  async balance({ token }: Client): Promise<number> {
    const { body } = await this.call(token, 'GET', '/balance')
    return (body as { balanceMicros: number }).balanceMicros
  }
}

export async function openClients(changes: StationChanges = {}): Promise<TestClients> {
  return new TestClients(await openStation(changes))
}
