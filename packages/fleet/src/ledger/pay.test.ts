// Goal: clients pay for what was captured, volunteers and platform get exactly their parts. Method:
// whole lives of batches on both databases, with balances and the invariant of the ledger.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openLedger, refusedWith, type TestLedger } from '../../test/ledger/ledger-fixture.ts'
import { blockEntries, type Charge } from './pay.ts'

const charge = (more: Partial<Charge> = {}): Charge => ({
  batch: 'bat_1',
  device: 'dev_1',
  owner: 'acct_v',
  micros: 10_000,
  isHeld: false,
  ...more,
})

/** A client with a funded batch, and a volunteer, who share no postings with others in the book. */
class Scene {
  readonly ledger: TestLedger
  readonly batch: string
  readonly owner: string
  #platformMicros = 0

  private constructor(ledger: TestLedger, name: string) {
    this.ledger = ledger
    this.batch = `bat_${name}`
    this.owner = `acct_${name}`
  }

  static async open(ledger: TestLedger, name: string, micros = 0): Promise<Scene> {
    const scene = new Scene(ledger, name)
    scene.#platformMicros = await ledger.balance('platform')
    await ledger.call('topUp', { client: name, micros })
    const { batch } = scene
    await ledger.call('reserve', { client: name, batch, micros, creditLimitMicros: 0 })
    return scene
  }

  charge(more: Partial<Charge> = {}): Charge {
    return charge({ batch: this.batch, owner: this.owner, ...more })
  }

  async assertBalances(expected: {
    reserve: number
    volunteer: number
    platform: number
  }): Promise<void> {
    const accounts = [`reserve:${this.batch}`, `volunteer:${this.owner}`, 'platform']
    const found = await this.ledger.call('balancesOf', { accounts })
    const [reserve, volunteer, platform] = found.map(({ balanceMicros }) => balanceMicros)
    const earned = platform! - this.#platformMicros
    assert.deepEqual({ reserve, volunteer, platform: earned }, expected)
    await this.ledger.assertAddsUp()
  }
}

test('one upload of many clients and devices is one posting with each account once', () => {
  const entries = blockEntries([
    charge({ micros: 10 }),
    charge({ micros: 10, batch: 'bat_2' }),
    charge({ micros: 5, device: 'dev_2', isHeld: true }),
  ])
  const sums = new Map<string, number>()
  for (const { account, micros } of entries) sums.set(account, (sums.get(account) ?? 0) + micros)
  assert.deepEqual(Object.fromEntries(sums), {
    platform: 7,
    'reserve:bat_1': -15,
    'reserve:bat_2': -10,
    'volunteer:acct_v': 14,
    'held:dev_2': 4,
  })
})

