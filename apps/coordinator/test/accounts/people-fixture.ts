/** A station that people and programs call, each in their own way. */
import assert from 'node:assert/strict'
import type { Account, Action, ApiKey, Role } from '@minga/fleet'
import {
  openStation,
  TOKENS,
  type Said,
  type StationChanges,
  type TestStation,
} from '../station-fixture.ts'

export const PASSWORD = 'minga llama quinoa'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
/** What a caller shows: a Bearer token, other headers, or nothing. */
type Shown = string | Record<string, string> | null

export class People {
  readonly station: TestStation

  constructor(station: TestStation) {
    this.station = station
  }

  call(shown: Shown, method: Method, path: string, payload?: object): Promise<Said> {
    const bearer = typeof shown === 'string' ? { authorization: `Bearer ${shown}` } : shown
    return this.station.inject({
      method,
      url: `/api${path}`,
      headers: bearer ?? {},
      ...(payload === undefined ? {} : { payload }),
    })
  }

  /** What the call answers when all is well. */
  async ok<T>(shown: Shown, method: Method, path: string, payload?: object): Promise<T> {
    const said = await this.call(shown, method, path, payload)
    assert.equal(said.status, 200, JSON.stringify(said.body))
    return said.body as T
  }

  account(name: string, roles: Role[]): Promise<Account> {
    return this.ok(TOKENS.apiKey, 'POST', '/accounts', { name, password: PASSWORD, roles })
  }

  /** A new user with these roles, logged in. */
  async person(name: string, ...roles: Role[]): Promise<{ id: string; token: string }> {
    const { id } = await this.account(name, roles)
    return { id, token: await this.logIn(name) }
  }

  async logIn(name: string, password = PASSWORD): Promise<string> {
    const body = { name, password, as: 'token' }
    return (await this.ok<{ token: string }>(null, 'POST', '/sessions', body)).token
  }

  key(token: string, scopes: Action[] | null = null): Promise<{ key: ApiKey; secret: string }> {
    return this.ok(token, 'POST', '/keys', { name: 'a program', scopes })
  }

  /** What the audit log says of an account or a thing: act and actor, the oldest first. */
  async acts(subject: string): Promise<[act: string, actor: string | null][]> {
    const all = { after: 0, limit: 100_000 }
    const entries = await this.station.store.call('readAudit', all)
    return entries
      .filter((entry) => entry.subject === subject)
      .map(({ act, actor }) => [act, actor])
  }

  /** `200`, or the status and code of the refusal. */
  async outcome(shown: Shown, method: Method, path: string, payload?: object): Promise<string> {
    const { status, body } = await this.call(shown, method, path, payload)
    return status === 200 ? '200' : `${status} ${(body as { error: { code: string } }).error.code}`
  }
}

export async function openPeople(changes: StationChanges = {}): Promise<People> {
  return new People(await openStation(changes))
}
