// Goal: a client spends what it has and no more, and gets back what was not used. Method: single
// calls and races of many calls on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openLedger, refusedWith } from '../../test/ledger/ledger-fixture.ts'

for (const engine of ENGINES) {
  describe(`Budgets on ${engine.name}`, { skip: engine.skip }, async () => {
    const ledger = await openLedger(engine)

    test('a batch that costs more than the budget is refused with what is missing', async () => {
      await ledger.call('topUp', { client: 'poor', micros: 3_500_000 })
      const batch = {
        client: 'poor',
        batch: 'bat_poor',
        micros: 5_000_000,
        creditLimitMicros: 0,
      }
      await assert.rejects(ledger.call('reserve', batch), (error: Error & { code: string }) => {
        assert.equal(error.code, 'MINGA_NO_BUDGET')
        assert.match(error.message, /needs 5\.00 .* has 3\.50 .* top up at least 1\.50/)
        return true
      })
      assert.equal(await ledger.balance('client:poor'), 3_500_000)
      assert.equal(await ledger.balance('reserve:bat_poor'), 0)
      await ledger.call('reserve', { ...batch, creditLimitMicros: 1_500_000 })
      assert.equal(await ledger.balance('client:poor'), -1_500_000)
      const last = { ...batch, batch: 'bat_last', micros: 1, creditLimitMicros: 1_500_000 }
      await assert.rejects(ledger.call('reserve', last), refusedWith('MINGA_NO_BUDGET'))
      await ledger.call('reserve', { ...last, creditLimitMicros: null })
      assert.equal(await ledger.balance('client:poor'), -1_500_001)
    })

    test('fifty batches that race for the money of seven never overdraw', async () => {
      const client = 'racer'
      await ledger.call('topUp', { client, micros: 700 })
      const race = Array.from({ length: 50 }, (_, i) =>
        ledger.call('reserve', {
          client,
          batch: `bat_race${i}`,
          micros: 110,
          creditLimitMicros: 70,
        }),
      )
      const ends = await Promise.allSettled(race)
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 7)
      for (const end of ends) {
        if (end.status === 'rejected') assert.ok(refusedWith('MINGA_NO_BUDGET')(end.reason))
      }
      assert.equal(await ledger.balance('client:racer'), -70)
      await ledger.assertAddsUp()
    })

    test('a reservation that is repeated after its money is spent is still no refusal', async () => {
      await ledger.call('topUp', { client: 'again', micros: 10 })
      const batch = {
        id: 'reserve_again',
        client: 'again',
        batch: 'bat_again',
        micros: 10,
        creditLimitMicros: 0,
      }
      const answers = await Promise.all([1, 2, 3].map(() => ledger.call('reserve', batch)))
      assert.deepEqual(answers.map(({ outcome }) => outcome).toSorted(), [
        'posted',
        'repeated',
        'repeated',
      ])
      assert.equal(await ledger.balance('reserve:bat_again'), 10)
    })

    test('refunds and the end of a batch bring back what was not used', async () => {
      const client = 'back'
      await ledger.call('topUp', { client, micros: 100 })
      const batch = { client, batch: 'bat_back' }
      await ledger.call('reserve', { ...batch, micros: 100, creditLimitMicros: 0 })
      await ledger.call('refund', { reference: 'up_1', refunds: [{ ...batch, micros: 30 }] })
      assert.equal(await ledger.balance('client:back'), 30)
      const tooMuch = { reference: 'up_2', refunds: [{ ...batch, micros: 71 }] }
      await assert.rejects(ledger.call('refund', tooMuch), refusedWith('MINGA_NOT_ENOUGH_MONEY'))
      const closed = await ledger.call('closeBatch', batch)
      assert.deepEqual(closed, { outcome: 'posted', micros: 70 })
      const again = await ledger.call('closeBatch', batch)
      assert.deepEqual(again, { outcome: 'nothing', micros: 0 })
      assert.equal(await ledger.balance('client:back'), 100)
    })

    test('a client whose capture was a lie gets the whole price back from the platform', async () => {
      const before = await ledger.balance('platform')
      await ledger.call('compensate', {
        reference: 'dev_liar',
        payments: [
          { batch: 'bat_open', client: 'open', isOpen: true, micros: 9 },
          { batch: 'bat_shut', client: 'shut', isOpen: false, micros: 8 },
        ],
      })
      assert.equal(await ledger.balance('reserve:bat_open'), 9)
      assert.equal(await ledger.balance('client:shut'), 8)
      assert.equal(await ledger.balance('platform'), before - 17)
    })

    test('what is paid out must be there and have an owner', async () => {
      await ledger.call('topUp', { client: 'out', micros: 10 })
      const out = { account: 'client:out', micros: 11 }
      await assert.rejects(ledger.call('withdraw', out), refusedWith('MINGA_NOT_ENOUGH_MONEY'))
      await ledger.call('withdraw', { ...out, micros: 10 })
      assert.equal(await ledger.balance('client:out'), 0)
      for (const account of ['reserve:bat_open', 'held:dev_a', 'outside']) {
        const refused = ledger.call('withdraw', { account, micros: 1 })
        await assert.rejects(refused, refusedWith('MINGA_NOT_PAYABLE'))
      }
    })

    test('an amount that is negative, broken or endless is refused', async () => {
      for (const micros of [-1, 0.5, Number.NaN, Infinity]) {
        const bad = refusedWith('MINGA_BAD_AMOUNT')
        const batch = { client: 'bad', batch: 'bat_bad', micros }
        await assert.rejects(ledger.call('topUp', { client: 'bad', micros }), bad)
        await assert.rejects(ledger.call('withdraw', { account: 'client:bad', micros }), bad)
        await assert.rejects(ledger.call('reserve', { ...batch, creditLimitMicros: null }), bad)
        await assert.rejects(ledger.call('refund', { reference: 'r', refunds: [batch] }), bad)
      }
      await ledger.assertAddsUp()
    })
  })
}
