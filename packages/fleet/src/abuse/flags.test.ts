// Goal: a finding about a client stands until an operator decides, has its effect, and is reported
// once. Method: the real operations on both databases, hand-made days and times.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import type { Store } from '@minga/store'
import { ENGINES, type TestEngine } from '../../../store/test/contract-engines.ts'
import type { Flag, FlagEffect, FlagState } from './flags.ts'
import { describeSubmission } from './submission.ts'
import type { ContractOperations } from '../../test/contract-operations.ts'
import { queryRows } from '../../../store/test/raw-sql-fixture.ts'

const START = Date.UTC(2026, 4, 6, 12)
const DAY_MS = 86_400_000

class TestWatch {
  readonly store: Store<ContractOperations>
  now = START
  effect: FlagEffect = 'hold'

  constructor(store: Store<ContractOperations>) {
    this.store = store
  }

  submit(client: string, paths: string[], code: string | null = null): Promise<boolean> {
    const urls = paths.map((path) => ({ url: `http://a.test${path}`, host: 'a.test', code }))
    const submission = describeSubmission(urls)
    return this.store.call('noteSubmission', { client, submission, reasked: [], now: this.now })
  }

  raise(client: string): Promise<number> {
    this.now++
    const alarm = { effect: this.effect, cutDayMax: 100 }
    return this.store.call('raiseFlags', {
      client,
      newId: randomUUID(),
      ...alarm,
      now: this.now,
    })
  }

  async flags(client: string, state: FlagState | null = null): Promise<Flag[]> {
    const page = { order: 'openedAt', isDescending: true, after: null, limit: 100 } as const
    return (await this.store.call('findFlags', { client, state, ...page })).rows
  }

  decide(id: string, decision: { state?: FlagState; effect?: FlagEffect }): Promise<Flag> {
    const { state = null, effect = null } = decision
    const by = 'operator'
    return this.store.call('decideFlag', {
      id,
      state,
      effect,
      cutDayMax: 7,
      note: 'seen',
      by,
      now: this.now,
    })
  }

  check(client: string): Promise<number | null> {
    return this.store.call('checkRestrictions', { client })
  }

  untold(): Promise<Flag[]> {
    return this.store.call('claimUnreportedFlags', { limit: 10, now: this.now })
  }
}

const stores = new Map<TestEngine, Store<ContractOperations>>()
after(() => Promise.all([...stores.values()].map((store) => store.close())))
for (const engine of ENGINES.filter(({ skip }) => skip === false)) {
  const home = await engine.home()
  const operations = new URL('../../test/contract-operations.ts', import.meta.url).href
  stores.set(engine, await home.openHere<ContractOperations>({ operations }))
}

const attacks = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => `/?a=${i * 7}'`)
const CODE = 'MINGA_ABUSE_INJECTION'

