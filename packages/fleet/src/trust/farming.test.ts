// Goal: a device cannot become proven, or earn money, by repeated requests for the same checks.
// Method: the real operations on both databases; clients complain and devices agree as farmers
// would.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openTrust, page, type TestTrust } from '../../test/trust/trust-fixture.ts'

const truth = page('truth')
const JUDGE = { who: 'acct_operator', note: null, now: 0 }

/** A volunteer `a`, and the station's own `own`, which audits it. */
async function twoDevices(trust: TestTrust): Promise<void> {
  await trust.admit('a')
  await trust.admit('own', { owner: 'operator', isTrusted: true })
}

for (const engine of ENGINES) {
  describe(`Farming on ${engine.name}`, { skip: engine.skip }, () => {
    test('a result can be complained of once, whatever became of the complaint', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      const result = trust.result('truth')
      assert.equal(await trust.complain('a', result), true)
      assert.equal(await trust.complain('a', result), false)
      await trust.work('own', truth)
      assert.equal(await trust.complain('a', result), false)
      assert.equal(await trust.complain('a', result, { who: 'another' }), false)
      assert.equal(await trust.balance('client:another'), 10, 'and costs nothing')
    })

    test('the deposit of a complaint is kept when the result was right and returned when it was not', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.complain('a', trust.result('truth'))
      assert.equal(await trust.balance('client:client'), 7)
      await trust.work('own', truth)
      assert.deepEqual(
        [await trust.balance('client:client'), await trust.balance('platform')],
        [7, 3],
      )
      await trust.complain('a', trust.result('lie'))
      assert.equal(await trust.balance('client:client'), 4)
      await trust.work('own', truth)
      await trust.work('own', truth)
      assert.equal((await trust.trust('a')).standing.state, 'quarantined')
      assert.equal(await trust.balance('client:client'), 7)
      const { isTrue } = await trust.store.call('trialBalance', {})
      assert.ok(isTrue)
    })

    test('a complaint that no device could check costs nothing, and without the deposit there is none', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.complain('a', trust.result('truth'))
      trust.now += 6 * 3_600_000
      await trust.sweep()
      assert.equal(await trust.balance('client:client'), 10)
      await assert.rejects(trust.complain('a', trust.result('x'), { depositMicros: 11 }), {
        code: 'MINGA_NO_BUDGET',
      })
      const open = await trust.query('SELECT 1 AS one FROM audits WHERE closed_at IS NULL')
      assert.deepEqual(open, [])
    })

    test('a client complains so often a day, also when all complaints come at once', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.admit('b')
      const limit = { perDayMax: 2, depositMicros: 0 }
      const complain = (n: number): Promise<boolean | string> =>
        trust
          .complain(n % 2 ? 'a' : 'b', trust.result('x'), limit)
          .catch(({ code }: { code: string }) => code)
      const outcomes = await Promise.all(Array.from({ length: 6 }, (_, n) => complain(n)))
      assert.equal(outcomes.filter((outcome) => outcome === true).length, 2)
      assert.equal(outcomes.filter((one) => one === 'MINGA_TOO_MANY_COMPLAINTS').length, 4)
      trust.now += 86_400_000
      assert.equal(await complain(0), true)
    })

    test('complaints, and agreements on a page that it agreed on before, do not raise trust', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      const again = () => trust.result('truth', { hostId: 7 })
      for (let n = 0; n < 3; n++) {
        await trust.send('a', again())
        await trust.complain('a', again(), { who: `client ${n}` })
        await trust.work('own', truth)
      }
      assert.equal((await trust.trust('a')).standing.agreements, 1)
      await trust.send('a', trust.result('truth', { hostId: 8 }))
      await trust.work('own', truth)
      assert.equal((await trust.trust('a')).standing.agreements, 2)
    })

    test('auditors are drawn among proven devices of others, each as often as the next, and no other device gets the audit', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      const others = ['b', 'c', 'd']
      for (const device of [...others, 'friend', 'new']) {
        await trust.admit(device, device === 'friend' ? { owner: "a's" } : {})
        if (device !== 'new') await trust.prove(device)
      }
      await trust.send('a', ...Array.from({ length: 200 }, () => trust.result('truth')))
      // Polling more often brings nothing.
      for (const device of ['friend', 'new']) assert.deepEqual(await trust.next(device, 200), [])
      for (const device of [...others, 'own']) {
        const { length } = await trust.next(device, 200)
        assert.ok(length > 25 && length < 80, `${device}: ${length} of 200`)
        assert.deepEqual(await trust.next(device, 200), [], 'once')
      }
    })

    test('an auditor that does not come is replaced by another, in the end by the station’s own', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      for (const device of ['b', 'c', 'd']) {
        await trust.admit(device)
        await trust.prove(device)
      }
      await trust.send('a', trust.result('truth'))
      const drawn: string[] = []
      for (let n = 0; n < 4; n++) {
        const [row] = await trust.query<{ drawn: string }>('SELECT drawn FROM audits')
        drawn.push(row!.drawn)
        trust.now += 20_000
        await trust.sweep()
      }
      assert.notEqual(drawn[0], drawn[1])
      assert.deepEqual(drawn.slice(2), ['own', 'own'])
    })

    test('the station’s own device looks at a share of agreements; what it cannot see undoes the trust of both', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.admit('b')
      for (const device of ['a', 'b']) await trust.prove(device)
      Object.assign(trust, { auditor: 'b', recheckShare: 1 })
      const audited = trust.result('truth', { isRobots: true })
      await trust.prove('a', 90)
      await trust.send('a', audited)
      assert.deepEqual(await trust.work('b', truth), [{ type: 'open' }])
      const [agreed] = await trust.work('own', truth)
      assert.ok(agreed?.type === 'closed' && agreed.verdict === 'agree')
      assert.equal((await trust.trust('a')).standing.agreements, 91)
      await trust.send('a', trust.result('forgery', { isRobots: true }))
      await trust.work('b', page('forgery'))
      await trust.work('own', truth)
      const [refuted] = await trust.work('own', truth)
      assert.ok(refuted?.type === 'closed' && refuted.verdict === 'none')
      for (const device of ['a', 'b']) {
        const { isProven, standing } = await trust.trust(device)
        assert.deepEqual([isProven, standing.agreements, standing.state], [false, 0, 'active'])
      }
      assert.ok((await trust.actions('b')).includes('differs'))
    })

    /** A proven lie of the device, on a page of its own. */
    async function lie(trust: TestTrust, device: string): Promise<void> {
      await trust.send(device, trust.result('lie', { isRobots: true }))
      await trust.work('own', truth)
      await trust.work('own', truth)
    }

    test('after one lie no device of the owner is believed any more', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.admit('sibling', { owner: "a's" })
      await trust.prove('sibling')
      await lie(trust, 'a')
      const { isProven, standing } = await trust.trust('sibling')
      assert.deepEqual([isProven, standing.state, standing.lies], [false, 'active', 1])
      await trust.store.call('releaseDevice', { ...JUDGE, device: 'a', isForgiven: true })
      assert.equal((await trust.trust('sibling')).standing.lies, 0, 'it was no lie')
    })

    test('twenty devices of one owner have one first lie together, also when several are judged at once', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      const devices = ['a', ...Array.from({ length: 19 }, (_, n) => `a${n}`)]
      for (const device of devices.slice(1)) await trust.admit(device, { owner: "a's" })
      for (const device of devices) await trust.send(device, trust.result('lie'))
      const judge = async (): Promise<void> => {
        const audits = await trust.next('own', 20)
        const [first, ...rest] = [audits.slice(0, 3), ...audits.slice(3).map((one) => [one])]
        for (const together of [first, ...rest]) {
          await Promise.all(together.map(({ id }) => trust.answer(id, 'own', truth)))
        }
      }
      await judge()
      await judge()
      const states = await trust.query<{ state: string; n: number }>(
        `SELECT state, COUNT(*) AS n FROM device_trust WHERE owner = ? GROUP BY state`,
        ["a's"],
      )
      assert.deepEqual(states, [{ state: 'expelled', n: 20 }])
      const lied = await trust.query(`SELECT device FROM trust_log WHERE action = 'lie'`)
      assert.equal(lied.length, 2)
    })

    test('whom an operator expels is expelled with all devices of the owner, until the operator releases it', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.admit('sibling', { owner: "a's" })
      await trust.send('sibling', trust.result('truth'))
      const expel = { ...JUDGE, device: 'a', reason: 'operator' } as const
      await trust.store.call('expelDevice', expel)
      await trust.admit('new', { owner: "a's" })
      for (const device of ['a', 'sibling', 'new']) {
        assert.equal((await trust.trust(device)).standing.state, 'expelled', device)
      }
      assert.deepEqual(await trust.query('SELECT id FROM audits WHERE closed_at IS NULL'), [])
      await trust.store.call('releaseDevice', { ...JUDGE, device: 'a', isForgiven: false })
      for (const device of ['a', 'sibling', 'new']) {
        assert.equal((await trust.trust(device)).standing.state, 'active', device)
      }
    })

    test('an owner with twenty devices audits as often as one with a single device', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      const ring = Array.from({ length: 20 }, (_, n) => `ring ${n}`)
      for (const device of ['b', 'c', ...ring]) {
        const owner = device.startsWith('ring') ? { owner: 'ring' } : {}
        await trust.admit(device, owner)
        await trust.prove(device)
      }
      await trust.send('a', ...Array.from({ length: 200 }, () => trust.result('truth')))
      const [drawn] = await trust.query<{ n: number }>(
        `SELECT COUNT(*) AS n FROM audits WHERE drawn LIKE 'ring%'`,
      )
      assert.ok(drawn!.n > 25 && drawn!.n < 80, `${drawn!.n} of 200`)
    })

    test('who is expelled for lying is expelled with all devices of the owner, and new ones come to nothing', async () => {
      const trust = await openTrust(engine)
      await twoDevices(trust)
      await trust.admit('sibling', { owner: "a's" })
      await trust.admit('stranger')
      await lie(trust, 'a')
      await trust.admit('second', { owner: "a's" })
      assert.equal((await trust.trust('second')).standing.lies, 1, 'on probation')
      await lie(trust, 'second')
      const states: string[] = []
      for (const device of ['second', 'sibling', 'stranger', 'own']) {
        states.push((await trust.trust(device)).standing.state)
      }
      assert.deepEqual(states, ['expelled', 'expelled', 'active', 'active'])
      assert.match((await trust.trust('sibling')).sentence!, /Another device of its owner/)
      await trust.admit('third', { owner: "a's" })
      assert.equal((await trust.trust('third')).standing.state, 'expelled')
    })

    test('devices that an operator invited are other people’s: each answers for itself', async () => {
      const trust = await openTrust(engine)
      await trust.admit('own', { owner: 'operator', isTrusted: true })
      await trust.admit('judge', { owner: 'another operator', isTrusted: true })
      await trust.admit('one', { owner: 'operator' })
      await trust.admit('two', { owner: 'operator' })
      for (let lies = 0; lies < 2; lies++) {
        await trust.store.call('releaseDevice', {
          device: 'one',
          who: 'x',
          isForgiven: false,
          now: trust.now,
        })
        await trust.send('one', trust.result('lie'))
        for (let fetches = 0; fetches < 2; fetches++) await trust.work('judge', truth)
      }
      assert.equal((await trust.trust('one')).standing.state, 'expelled')
      assert.equal((await trust.trust('two')).standing.state, 'active')
      for (const device of ['b', 'three', 'four']) {
        await trust.admit(device, device === 'b' ? {} : { owner: 'operator' })
        await trust.prove(device)
      }
      await trust.admit('a')
      await trust.send('a', ...Array.from({ length: 200 }, () => trust.result('truth')))
      for (const device of ['b', 'three', 'four']) {
        const { length } = await trust.next(device, 200)
        assert.ok(length > 20 && length < 70, `${device}: ${length} of 200`)
      }
    })
  })
}
