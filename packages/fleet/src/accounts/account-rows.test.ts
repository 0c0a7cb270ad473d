// Goal: a list of accounts of any length is searched, narrowed down, sorted and read page by page. Method: the real
// operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { openAccounts } from '../../test/accounts/accounts-fixture.ts'
import { ACCOUNT_ORDERS, type FindAccountsArgs } from './account-rows.ts'

const stations = await Promise.all(
  ENGINES.map(async (engine) => (engine.skip ? null : openAccounts(engine))),
)

for (const [i, engine] of ENGINES.entries()) {
  describe(`Finding accounts on ${engine.name}`, { skip: engine.skip }, () => {
    const accounts = stations[i]!
    const found = async (args: Partial<FindAccountsArgs>): Promise<string[]> => {
      const rows = await allPages((part) =>
        accounts.store.call('findAccounts', { ...part, order: 'name', ...args }),
      )
      return rows.map(({ name }) => name)
    }

    test('pages in any order have every account once', async () => {
      for (const [n, name] of ['Emil', 'ana', 'Carla', 'ben', 'dora', 'a_b', 'frida'].entries()) {
        // Some at the same moment: their ids decide.
        accounts.now += n % 2
        await accounts.account(name, n === 1 ? ['reader', 'client'] : ['reader'])
      }
      await assertEveryOrder({
        orders: ACCOUNT_ORDERS,
        read: (part) => accounts.store.call('findAccounts', part),
        idOf: ({ id }) => id,
      })
      const names = ['a_b', 'ana', 'ben', 'Carla', 'dora', 'Emil', 'frida']
      assert.deepEqual(
        (await found({})).filter((name) => names.includes(name)),
        names,
        'capitals do not count',
      )
    })

    test('a search takes signs of patterns as they are, and a role is a whole word', async () => {
      assert.deepEqual(await found({ text: 'R' }), ['Carla', 'dora', 'frida'])
      assert.deepEqual(await found({ text: 'a_b' }), ['a_b'])
      assert.deepEqual(await found({ text: 'nobody' }), [])
      assert.deepEqual(await found({ role: 'client' }), ['ana'])
    })

    test('a span of time has its first moment and not its last', async () => {
      const [dora] = await allPages((part) =>
        accounts.store.call('findAccounts', { ...part, order: 'name', text: 'dora' }),
      )
      const { createdAt } = dora!
      assert.ok((await found({ from: createdAt })).includes('dora'))
      assert.ok(!(await found({ to: createdAt })).includes('dora'))
    })
  })
}
