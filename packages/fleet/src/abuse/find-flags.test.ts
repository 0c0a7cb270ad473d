// Goal: a list of flags of any length is searched, narrowed down, sorted and read page by page. Method: the real
// operations on both databases, on days of clients that were made by hand.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { FLAG_ORDERS, type FindFlagsArgs } from './flags.ts'
import { describeSubmission } from './submission.ts'
import type { ContractOperations } from '../../test/contract-operations.ts'

const START = Date.UTC(2026, 4, 6, 12)
const CLIENTS = ['acct_a', 'acct_b', 'acct_c', 'acct_d', 'acct_e']
const operations = new URL('../../test/contract-operations.ts', import.meta.url).href

const stores = await Promise.all(
  ENGINES.map(async (engine) =>
    engine.skip ? null : (await engine.home()).openHere<ContractOperations>({ operations }),
  ),
)
after(() => Promise.all(stores.map(async (store) => store?.close())))

for (const [i, engine] of ENGINES.entries()) {
  describe(`Finding flags on ${engine.name}`, { skip: engine.skip }, () => {
    const store = stores[i]!
    const found = async (args: Partial<FindFlagsArgs>): Promise<string[]> => {
      const flags = await allPages((part) =>
        store.call('findFlags', { ...part, order: 'client', ...args }),
      )
      return flags.map(({ client }) => client)
    }

    test('pages in any order have every flag once', async () => {
      const urls = Array.from({ length: 40 }, (_, n) => ({
        url: `http://a.test/?a=${n * 7}'`,
        host: 'a.test',
        code: 'MINGA_ABUSE_INJECTION',
      }))
      const submission = describeSubmission(urls)
      const alarm = { effect: 'hold', cutDayMax: 100 } as const
      for (const [n, client] of CLIENTS.entries()) {
        // Two at the same moment: their ids decide.
        const now = START + Math.floor(n / 2)
        await store.call('noteSubmission', { client, submission, reasked: [], now })
        await store.call('raiseFlags', { client, newId: randomUUID(), ...alarm, now })
      }
      await assertEveryOrder({
        orders: FLAG_ORDERS,
        read: (part) => store.call('findFlags', part),
        idOf: ({ id }) => id,
      })
    })

    test('they are found by client, by what was decided and by time', async () => {
      assert.deepEqual(new Set(await found({ text: 'T_B' })), new Set(['acct_b']))
      const [flag] = await allPages((part) => store.call('findFlags', { ...part, order: 'client' }))
      const decision = {
        state: 'dismissed',
        effect: null,
        cutDayMax: 7,
        note: 'A mistake',
        by: 'o',
      } as const
      await store.call('decideFlag', { id: flag!.id, ...decision, now: START + 10 })
      assert.deepEqual(await found({ state: 'dismissed' }), ['acct_a'])
      const waiting = await found({ order: 'state', isDescending: true })
      assert.equal(waiting.at(-1), 'acct_a', 'what waits comes first, the newest of it before')
      assert.equal(waiting[0], 'acct_e')
      assert.deepEqual(await found({ text: 'mistake' }), ['acct_a'])
      assert.deepEqual(await found({ state: 'dismissed', kind: 'probing' }), [])
      const late = new Set(await found({ from: START + 2 }))
      assert.deepEqual(late, new Set(['acct_e']))
      assert.ok((await found({ severity: 'alarm', effect: 'hold', to: START + 2 })).length > 0)
    })
  })
}
