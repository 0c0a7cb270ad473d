// Goal: results, audits and verdicts have their effects once, on the right devices, with a log.
// Method: the real operations on both databases, driven step by step with a virtual now.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import type { AuditOutcome } from './audit-work.ts'
import { openTrust, page, type TestTrust } from '../../test/trust/trust-fixture.ts'

const truth = page('truth')

function verdictIn(outcome: AuditOutcome | undefined): string | undefined {
  return outcome?.type === 'closed' ? outcome.verdict : outcome?.type
}

/** A volunteer `a`, a proven stranger `b` that is drawn as auditor, the station's own `own`. */
async function threeDevices(trust: TestTrust): Promise<void> {
  trust.auditor = 'b'
  await trust.admit('a')
  await trust.admit('b')
  await trust.prove('b')
  await trust.admit('own', { owner: 'operator', network: 'as-a', isTrusted: true })
}

for (const engine of ENGINES) {
  describe(`Trust on ${engine.name}`, { skip: engine.skip }, () => {
    test('a trusted device is served as verified at once and never audited', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const [delivery] = await trust.send('own', trust.result('truth'))
      assert.deepEqual(delivery, { type: 'verified', reason: 'trusted' })
      assert.deepEqual(await trust.next('b'), [])
    })

    test('an audited agreement verifies the result and raises trust, an unaudited result does not', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const [delivery] = await trust.send('a', trust.result('truth', { captureId: 77 }))
      assert.equal(delivery?.type, 'waits')
      const [outcome] = await trust.work('b', page('truth'))
      assert.equal(verdictIn(outcome), 'agree')
      assert.equal(outcome?.type === 'closed' && outcome.audit.captureId, 77)
      assert.equal((await trust.trust('a')).standing.agreements, 1)
      await trust.send('b', ...Array.from({ length: 20 }, () => trust.result('truth')))
      assert.equal((await trust.trust('b')).standing.agreements, 2_000)
    })

    test('a proven device is served as verified, but for the share that is still audited', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const results = Array.from({ length: 400 }, () => trust.result('truth'))
      const deliveries = await trust.send('b', ...results)
      const waiting = deliveries.filter(({ type }) => type === 'waits').length
      assert.ok(waiting > 5 && waiting < 45, `${waiting} of 400`)
      const rest = deliveries.filter(({ type }) => type !== 'waits')
      assert.ok(rest.every((one) => one.type === 'verified' && one.reason === 'proven'))
      assert.deepEqual(await trust.send('b', ...results), deliveries, 'a replay is drawn alike')
      const [count] = await trust.query<{ n: number }>('SELECT count(*) AS n FROM audits')
      assert.equal(count?.n, waiting, 'and opens nothing twice')
    })

    test('what says that there is no page is always audited, also from a proven device', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const results = [0, 400, 401, 403, 404, 410, 451, 503, 999].map((status) =>
        trust.result('none', { status }),
      )
      const deliveries = await trust.send('b', ...results)
      assert.ok(deliveries.every(({ type }) => type === 'waits'))
      const down = trust.result('x', { isRobots: true, status: 503 })
      const [delivery] = await trust.send('b', down)
      assert.equal(delivery?.type, 'waits', 'it would close the host to everyone')
    })

    test('without an eligible auditor results go out at once as unverified', async () => {
      const trust = await openTrust(engine)
      await trust.admit('a')
      await trust.admit('same owner', { owner: "a's" })
      await trust.admit('same network', { network: 'as-a' })
      await trust.admit('unknown network', { network: null })
      for (const friend of ['same owner', 'same network', 'unknown network']) {
        await trust.prove(friend)
      }
      await trust.admit('unproven')
      const lonely = { type: 'unverified', reason: 'no-auditor' }
      assert.deepEqual(await trust.send('a', trust.result('x')), [lonely])
      await trust.admit('stranger')
      await trust.prove('stranger')
      assert.equal((await trust.send('a', trust.result('x')))[0]?.type, 'waits')
      trust.now += 300_001
      assert.deepEqual(await trust.send('a', trust.result('x')), [lonely], 'it was not seen lately')
    })

    test('an audit never goes to the same device, owner or network, and to one at a time', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.admit('friend', { owner: "a's" })
      await trust.admit('neighbour', { network: 'as-a' })
      for (const device of ['friend', 'neighbour']) await trust.prove(device)
      await trust.send('a', trust.result('truth'))
      for (const device of ['a', 'friend', 'neighbour']) {
        assert.deepEqual(await trust.next(device), [], device)
      }
      assert.equal((await trust.next('b')).length, 1)
      assert.deepEqual(await trust.next('own'), [])
      trust.now += 120_000
      await trust.sweep()
      assert.equal((await trust.next('own')).length, 1, 'after its time another is drawn')
      const [{ id } = { id: '' }] = await trust.query<{ id: string }>('SELECT id FROM audits')
      assert.deepEqual(await trust.answer(id, 'b', truth), { type: 'stale' })
      assert.equal(verdictIn(await trust.answer(id, 'own', truth)), 'agree')
      assert.deepEqual(await trust.answer(id, 'own', truth), { type: 'stale' }, 'twice counts once')
      assert.equal((await trust.trust('a')).standing.agreements, 1)
    })

    test('a lie is proven by a third, trusted fetch; what came since twenty agreements ago is quarantined', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const receivedAt: number[] = []
      for (let captureId = 1; captureId <= 22; captureId++) {
        await trust.send('a', trust.result('truth', { captureId }))
        receivedAt[captureId] = trust.now
        trust.now += 1_000
      }
      while ((await trust.work('b', truth)).length > 0);
      await trust.send('a', trust.result('lie', { captureId: 23 }))
      trust.now += 1_000
      assert.deepEqual(await trust.work('b', truth), [{ type: 'open' }])
      assert.equal((await trust.trust('a')).standing.state, 'active')
      assert.deepEqual(await trust.next('b'), [], 'only the station’s own judge')
      const [outcome] = await trust.work('own', truth)
      assert.equal(verdictIn(outcome), 'lie')
      assert.ok(outcome?.type === 'closed')
      const [stopped] = outcome.stopped
      assert.equal(stopped?.device, 'a')
      assert.equal(stopped?.quarantine.sinceAt, receivedAt[3])
      assert.equal(stopped?.quarantine.sinceCaptureId, 3)
      const view = await trust.trust('a')
      assert.deepEqual(
        [view.standing.state, view.honesty, view.isProven, view.standing.reason],
        ['quarantined', 0, false, 'lie'],
      )
      assert.match(view.sentence!, /not what the site sent/)
      assert.deepEqual(await trust.send('a', trust.result('x')), [
        { type: 'unverified', reason: 'stopped' },
      ])
      assert.deepEqual(await trust.next('a'), [])
      assert.deepEqual(await trust.actions('a'), ['admitted', 'lie', 'quarantined'])
    })

    test('an agreement after the lie does not hide it: the quarantine reaches back before it', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('lie'))
      const [lie] = await trust.next('b')
      trust.now += 1_000
      await trust.send('a', trust.result('truth'))
      await trust.work('b', truth)
      await trust.answer(lie!.id, 'b', truth)
      const [outcome] = await trust.work('own', truth)
      assert.ok(outcome?.type === 'closed' && outcome.verdict === 'lie')
      assert.equal(outcome.stopped[0]?.quarantine.sinceAt, 0)
    })

    test('a second proven lie expels and closes what was open about the device', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('lie'), trust.result('lie'), trust.result('lie'))
      await trust.work('b', truth)
      const outcomes = await trust.work('own', truth)
      assert.deepEqual(outcomes.map(verdictIn), ['lie', 'lie', 'stale'])
      assert.equal((await trust.trust('a')).standing.state, 'expelled')
      const [open] = await trust.query<{ n: number }>(
        'SELECT count(*) AS n FROM audits WHERE closed_at IS NULL',
      )
      assert.equal(open?.n, 0)
    })

    test('a dynamic page gives no verdict, and its kind is not audited any more', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const again = () => trust.result('1', { hostId: 5, url: 'http://h.test/clock/12' })
      for (let i = 0; i < 2; i++) {
        await trust.send('a', again())
        await trust.work('b', page(`2 ${i}`))
        assert.deepEqual(await trust.work('own', page(`3 ${i}`)), [{ type: 'open' }])
        const [outcome] = await trust.work('own', page(`4 ${i}`))
        assert.ok(outcome?.type === 'closed' && outcome.reason === 'dynamic')
      }
      const unfit = { type: 'unverified', reason: 'unfit' }
      assert.deepEqual(await trust.send('a', again()), [unfit])
      assert.deepEqual(await trust.send('b', again()), [unfit], 'not even from a proven device')
      const gone = trust.result('', { hostId: 5, url: 'http://h.test/clock/12', status: 404 })
      assert.equal((await trust.send('b', gone))[0]?.type, 'waits', 'but not what ends a request')
      assert.equal((await trust.trust('a')).standing.state, 'active')
      trust.now += 31 * 86_400_000
      await trust.admit('b')
      assert.equal((await trust.send('a', again()))[0]?.type, 'waits')
    })

    test('two liars who meet are both found out by two trusted fetches', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('lie'))
      await trust.work('b', page('other lie'))
      await trust.work('own', truth)
      const [outcome] = await trust.work('own', truth)
      assert.ok(outcome?.type === 'closed' && outcome.verdict === 'lie')
      assert.deepEqual(outcome.stopped.map(({ device }) => device).toSorted(), ['a', 'b'])
    })

    test('a delivery waits for its audit only so long, and the audit goes on', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('truth', { captureId: 5 }))
      assert.deepEqual(await trust.sweep(), [])
      trust.now += 60_000
      assert.deepEqual(
        (await trust.sweep()).map(({ captureId }) => captureId),
        [5],
      )
      assert.deepEqual(await trust.sweep(), [], 'once')
      const [outcome] = await trust.work('own', truth)
      assert.equal(verdictIn(outcome), 'agree')
      assert.ok(outcome?.type === 'closed' && !outcome.audit.isWaiting)
    })

    test('an audit that no device can do ends without a verdict', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('truth'), trust.result('truth'))
      const [first] = await trust.next('b', 1)
      assert.deepEqual(await trust.answer(first!.id, 'b', null), { type: 'open' })
      const left = await trust.next('b')
      assert.ok(!left.some(({ id }) => id === first!.id), 'not to the one that failed')
      await trust.next('own')
      await trust.answer(first!.id, 'own', page('x', { status: 503 }))
      await trust.next('own')
      const outcome = await trust.answer(first!.id, 'own', null)
      assert.ok(outcome.type === 'closed' && outcome.reason === 'unreachable')
      trust.now += 6 * 3_600_000
      await trust.sweep()
      await trust.sweep()
      const open = await trust.query('SELECT 1 AS one FROM audits WHERE closed_at IS NULL')
      assert.deepEqual(open, [])
    })

    test('an unproven device’s robots.txt is always audited', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.prove('a', 90)
      const robots = Array.from({ length: 20 }, () => trust.result('x', { isRobots: true }))
      assert.ok((await trust.send('a', ...robots)).every(({ type }) => type === 'waits'))
    })

    test('the operator says how much of a proven device is audited for ever', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.prove('a', 100_000)
      const audited = async (auditFloor: number): Promise<number> => {
        const results = Array.from({ length: 200 }, () => trust.result('truth'))
        const args = { device: 'a', secret: 'secret', results, auditFloor, now: trust.now }
        const deliveries = await trust.store.call('chooseAudits', args)
        return deliveries.filter(({ type }) => type === 'waits').length
      }
      assert.equal(await audited(1), 200)
      assert.ok((await audited(0.001)) < 10)
      const half = await audited(0.5)
      assert.ok(half > 60 && half < 140, String(half))
      const view = await trust.store.call('trustOf', {
        device: 'a',
        auditFloor: 0.5,
      })
      assert.equal(view?.auditProbability, 0.5)
    })

    test('Client complaint: it triggers a recheck before all other audits and more doubt until settled', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.prove('a')
      const calm = (await trust.trust('a')).auditProbability
      await trust.send('a', ...Array.from({ length: 100 }, () => trust.result('truth')))
      trust.now += 1_000
      const lie = trust.result('lie')
      assert.equal(await trust.complain('a', lie, { id: 'aud_1' }), true)
      assert.equal(await trust.complain('a', lie, { id: 'aud_2' }), false)
      const doubted = await trust.trust('a')
      assert.ok(doubted.auditProbability > calm && doubted.openComplaints === 1)
      const [first] = await trust.next('b', 1)
      assert.equal(first?.id, 'aud_1')
      await trust.answer('aud_1', 'b', page('lie'))
      const settled = await trust.trust('a')
      assert.deepEqual([settled.openComplaints, settled.auditProbability], [0, calm])
    })

    test('Distrust probes: a canary from a verified capture counts like an audit', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      const { page: _, ...place } = trust.result('truth')
      const open = (id: string) =>
        trust.store.call('openCanary', { ...place, id, device: 'a', page: truth, now: trust.now })
      await open('aud_1')
      assert.deepEqual(await trust.next('b'), [], 'only the device itself is asked')
      const [asked] = await trust.next('a')
      assert.deepEqual(Object.keys(asked!).toSorted(), [
        'collectionId',
        'hash',
        'hostId',
        'id',
        'url',
      ])
      assert.equal(verdictIn(await trust.answer('aud_1', 'a', truth)), 'agree')
      assert.equal((await trust.trust('a')).standing.agreements, 1)
      await open('aud_2')
      await trust.next('a')
      assert.deepEqual(await trust.answer('aud_2', 'a', page('lie')), { type: 'open' })
      const [outcome] = await trust.work('own', truth)
      assert.ok(outcome?.type === 'closed' && outcome.verdict === 'lie')
      assert.deepEqual(
        outcome.stopped.map(({ device }) => device),
        ['a'],
      )
    })

    test('verdicts that come together all count, and each once', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', ...Array.from({ length: 8 }, () => trust.result('truth')))
      const given = await trust.next('b')
      const answers = [...given, ...given].map(({ id }) => trust.answer(id, 'b', truth))
      const verdicts = (await Promise.all(answers)).map(verdictIn)
      assert.equal(verdicts.filter((verdict) => verdict === 'agree').length, 8)
      assert.equal(verdicts.filter((verdict) => verdict === 'stale').length, 8)
      assert.equal((await trust.trust('a')).standing.agreements, 8)
    })

    test('auditors that ask at the same moment never get the same audit', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', ...Array.from({ length: 8 }, () => trust.result('truth')))
      const asks = Array.from({ length: 8 }, (_, i) => trust.next(i % 2 ? 'b' : 'own', 3))
      const given = (await Promise.all(asks)).flat().map(({ id }) => id)
      assert.equal(new Set(given).size, given.length)
      const rest = await trust.next('b')
      assert.equal(given.length + rest.length, 8)
    })

    test('an upload at the moment of a proven lie is before it or after it, never half', async () => {
      const trust = await openTrust(engine)
      await threeDevices(trust)
      await trust.send('a', trust.result('lie'))
      await trust.work('b', truth)
      await trust.prove('a')
      const [judged] = await trust.next('own')
      const results = Array.from({ length: 30 }, () => trust.result('truth'))
      const [, deliveries] = await Promise.all([
        trust.answer(judged!.id, 'own', truth),
        trust.send('a', ...results),
      ])
      const isStopped = deliveries.map(
        (one) => one.type === 'unverified' && one.reason === 'stopped',
      )
      assert.equal(new Set(isStopped).size, 1)
      const after = await trust.send('a', trust.result('truth'))
      assert.deepEqual(after, [{ type: 'unverified', reason: 'stopped' }])
    })

    test('Eject/temporary block: poor service blocks for a time, an operator expels and releases, all with reasons', async () => {
      const trust = await openTrust(engine)
      await trust.admit('a')
      const service = { served: 60, failed: 50, timedOut: 0, slow: 0 }
      await trust.store.call('noteService', { device: 'a', ...service, now: trust.now })
      const blocked = await trust.trust('a')
      assert.deepEqual([blocked.standing.state, blocked.standing.reason], ['blocked', 'failing'])
      assert.match(blocked.sentence!, /failed/)
      assert.deepEqual(await trust.store.call('sweepBlocks', { now: trust.now }), [])
      trust.now = blocked.standing.blockedUntil!
      assert.deepEqual(await trust.store.call('sweepBlocks', { now: trust.now }), ['a'])
      assert.equal((await trust.trust('a')).standing.state, 'active')

      const by = { device: 'a', who: 'acct_operator', note: 'seen', now: trust.now }
      await trust.store.call('blockDevice', { ...by, reason: 'abuse', durationMs: 5_000 })
      assert.equal((await trust.trust('a')).standing.blockedUntil, trust.now + 5_000)
      await trust.store.call('quarantineDevice', {
        ...by,
        id: 'qua_1',
        reason: 'operator',
        since: 0,
      })
      await trust.store.call('expelDevice', { ...by, reason: 'operator' })
      assert.equal((await trust.trust('a')).standing.state, 'expelled')
      await trust.store.call('releaseDevice', { ...by, isForgiven: true })
      assert.equal((await trust.trust('a')).standing.state, 'active')
      const log = [
        'admitted',
        'blocked',
        'unblocked',
        'blocked',
        'quarantined',
        'expelled',
        'released',
      ]
      assert.deepEqual(await trust.actions('a'), log)
    })

    test('a device that was not admitted is refused by name', async () => {
      const trust = await openTrust(engine)
      await assert.rejects(trust.send('nobody', trust.result('x')), {
        code: 'MINGA_UNKNOWN_DEVICE',
      })
      assert.equal(await trust.trust('nobody'), null)
      assert.deepEqual(await trust.next('nobody'), [])
    })
  })
}
