// Goal: whatever happens to money in whatever order, once or again, one by one or together, the book
// is true. Method: random histories on both databases against a plain model, all sums recounted.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { ENGINES, type TestEngine } from '../../../store/test/contract-engines.ts'
import {
  ask,
  Cast,
  creditLines,
  happening,
  Model,
  type Event,
  type Happening,
} from '../../test/ledger/history-fixture.ts'
import { openLedger, type TestLedger } from '../../test/ledger/ledger-fixture.ts'

const LONG = process.env['MINGA_LONG'] === '1'
const RUNS = { SQLite: LONG ? 500 : 15, PostgreSQL: LONG ? 100 : 3 }

const history = fc.array(happening, { minLength: 10, maxLength: 50 })
const crowds = fc.array(fc.array(happening, { minLength: 2, maxLength: 12 }), {
  minLength: 2,
  maxLength: 6,
})

/** Gives every event an id, and those that happen again the id of the first time. */
function withIds(list: readonly Happening[], cast: Cast): { id: string; event: Event }[] {
  const named: { id: string; event: Event }[] = []
  for (const { event, again } of list) {
    const earlier = again === null ? undefined : named[again]
    named.push(earlier ?? { id: `${cast.run}e${named.length}`, event })
  }
  return named
}

async function assertNobodyBeyondCredit(ledger: TestLedger, cast: Cast): Promise<void> {
  const lines = creditLines(cast)
  const accounts = lines.map(({ account }) => account)
  const found = await ledger.call('balancesOf', { accounts })
  for (const [i, { floorMicros }] of lines.entries()) {
    assert.ok(found[i]!.balanceMicros >= floorMicros, `${accounts[i]} is beyond its credit`)
  }
}

/** Accounts that all histories of a book share. */
const SHARED = ['outside', 'platform']

async function sharedBefore(ledger: TestLedger, model: Model): Promise<void> {
  for (const { account, balanceMicros, requests } of await ledger.call('balancesOf', {
    accounts: SHARED,
  })) {
    model.balances.set(account, { micros: balanceMicros, requests })
  }
}

async function assertAsModel(ledger: TestLedger, model: Model): Promise<void> {
  const accounts = [...model.balances.keys()]
  for (const { account, balanceMicros, requests } of await ledger.call('balancesOf', {
    accounts,
  })) {
    assert.deepEqual({ micros: balanceMicros, requests }, model.of(account), account)
  }
}

let runs = 0

/** Recounting grows with the book, opening one costs more than a history: a new one now and then. */
const HISTORIES_PER_BOOK = 20

function books(engine: TestEngine): () => Promise<{ ledger: TestLedger; cast: Cast }> {
  let ledger: TestLedger | undefined
  let histories = 0
  return async () => {
    if (histories++ % HISTORIES_PER_BOOK === 0) {
      await ledger?.store.close()
      ledger = await openLedger(engine)
    }
    return { ledger: ledger!, cast: new Cast(`run${++runs}`) }
  }
}

for (const engine of ENGINES) {
  describe(`Histories of money on ${engine.name}`, { skip: engine.skip }, () => {
    test('every answer and balance is that of the model and the book adds up after every step', async () => {
      const open = books(engine)
      const property = fc.asyncProperty(history, async (list) => {
        const { ledger, cast } = await open()
        const model = new Model(cast)
        await sharedBefore(ledger, model)
        for (const given of withIds(list, cast)) {
          const { outcome } = await ask(ledger, cast, given)
          assert.equal(outcome, model.apply(given.id, given.event), JSON.stringify(given))
          await assertAsModel(ledger, model)
          await assertNobodyBeyondCredit(ledger, cast)
          await ledger.assertAddsUp()
        }
      })
      await fc.assert(property, { numRuns: RUNS[engine.name], endOnFailure: !LONG })
    })

    test('the book adds up when many things happen at the same moment, some of them twice', async () => {
      const open = books(engine)
      const property = fc.asyncProperty(crowds, async (groups) => {
        const { ledger, cast } = await open()
        const events = withIds(groups.flat(), cast)
        const posted = new Map<string, number>()
        for (const group of groups) {
          const now = events.splice(0, group.length)
          const answers = await Promise.all(now.map((given) => ask(ledger, cast, given)))
          for (const [i, { outcome }] of answers.entries()) {
            if (outcome === 'posted') posted.set(now[i]!.id, (posted.get(now[i]!.id) ?? 0) + 1)
          }
          await assertNobodyBeyondCredit(ledger, cast)
          await ledger.assertAddsUp()
        }
        for (const [id, times] of posted) assert.equal(times, 1, `${id} was booked ${times} times`)
      })
      await fc.assert(property, { numRuns: RUNS[engine.name], endOnFailure: !LONG })
    })
  })
}
