/** A registrar's operations on a store of their own. */
import type { TestContext } from 'node:test'
import type { FederatedStation, FederationFacts, HostClaim, MapRow } from '@minga/protocol'
import type { Row, Store } from '@minga/store'
import type { TestEngine } from '../../../../../packages/store/test/contract-engines.ts'
import type { Renewed } from '../../../src/federation/registrar/membership.ts'
import type { ContractOperations } from '../../contract-operations.ts'
import { queryRows } from '../../../../../packages/store/test/raw-sql-fixture.ts'

const OPERATIONS = new URL(
  '../../../../../packages/frontier/test/contract-operations.ts',
  import.meta.url,
).href
const START = 1_700_000_000_000
export const SELF = 'st_a'

export function station(id: string, more: Partial<FederatedStation> = {}): FederatedStation {
  return {
    id,
    name: id,
    url: `https://${id}.test`,
    publicKey: `key of ${id}`,
    ca: null,
    branch: '',
    capacity: 1,
    state: 'active',
    keeper: null,
    ...more,
  }
}

export class TestRegistry {
  readonly store: Store<ContractOperations>
  now = START

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  query<R>(text: string, params: Row = []): Promise<R[]> {
    return queryRows(this.store, text, params)
  }

  async found(): Promise<void> {
    const stations = [station(SELF)]
    const args = {
      self: SELF,
      registrar: SELF,
      term: 1,
      stations,
      mode: 'hash',
      now: this.now,
    } as const
    await this.store.call('enterFederation', args)
  }

  async invite(hash: string): Promise<void> {
    await this.store.call('inviteStation', { hash, now: this.now })
  }

  async join(id: string, more: Partial<FederatedStation> = {}): Promise<FederationFacts> {
    await this.invite(`token of ${id}`)
    return this.admit(`token of ${id}`, station(id, more))
  }

  admit(hash: string, newcomer: FederatedStation): Promise<FederationFacts> {
    return this.store.call('admitStation', { hash, station: newcomer, now: this.now })
  }

  claim(
    by: string,
    claims: (Partial<HostClaim> & Pick<HostClaim, 'host'>)[],
    leaving: string[] = [],
  ): Promise<MapRow[]> {
    return this.store.call('claimHosts', {
      station: by,
      leaving,
      claims: claims.map((claim) => ({
        address: null,
        pages: 0,
        links: [],
        wants: false,
        ...claim,
      })),
      now: this.now,
    })
  }

  renew(id: string, epoch: number, more: object = {}): Promise<Renewed> {
    const said = { capacity: 1, self: null, settled: [], ...more }
    return this.store.call('renewStation', { id, epoch, now: this.now, ...said })
  }

  lose(id: string): Promise<boolean> {
    return this.store.call('loseStation', { id, silentSince: this.now, now: this.now })
  }

  async reassign(from: string, leaving: string[] = []): Promise<number> {
    let all = 0
    for (;;) {
      const moved = await this.store.call('reassignHosts', { from, leaving, now: this.now })
      if (moved === 0) break
      all += moved
    }
    while ((await this.store.call('reawaitHosts', { from, now: this.now })) > 0);
    return all
  }

  rows(): Promise<MapRow[]> {
    return this.query('SELECT host, station, awaits, address, epoch FROM placement_hosts')
  }
}

export async function openRegistry(engine: TestEngine, t: TestContext): Promise<TestRegistry> {
  const home = await engine.home()
  const store = await home.openHere<ContractOperations>({ operations: OPERATIONS })
  t.after(() => store.close())
  const registry = new TestRegistry(store)
  await registry.found()
  return registry
}

export const ownerOf = (rows: readonly MapRow[], host: string): string | undefined =>
  rows.find((row) => row.host === host)?.station
