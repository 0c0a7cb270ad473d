// Goal: money moves in balanced postings, each once, or not at all. Method: postings by hand on
// both databases, then the tables and a trial balance.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openLedger, refusedWith } from '../../test/ledger/ledger-fixture.ts'
import type { Entry, Posting } from './posting.ts'

let count = 0
const posting = (entries: Entry[], more: Partial<Posting> = {}): Posting => ({
  id: `p${++count}`,
  at: 1_000,
  kind: 'top-up',
  reference: 'test',
  entries,
  ...more,
})

const move = (from: string, to: string, micros: number): Entry[] => [
  { account: from, micros: -micros },
  { account: to, micros },
]

for (const engine of ENGINES) {
  describe(`Postings on ${engine.name}`, { skip: engine.skip }, async () => {
    const ledger = await openLedger(engine)
    const post = (given: Posting): Promise<unknown> => ledger.store.call('post', given)

    test('a posting whose entries do not sum to zero is refused and leaves nothing', async () => {
      const lame = posting([{ account: 'client:lame', micros: 5 }])
      await assert.rejects(post(lame), refusedWith('MINGA_UNBALANCED_POSTING'))
      const traces = await ledger.query(`SELECT 1 FROM ledger_postings WHERE id = '${lame.id}'`)
      assert.deepEqual(traces, [])
      assert.equal(await ledger.balance('client:lame'), 0)
    })

    test('the same posting again changes nothing and says so', async () => {
      const once = posting(move('outside', 'client:once', 7))
      assert.deepEqual(await post(once), { outcome: 'posted', micros: 7 })
      assert.deepEqual(await post(once), { outcome: 'repeated', micros: 0 })
      assert.equal(await ledger.balance('client:once'), 7)
      await ledger.assertAddsUp()
    })

    test('the same posting many times at the same moment is booked once', async () => {
      const same = posting(move('outside', 'client:same', 3))
      const answers = await Promise.all(Array.from({ length: 20 }, () => post(same)))
      const posted = answers.filter(
        (answer) => (answer as { outcome: string }).outcome === 'posted',
      )
      assert.equal(posted.length, 1)
      assert.equal(await ledger.balance('client:same'), 3)
      await ledger.assertAddsUp()
    })

    test('an id that was used for something else is refused instead of swallowed', async () => {
      const first = posting(move('outside', 'client:taken', 7))
      await post(first)
      const other = { ...first, reference: 'another thing' }
      await assert.rejects(post(other), refusedWith('MINGA_POSTING_ID_TAKEN'))
      const kind = { ...first, kind: 'refund' as const }
      await assert.rejects(post(kind), refusedWith('MINGA_POSTING_ID_TAKEN'))
    })

    test('a reserve, held money and a volunteer never owe', async () => {
      for (const account of ['reserve:r', 'held:h', 'volunteer:v']) {
        await post(posting(move('outside', account, 10)))
        const tooMuch = posting(move(account, 'platform', 11))
        await assert.rejects(post(tooMuch), refusedWith('MINGA_NOT_ENOUGH_MONEY'))
        await post(posting(move(account, 'platform', 10)))
      }
      await ledger.assertAddsUp()
    })

    test('a refusal that is caught leaves no trace in what is committed around it', async () => {
      const good = posting(move('outside', 'client:around', 4))
      const lame = posting([{ account: 'client:around', micros: 1 }])
      const poor = posting(move('reserve:none', 'client:around', 1))
      const postings = [good, lame, poor, good]
      assert.deepEqual(await ledger.store.call('postAll', { postings }), [
        'posted',
        'MINGA_UNBALANCED_POSTING',
        'MINGA_NOT_ENOUGH_MONEY',
        'repeated',
      ])
      assert.equal(await ledger.balance('client:around'), 4)
      await ledger.assertAddsUp()
    })

    test('entries of one account are one, and a posting that moves nothing is none', async () => {
      const twice = [...move('outside', 'client:sum', 2), ...move('outside', 'client:sum', 3)]
      assert.deepEqual(await post(posting(twice)), { outcome: 'posted', micros: 5 })
      const nothing = posting(move('client:sum', 'client:sum', 9))
      assert.deepEqual(await post(nothing), { outcome: 'nothing', micros: 0 })
    })

    test('amounts that are not exact numbers are refused before anything is written', async () => {
      const huge = Number.MAX_SAFE_INTEGER
      await post(posting(move('platform', 'client:huge', huge)))
      const more = posting(move('outside', 'client:huge', 1))
      await assert.rejects(post(more), refusedWith('MINGA_BAD_AMOUNT'))
      const half = posting(move('outside', 'client:half', 0.5))
      await assert.rejects(post(half), refusedWith('MINGA_BAD_AMOUNT'))
      await ledger.assertAddsUp()
    })

    test('postings that share accounts in opposite order wait for each other and all arrive', async () => {
      const rounds = Array.from({ length: 40 }, (_, i) => {
        const [from, to] = i % 2 === 0 ? ['client:x', 'client:y'] : ['client:y', 'client:x']
        return post(posting(move(from, to, i)))
      })
      await Promise.all(rounds)
      assert.equal(await ledger.balance('client:x'), 20)
      assert.equal(await ledger.balance('client:y'), -20)
      await ledger.assertAddsUp()
    })
  })
}