for (const engine of ENGINES) {
  describe(`Pay on ${engine.name}`, { skip: engine.skip }, async () => {
    const ledger = await openLedger(engine)

    test('Credits, 30/70 split: a batch of 28.00 pays 8.40 and 19.60 and the ledger sums exactly', async () => {
      const scene = await Scene.open(ledger, 'thesis', 28_000_000)
      for (let upload = 0; upload < 40; upload++) {
        const charges = Array.from({ length: 70 }, () => scene.charge())
        await ledger.call('payBlock', { reference: `up_${upload}`, charges })
      }
      await scene.assertBalances({ reserve: 0, volunteer: 19_600_000, platform: 8_400_000 })
      assert.deepEqual((await ledger.trialBalance()).credits, {
        chargesMicros: 28_000_000,
        feesMicros: 8_400_000,
        creditsMicros: 19_600_000,
        holds: true,
      })
    })

    test('an upload that arrives several times at once is paid once', async () => {
      const scene = await Scene.open(ledger, 'once', 20_000)
      const charges = [scene.charge(), scene.charge()]
      const upload = { id: 'pay_once', reference: 'up_once', charges }
      await Promise.all([1, 2, 3, 4, 5].map(() => ledger.call('payBlock', upload)))
      await scene.assertBalances({ reserve: 0, volunteer: 14_000, platform: 6_000 })
    })

    test('uploads of many devices at the same moment are all paid', async () => {
      const scene = await Scene.open(ledger, 'rush', 300_000)
      const uploads = Array.from({ length: 30 }, (_, i) =>
        ledger.call('payBlock', {
          reference: `up_rush${i}`,
          charges: [scene.charge({ device: `dev_rush${i}`, isHeld: i % 2 === 0 })],
        }),
      )
      await Promise.all(uploads)
      await scene.assertBalances({ reserve: 0, volunteer: 105_000, platform: 90_000 })
    })

    test('no block is paid beyond the reserve of its batch', async () => {
      const scene = await Scene.open(ledger, 'short', 19_999)
      const block = { reference: 'up', charges: [scene.charge(), scene.charge()] }
      await assert.rejects(ledger.call('payBlock', block), refusedWith('MINGA_NOT_ENOUGH_MONEY'))
      await scene.assertBalances({ reserve: 19_999, volunteer: 0, platform: 0 })
    })

    test('pay of an unproven device is held, then released with its requests or forfeited', async () => {
      const scene = await Scene.open(ledger, 'held', 30_000)
      const good = scene.charge({ device: 'dev_good', isHeld: true })
      const liar = scene.charge({ device: 'dev_liar', isHeld: true })
      await ledger.call('payBlock', { reference: 'up_1', charges: [good, good] })
      await ledger.call('payBlock', { reference: 'up_2', charges: [liar] })
      await scene.assertBalances({ reserve: 0, volunteer: 0, platform: 9_000 })
      const released = await ledger.call('releaseHeld', { device: 'dev_good', owner: scene.owner })
      assert.deepEqual(released, { outcome: 'posted', micros: 14_000 })
      const reason = 'Two others saw another page.'
      await ledger.call('forfeitHeld', { device: 'dev_liar', reason })
      await scene.assertBalances({ reserve: 0, volunteer: 14_000, platform: 16_000 })
      const [mine] = await ledger.call('balancesOf', { accounts: [`volunteer:${scene.owner}`] })
      assert.equal(mine!.requests, 2)
      const [last] = await ledger.statement({
        account: 'held:dev_liar',
        limit: 1,
        newestFirst: true,
      })
      assert.equal(last!.note, reason)
      assert.equal(last!.balanceMicros, 0)
      const none = await ledger.call('releaseHeld', { device: 'dev_liar', owner: scene.owner })
      assert.equal(none.outcome, 'nothing')
    })

    test('a cache hit has its own price and pays no volunteer', async () => {
      const scene = await Scene.open(ledger, 'cache', 5_000)
      const hits = [1, 2].map(() => ({ batch: scene.batch, micros: 2_000 }))
      await ledger.call('payCacheHits', { reference: scene.batch, hits })
      await scene.assertBalances({ reserve: 1_000, volunteer: 0, platform: 4_000 })
    })

    test('audits are paid by the platform, which may owe', async () => {
      const scene = await Scene.open(ledger, 'audit')
      const micros = 1_000_000_000
      const audit = { device: 'dev_audit', owner: scene.owner, micros, isHeld: false }
      const held = { ...audit, isHeld: true }
      await ledger.call('payAudit', { reference: 'up', audits: [audit, held] })
      await scene.assertBalances({ reserve: 0, volunteer: micros, platform: -2 * micros })
      assert.equal(await ledger.balance('held:dev_audit'), micros)
      assert.ok((await ledger.balance('platform')) < 0)
    })

    test('requests that cost nothing are counted as served all the same', async () => {
      const scene = await Scene.open(ledger, 'free')
      const free = scene.charge({ micros: 0 })
      const answer = await ledger.call('payBlock', { reference: 'up', charges: [free, free] })
      assert.deepEqual(answer, { outcome: 'posted', micros: 0 })
      const [mine] = await ledger.call('balancesOf', { accounts: [`volunteer:${scene.owner}`] })
      assert.equal(mine!.requests, 2)
    })
  })
}