for (const engine of ENGINES) {
  describe(`flags on ${engine.name}`, { skip: engine.skip }, () => {
    const watch = (): TestWatch => new TestWatch(stores.get(engine)!)

    test('one attack is reported once and holds nothing back', async () => {
      const w = watch()
      assert.equal(await w.submit('one', attacks(1), CODE), true)
      assert.equal(await w.raise('one'), 1)
      assert.equal(await w.raise('one'), 0)
      const told = await w.untold()
      assert.deepEqual(
        told.map(({ client, kind, severity, effect, evidence, samples }) => ({
          client,
          kind,
          severity,
          effect,
          evidence,
          samples,
        })),
        [
          {
            client: 'one',
            kind: 'injection',
            severity: 'notice',
            effect: 'notify',
            evidence: { injections: 1, submitted: 1 },
            samples: ["http://a.test/?a=0'"],
          },
        ],
      )
      assert.deepEqual(await w.untold(), [])
      assert.equal(await w.check('one'), null)
    })

    test('a notice that becomes an alarm is the same flag, reported again, and holds', async () => {
      const w = watch()
      await w.submit('two', attacks(3), CODE)
      await w.raise('two')
      await w.untold()
      await w.submit('two', attacks(30), CODE)
      assert.equal(await w.raise('two'), 1)
      const [flag, ...others] = await w.flags('two')
      assert.deepEqual(
        [flag?.kind, flag?.severity, flag?.effect, others.length],
        ['injection', 'alarm', 'hold', 0],
      )
      assert.equal((await w.untold()).length, 1)
      await assert.rejects(w.check('two'), {
        code: 'MINGA_CLIENT_HELD',
        message: /look like attacks/,
      })
    })

    test('a dismissed flag holds nothing, is not raised again that day, and is the day after', async () => {
      const w = watch()
      await w.submit('three', attacks(15), CODE)
      await w.raise('three')
      const [flag] = await w.flags('three')
      const decided = await w.decide(flag!.id, { state: 'dismissed' })
      assert.deepEqual(
        [decided.state, decided.note, decided.decidedBy],
        ['dismissed', 'seen', 'operator'],
      )
      assert.equal(await w.check('three'), null)
      await w.submit('three', attacks(15), CODE)
      assert.equal(await w.raise('three'), 0)
      w.now += DAY_MS
      await w.submit('three', attacks(15), CODE)
      assert.equal(await w.raise('three'), 1)
      assert.equal((await w.flags('three')).length, 2)
    })

    test('a confirmed flag holds as long as it stands, and its effect can be changed', async () => {
      const w = watch()
      w.effect = 'notify'
      await w.submit('four', attacks(30), CODE)
      await w.raise('four')
      const [flag] = await w.flags('four')
      await w.decide(flag!.id, { state: 'confirmed', effect: 'hold' })
      w.now += 3 * DAY_MS
      await assert.rejects(w.check('four'), { code: 'MINGA_CLIENT_HELD' })
      await w.decide(flag!.id, { effect: 'cut' })
      assert.equal(await w.check('four'), 7)
      await assert.rejects(w.decide('flg_none', {}), { code: 'MINGA_NO_SUCH_FLAG' })
    })

    test('a cut says how many requests a day are left, the least of several', async () => {
      const w = watch()
      w.effect = 'cut'
      await w.submit('five', attacks(30), CODE)
      await w.raise('five')
      assert.equal(await w.check('five'), 100)
    })

    test('what sites answered counts too, for every client by itself', async () => {
      const w = watch()
      const answers = (client: string, status: number, count: number) =>
        Array.from({ length: count }, () => ({ client, status }))
      const args = {
        now: w.now,
        answers: [
          ...answers('six', 403, 300),
          ...answers('seven', 200, 300),
          { client: 'six', status: null },
        ],
      }
      await w.store.call('noteAnswers', args)
      await w.raise('six')
      await w.raise('seven')
      assert.deepEqual(
        (await w.flags('six')).map(({ kind, evidence }) => [kind, evidence]),
        [['scanning', { refused: 300, missing: 0, answered: 300 }]],
      )
      assert.deepEqual(await w.flags('seven'), [])
      const since = await w.store.call('clientsSince', { since: args.now })
      assert.ok(since.includes('six') && since.includes('seven'))
    })

    test('rows of numbered addresses are noticed though they come one by one', async () => {
      const w = watch()
      for (let i = 0; i < 120; i++) await w.submit('eight', [`/item/${i}`])
      const [day] = await queryRows<{ numbered: number }>(
        w.store,
        'SELECT numbered FROM client_days WHERE client = ?',
        ['eight'],
      )
      assert.equal(day?.numbered, 119)
    })

    test('a sudden volume is seen against the days before, gaps included', async () => {
      const w = watch()
      const many = (count: number): string[] => Array.from({ length: count }, (_, i) => `/${i * 3}`)
      for (let day = 0; day < 9; day++) {
        if (day !== 4) await w.submit('nine', many(100))
        w.now += DAY_MS
      }
      await w.submit('nine', many(1_500))
      await w.raise('nine')
      const [flag] = await w.flags('nine')
      assert.deepEqual([flag?.kind, flag?.evidence['usual']], ['volume', 100])
      w.now += 60 * DAY_MS
      await w.store.call('sweepClientDays', { now: w.now })
      const left = await w.store.call('query', {
        text: 'SELECT 1 FROM client_days',
        params: [],
      })
      assert.equal(left.length, 0)
    })

    test('two looks at one client at the same time raise one flag', async () => {
      const w = watch()
      await w.submit('ten', attacks(3), CODE)
      await Promise.all(Array.from({ length: 8 }, () => w.raise('ten')))
      assert.equal((await w.flags('ten')).length, 1)
    })
  })
}
