// Goal: a statement of any length is searched, narrowed down, sorted and read page by page. Method: the real
// operations on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { STATEMENT_ORDERS, type FindStatementLinesArgs } from './find-statement-lines.ts'
import { openLedger } from '../../test/ledger/ledger-fixture.ts'

const ledgers = await Promise.all(
  ENGINES.map(async (engine) => (engine.skip ? null : openLedger(engine))),
)

for (const [i, engine] of ENGINES.entries()) {
  describe(`Finding lines of a statement on ${engine.name}`, { skip: engine.skip }, () => {
    const ledger = ledgers[i]!
    const account = 'client:ana'
    const found = async (args: Partial<FindStatementLinesArgs>): Promise<string[]> => {
      const lines = await allPages((part) =>
        ledger.store.call('findStatementLines', { ...part, account, order: 'at', ...args }),
      )
      return lines.map(({ postingId }) => postingId)
    }

    test('pages in any order have every line once, and no line of another account', async () => {
      for (let n = 1; n <= 11; n++) {
        const at = 1_000 + Math.floor(n / 3)
        const note = n === 4 ? 'For the 100% archive' : null
        await ledger.call('topUp', { id: `line${n}`, at, client: 'ana', micros: n % 4 || 9, note })
        await ledger.call('topUp', { id: `other${n}`, at, client: 'ben', micros: 1 })
      }
      await assertEveryOrder({
        orders: STATEMENT_ORDERS,
        read: (part) => ledger.store.call('findStatementLines', { account, ...part }),
        idOf: ({ postingId }) => postingId,
      })
    })

    test('by time the balances follow from one another', async () => {
      const lines = await allPages((part) =>
        ledger.store.call('findStatementLines', { ...part, account, order: 'at' }),
      )
      assert.equal(lines.length, 11)
      let balance = 0
      for (const line of lines) {
        balance += line.amountMicros
        assert.equal(line.balanceMicros, balance)
      }
    })

    test('lines are found by text, kind and time', async () => {
      assert.deepEqual(await found({ text: '100% ARCHIVE' }), ['line4'])
      assert.deepEqual(await found({ kind: 'refund' }), [])
      assert.equal((await found({ kind: 'top-up' })).length, 11)
      assert.deepEqual(await found({ from: 1_001, to: 1_002 }), ['line3', 'line4', 'line5'])
    })
  })
}
