// Goal: everyone can read what happened to their money, and the book can be checked. Method: known
// histories on both databases, read in pages, exported, summed up, and spoilt on purpose.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openLedger, refusedWith, type TestLedger } from '../../test/ledger/ledger-fixture.ts'
import { allPages, assertEveryOrder } from '../../../store/test/sorted-page-fixture.ts'
import { statementCsv, statementJsonl, statementLines } from './statement-export.ts'
import { STATEMENT_ORDERS, type FindStatementLinesArgs, type StatementLine } from './statement.ts'
import { creditCheck } from './trial-balance.ts'

async function textOf(parts: AsyncIterable<string>): Promise<string> {
  let text = ''
  for await (const part of parts) text += part
  return text
}

function read(ledger: TestLedger, account: string, limit: number): AsyncIterable<StatementLine> {
  return statementLines((afterId) =>
    ledger.statement({ account, limit, ...(afterId === undefined ? {} : { afterId }) }),
  )
}

const ids = (lines: readonly StatementLine[]): string[] => lines.map(({ postingId }) => postingId)

async function* given(lines: StatementLine[]): AsyncGenerator<StatementLine> {
  yield* lines
}

test('an export keeps commas, quotes and lines, and no spreadsheet runs a note as a formula', async () => {
  const line: StatementLine = {
    postingId: 'p1',
    at: 0,
    kind: 'top-up',
    reference: 'acct_a',
    note: '=HYPERLINK("http://evil.example", "click")\nand more',
    amountMicros: -1,
    requests: 0,
    balanceMicros: 8_400_000,
  }
  const head = 'time,posting,kind,reference,note,requests,amount,balance\r\n'
  const note = `"'=HYPERLINK(""http://evil.example"", ""click"")\nand more"`
  const row = `1970-01-01T00:00:00.000Z,p1,top-up,acct_a,${note},0,-0.000001,8.40\r\n`
  assert.equal(await textOf(statementCsv(given([line]))), head + row)
  assert.equal(await textOf(statementCsv(given([]))), head)
  assert.deepEqual(JSON.parse(await textOf(statementJsonl(given([line])))), line)
})

test('credits that are not charges less fees are found', () => {
  const flows = [
    { kind: 'block', accountClass: 'reserve', micros: -10 },
    { kind: 'block', accountClass: 'platform', micros: 3 },
    { kind: 'block', accountClass: 'held', micros: 7 },
    { kind: 'audit', accountClass: 'volunteer', micros: 99 },
  ] as const
  assert.ok(creditCheck(flows).holds)
  const leak = { kind: 'block', accountClass: 'client', micros: 1 } as const
  const short = { kind: 'block', accountClass: 'held', micros: -1 } as const
  assert.ok(!creditCheck([...flows, leak, short]).holds)
})

