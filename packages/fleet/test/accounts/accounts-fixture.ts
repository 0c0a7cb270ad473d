/** Accounts without a station: the real store and operations, ids, secrets and times made by hand. */
import { after } from 'node:test'
import type { Store, OperationArgs, OperationResult } from '@minga/store'
import type { TestEngine } from '../../../store/test/contract-engines.ts'
import type { accountOperations } from '../../src/accounts/account-operations.ts'
import type { Account } from '../../src/accounts/account-rows.ts'
import type { ApiKey, CreateKeyArgs } from '../../src/accounts/keys.ts'
import type { Role } from '../../src/accounts/permissions.ts'
import { newId, newSecret, secretHash } from '../../src/accounts/secrets.ts'
import type { ContractOperations } from '../contract-operations.ts'

type Operations = typeof accountOperations
type Name = keyof Operations
/** What a test need not say: time passes only when it says so. */
type Given<N extends Name> = Omit<OperationArgs<Operations[N]>, 'now'> & { now?: number }

const opened: Store<ContractOperations>[] = []
after(() => Promise.all(opened.map((store) => store.close())))

export class TestAccounts {
  readonly store: Store<ContractOperations>
  now = 1_700_000_000_000

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  call<N extends Name>(name: N, given: Given<N>): Promise<OperationResult<Operations[N]>> {
    const args: unknown = { now: this.now, ...given }
    return this.store.call(name, args as OperationArgs<ContractOperations[N]>)
  }

  /** With a password's hash that is only a word: what it hides is not the store's business. */
  account(name: string, roles: Role[] = ['client']): Promise<Account> {
    const passwordHash = `hash of ${name}`
    return this.call('registerAccount', { id: newId('acct'), name, passwordHash, roles })
  }

  async session({ id, name }: Account, passwordHash = `hash of ${name}`): Promise<string> {
    const token = newSecret('session')
    const expiresAt = this.now + 1_000
    const hash = secretHash(token)
    await this.call('openSession', { hash, accountId: id, passwordHash, expiresAt })
    return token
  }

  async key(
    account: Account,
    changes: Partial<CreateKeyArgs> = {},
  ): Promise<{ key: ApiKey; secret: string }> {
    const secret = newSecret('key')
    const key = await this.call('createKey', {
      id: newId('key'),
      hash: secretHash(secret),
      accountId: account.id,
      name: 'a program',
      scopes: null,
      expiresAt: null,
      ...changes,
    })
    return { key, secret }
  }

  /**
   * The caller of this secret, as `name via session|key`; null for no caller; refusals by their
   * code.
   */
  async caller(secret: string): Promise<string | null> {
    try {
      const caller = await this.call('findCaller', { hash: secretHash(secret) })
      return caller && `${caller.name} via ${caller.via.kind}`
    } catch (error) {
      return (error as { code: string }).code
    }
  }
}

export async function openAccounts(engine: TestEngine): Promise<TestAccounts> {
  const home = await engine.home()
  const operations = new URL('../contract-operations.ts', import.meta.url).href
  const store = await home.openHere<ContractOperations>({ operations })
  opened.push(store)
  return new TestAccounts(store)
}

export const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
