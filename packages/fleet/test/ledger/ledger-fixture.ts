/** A ledger without a station: the real store and operations, ids and times made by hand. */
import assert from 'node:assert/strict'
import { after } from 'node:test'
import type { Store, OperationArgs, OperationResult } from '@minga/store'
import type { TestEngine } from '../../../store/test/contract-engines.ts'
import type { LedgerContract, ContractOperations } from '../contract-operations.ts'
import type { StatementArgs, StatementLine } from '../../src/ledger/statement.ts'
import type { TrialBalance } from '../../src/ledger/trial-balance.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

type Name = keyof LedgerContract
/** What a test need not say: the fixture makes ids and lets time pass. */
type Given<N extends Name> = Omit<OperationArgs<LedgerContract[N]>, 'id' | 'at'> & {
  id?: string
  at?: number
}

const opened: Store<ContractOperations>[] = []
after(() => Promise.all(opened.map((store) => store.close())))

export class TestLedger {
  readonly store: Store<ContractOperations>
  now = 1_700_000_000_000
  #ids = 0

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  call<N extends Name>(name: N, given: Given<N>): Promise<OperationResult<LedgerContract[N]>> {
    const id = given.id ?? `posting_${++this.#ids}`
    const at = given.at ?? ++this.now
    const args: unknown = { ...given, id, at }
    return this.store.call(name, args as OperationArgs<ContractOperations[N]>)
  }

  query<R>(text: string): Promise<R[]> {
    return queryRows(this.store, text)
  }

  change(text: string): Promise<number> {
    return this.store.call('change', { text, params: [] })
  }

  statement(args: StatementArgs): Promise<StatementLine[]> {
    return this.store.call('statement', args)
  }

  trialBalance(): Promise<TrialBalance> {
    return this.store.call('trialBalance', {})
  }

  async balance(account: string): Promise<number> {
    const [found] = await this.call('balancesOf', { accounts: [account] })
    return found!.balanceMicros
  }

  async assertAddsUp(): Promise<void> {
    const book = await this.trialBalance()
    assert.ok(book.isTrue, JSON.stringify(book))
    const overdrawn = await this.query(
      `SELECT account, balance_micros FROM ledger_balances WHERE balance_micros < 0
       AND (account LIKE 'reserve:%' OR account LIKE 'held:%' OR account LIKE 'volunteer:%')`,
    )
    assert.deepEqual(overdrawn, [])
  }
}

/** A new, empty ledger; the test's end removes it. */
export async function openLedger(engine: TestEngine): Promise<TestLedger> {
  const home = await engine.home()
  const operations = new URL('../contract-operations.ts', import.meta.url).href
  const store = await home.openHere<ContractOperations>({ operations })
  opened.push(store)
  return new TestLedger(store)
}

export const refusedWith = (code: string) => (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === code