for (const engine of ENGINES) {
  describe(`Statements on ${engine.name}`, { skip: engine.skip }, async () => {
    const ledger = await openLedger(engine)

    test('every line carries the balance after it, in pages of any size and both directions', async () => {
      for (let i = 1; i <= 25; i++) {
        await ledger.call('topUp', { id: `line${i}`, client: 'pages', micros: i })
      }
      const account = 'client:pages'
      const whole = await ledger.statement({ account, limit: 100 })
      let balance = 0
      for (const line of whole) {
        balance += line.amountMicros
        assert.equal(line.balanceMicros, balance)
      }
      for (const limit of [1, 7, 25, 100]) {
        const lines: StatementLine[] = []
        for await (const line of read(ledger, account, limit)) lines.push(line)
        assert.deepEqual(lines, whole)
      }
      const newest = await ledger.statement({ account, limit: 10, newestFirst: true })
      const before = { account, afterId: newest.at(-1)!.postingId, newestFirst: true }
      const older = await ledger.statement({ ...before, limit: 100 })
      assert.deepEqual(ids([...newest, ...older]), ids(whole).toReversed())
    })

    test('a statement of a span of time has its first moment and not its last', async () => {
      for (const at of [1_000, 2_000, 3_000]) {
        await ledger.call('topUp', { id: `at${at}`, at, client: 'span', micros: 1 })
      }
      const account = 'client:span'
      const lines = await ledger.statement({ account, from: 2_000, to: 3_000, limit: 10 })
      assert.deepEqual(ids(lines), ['at2000'])
      assert.equal(lines[0]!.balanceMicros, 2)
    })

    test('balances stay true when the clock of another coordinator is behind', async () => {
      for (const [i, at] of [5_000, 4_000, 6_000, 6_000].entries()) {
        await ledger.call('topUp', { id: `skew${i}`, at, client: 'skew', micros: 1 })
      }
      const lines: StatementLine[] = []
      for await (const line of read(ledger, 'client:skew', 1)) lines.push(line)
      assert.deepEqual(
        lines.map(({ at, balanceMicros }) => [at, balanceMicros]),
        [
          [5_000, 1],
          [5_000, 2],
          [6_000, 3],
          [6_000, 4],
        ],
      )
    })

    test('a page after a posting that is not there is refused, an unknown account is empty', async () => {
      const unknown = ledger.statement({ account: 'client:span', afterId: 'nowhere', limit: 1 })
      await assert.rejects(unknown, refusedWith('MINGA_NO_SUCH_POSTING'))
      assert.deepEqual(await ledger.statement({ account: 'client:nobody', limit: 1 }), [])
      assert.equal(await ledger.balance('client:nobody'), 0)
    })

    test('the leaderboard names who wants to be named, by what became theirs since then', async () => {
      const audit = (owner: string, micros: number, isHeld = false) =>
        ledger.call('payAudit', {
          at: ledger.now + 1_000,
          reference: 'up',
          audits: [{ device: `dev_${owner}`, owner, micros, isHeld }],
        })
      const early = { device: 'dev_old', owner: 'old', micros: 999, isHeld: false }
      await ledger.call('payAudit', { at: 10, reference: 'up', audits: [early] })
      await audit('ana', 5)
      await audit('ana', 5)
      await audit('ben', 30)
      await audit('shy', 100)
      await audit('new', 50, true)
      await ledger.call('withdraw', { account: 'volunteer:ben', micros: 30 })
      const names = { ana: 'Ana', ben: 'Ben', new: 'New', old: 'Old' }
      const board = (limit: number) => ledger.call('leaderboard', { since: 1_000, limit, names })
      const ben = { name: 'Ben', earnedMicros: 30, requests: 1 }
      const ana = { name: 'Ana', earnedMicros: 10, requests: 2 }
      assert.deepEqual(await board(10), [ben, ana])
      assert.deepEqual(await board(1), [ben])
      await ledger.call('releaseHeld', { device: 'dev_new', owner: 'new' })
      const fresh = { name: 'New', earnedMicros: 50, requests: 1 }
      assert.deepEqual(await board(10), [fresh, ben, ana])
    })

    test('a trial balance counts each kind and finds a book that was spoilt', async () => {
      const book = await ledger.trialBalance()
      assert.ok(book.isTrue)
      const topUps = book.kinds.find(({ kind }) => kind === 'top-up')
      assert.deepEqual(topUps, { kind: 'top-up', postings: 32, movedMicros: 325 + 3 + 4 })
      await ledger.change(
        `UPDATE ledger_balances SET balance_micros = balance_micros + 1 WHERE account = 'client:span'`,
      )
      const spoilt = await ledger.trialBalance()
      assert.ok(!spoilt.isTrue)
      assert.equal(spoilt.balancesMicros, 1)
      assert.deepEqual(spoilt.wrongAccounts, ['client:span'])
    })
  })
}

// Goal: a statement of any length is searched, narrowed down, sorted and read page by page. Method: the real
// operations on both databases.

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
