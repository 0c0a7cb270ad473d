/**
 * Goal: what a store cannot do does not compile. Method: the compiler refuses each wrong line below, or the
 * expectation of its error is an error; the right ones run on a table that needs no database.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callsOn } from './calls-on.ts'
import { joinOperations } from './join-operations.ts'
import type { Calls, OperationTable, Sql, Store } from './sql.ts'

const pages = {
  countPages: async (_: Sql, { host }: { host: string }): Promise<number> => host.length,
  listHosts: async (): Promise<string[]> => ['a.test'],
} satisfies OperationTable

const money = {
  balanceOf: async (_: Sql, { account }: { account: string }): Promise<bigint> =>
    BigInt(account.length),
} satisfies OperationTable

const all = joinOperations(pages, money)
const NO_DATABASE = {} as Sql
const station: Calls<typeof all> = callsOn(NO_DATABASE, all)

test('a call has the arguments and the answer of the operation that it names', async () => {
  const count: number = await station.call('countPages', { host: 'a.test' })
  const balance: bigint = await station.call('balanceOf', { account: 'ana' })
  assert.deepEqual([count, balance], [6, 3n])
  assert.deepEqual(await station.call('listHosts', undefined), await station.call('listHosts', {}))
})

test('a name that is computed is one of those that there are', async () => {
  const names: readonly ('countPages' | 'listHosts')[] = ['countPages', 'listHosts']
  const answers = await Promise.all(names.map((name) => station.call(name, { host: 'b' })))
  assert.deepEqual(answers, [1, ['a.test']])
})

test('a store of more operations fits where some of them are asked for', async () => {
  const readHosts = (store: Calls<typeof pages>): Promise<string[]> => store.call('listHosts', {})
  assert.deepEqual(await readHosts(station), ['a.test'])
})

test('a wrong name, wrong arguments and a wrong answer do not compile', () => {
  const wrong = [
    // @ts-expect-error There is no operation of this name.
    (): unknown => station.call('countPage', { host: 'a.test' }),
    // @ts-expect-error A name may be any string here.
    (name: string): unknown => station.call(name, { host: 'a.test' }),
    // @ts-expect-error The host is missing.
    (): unknown => station.call('countPages', {}),
    // @ts-expect-error An account is no host.
    (): unknown => station.call('countPages', { account: 'ana' }),
    // @ts-expect-error A balance is no number.
    (): Promise<number> => station.call('balanceOf', { account: 'ana' }),
  ]
  assert.equal(wrong.length, 5)
})

test('a foreign store does not compile, nor one without declared operations', () => {
  const readHosts = (store: Calls<typeof pages>): Promise<string[]> => store.call('listHosts', {})
  const wrong = [
    // @ts-expect-error It has other operations.
    (store: Store<typeof money>): unknown => readHosts(store),
    // @ts-expect-error It may have any.
    (store: Store<OperationTable>): unknown => readHosts(store),
  ]
  assert.equal(wrong.length, 2)
})

test('a name that two tables register does not compile', () => {
  const others = { listHosts: async (): Promise<number> => 0 } satisfies OperationTable
  // @ts-expect-error `listHosts` is registered twice.
  assert.equal(Object.keys(joinOperations(pages, money, others)).length, 3)
})
