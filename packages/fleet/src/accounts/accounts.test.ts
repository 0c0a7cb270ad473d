// Goal: an account is one person's, and of two that race for a name, a link or a session only who
// should wins. Method: single calls and races of many calls on both databases.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openAccounts, refusedWith } from '../../test/accounts/accounts-fixture.ts'
import { newId, newSecret, secretHash } from './secrets.ts'

const RACERS = process.env['MINGA_LONG'] === '1' ? 200 : 20

for (const engine of ENGINES) {
  describe(`Accounts on ${engine.name}`, { skip: engine.skip }, async () => {
    const accounts = await openAccounts(engine)

    test('User registration, token: names are unique in any case, tokens never repeat', async () => {
      const ana = await accounts.account('Ana')
      assert.match(ana.id, /^acct_[0-9a-f]{20}$/)
      assert.deepEqual([ana.name, ana.roles, ana.hasPassword], ['Ana', ['client'], true])
      await assert.rejects(accounts.account('aNA'), refusedWith('MINGA_NAME_TAKEN'))
      const tokens = new Set(Array.from({ length: 1_000 }, () => newSecret('session')))
      assert.equal(tokens.size, 1_000)
      for (const token of tokens) assert.match(token, /^minga_session_[\w-]{43}$/)
    })

    test('of many that register one name together, one gets it', async () => {
      const race = Array.from({ length: RACERS }, (_, i) =>
        accounts.account(i % 2 ? 'wanted' : 'WANTED'),
      )
      const ends = await Promise.allSettled(race)
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
      const login = await accounts.call('findLogin', { name: 'Wanted' })
      assert.match(login!.name, /^wanted$/i)
    })

    test('a session shows its account until it expires or is closed', async () => {
      const bea = await accounts.account('bea')
      const [one, two] = [await accounts.session(bea), await accounts.session(bea)]
      assert.equal(await accounts.caller(one), 'bea via session')
      await accounts.call('closeSession', { hash: secretHash(one) })
      assert.equal(await accounts.caller(one), null)
      assert.equal(await accounts.caller(two), 'bea via session')
      accounts.now += 1_000
      assert.equal(await accounts.caller(two), null)
      assert.equal(await accounts.caller('minga_session_invented'), null)
    })

    test('a session without a request for the idle time is closed for good', async () => {
      const ivo = await accounts.account('ivo')
      const [used, idle] = [await accounts.session(ivo), await accounts.session(ivo)]
      const show = (token: string, idleMs: number | null): Promise<unknown> =>
        accounts.call('findCaller', { hash: secretHash(token), idleMs })
      accounts.now += 500
      assert.notEqual(await show(idle, 501), null)
      assert.equal(await show(idle, 500), null)
      assert.equal(await show(idle, null), null)
      assert.notEqual(await show(used, null), null)
      const listed = { accountId: ivo.id, own: null }
      assert.equal((await accounts.call('listSessions', { ...listed, idleMs: 501 })).length, 1)
      assert.equal((await accounts.call('listSessions', { ...listed, idleMs: 500 })).length, 0)
    })

    test('the fifty-first session ends the oldest one', async () => {
      const many = await accounts.account('many')
      const tokens: string[] = []
      for (let i = 0; i < 51; i++) {
        accounts.now++
        tokens.push(await accounts.session(many))
      }
      assert.equal(await accounts.caller(tokens[0]!), null)
      assert.equal(await accounts.caller(tokens[1]!), 'many via session')
      assert.equal(await accounts.caller(tokens.at(-1)!), 'many via session')
    })

    test('a new password ends all sessions but the one it was set in', async () => {
      const eva = await accounts.account('eva')
      const [here, there] = [await accounts.session(eva), await accounts.session(eva)]
      const change = {
        id: eva.id,
        from: 'hash of eva',
        to: 'another hash',
        keepSession: secretHash(here),
      }
      await accounts.call('changePassword', change)
      assert.deepEqual(
        [await accounts.caller(here), await accounts.caller(there)],
        ['eva via session', null],
      )
      // The old password was checked before the change: for both calls that is too late.
      await assert.rejects(accounts.call('changePassword', change), refusedWith('MINGA_BAD_LOGIN'))
      await assert.rejects(accounts.session(eva), refusedWith('MINGA_BAD_LOGIN'))
      await accounts.call('renewPasswordHash', { id: eva.id, from: 'hash of eva', to: 'stale' })
      await accounts.session(eva, 'another hash')
    })

    test('two resets with the same token: only one wins, and its password is the one', async () => {
      const ida = await accounts.account('ida')
      const session = await accounts.session(ida)
      const hash = secretHash(newSecret('reset'))
      const expiresAt = accounts.now + 1_000
      await accounts.call('createReset', { hash, account: 'IDA', madeBy: 'operator', expiresAt })
      assert.equal((await accounts.call('findReset', { hash })).name, 'ida')
      const race = Array.from({ length: RACERS }, (_, i) =>
        accounts.call('consumeReset', { hash, passwordHash: `hash ${i}` }),
      )
      const ends = await Promise.allSettled(race)
      const winners = ends.flatMap(({ status }, i) => (status === 'fulfilled' ? [i] : []))
      assert.equal(winners.length, 1)
      for (const end of ends) {
        if (end.status === 'rejected') assert.ok(refusedWith('MINGA_RESET_INVALID')(end.reason))
      }
      const login = await accounts.call('findLogin', { name: 'ida' })
      assert.equal(login!.passwordHash, `hash ${winners[0]}`)
      assert.equal(await accounts.caller(session), null)
      await assert.rejects(accounts.call('findReset', { hash }), refusedWith('MINGA_RESET_INVALID'))
    })

    test('Auth, recovery: a reset expires, is overtaken by a newer one and cannot be made without an account', async () => {
      const { id } = await accounts.account('ugo')
      const reset = async (account: string): Promise<string> => {
        const hash = secretHash(newSecret('reset'))
        const expiresAt = accounts.now + 1_000
        await accounts.call('createReset', { hash, account, madeBy: 'operator', expiresAt })
        return hash
      }
      const first = await reset('ugo')
      const second = await reset(id)
      const use = (hash: string) => accounts.call('consumeReset', { hash, passwordHash: 'x' })
      await assert.rejects(use(first), refusedWith('MINGA_RESET_INVALID'))
      accounts.now += 1_000
      await assert.rejects(use(second), refusedWith('MINGA_RESET_INVALID'))
      await assert.rejects(reset('nobody'), refusedWith('MINGA_NO_SUCH_ACCOUNT'))
    })

    test('an id taken as a name does not catch the link of its owner', async () => {
      const real = await accounts.account('real')
      await accounts.account(real.id)
      const hash = secretHash(newSecret('reset'))
      const expiresAt = accounts.now + 1_000
      const args = { hash, account: real.id, madeBy: 'operator', expiresAt }
      assert.equal((await accounts.call('createReset', args)).name, 'real')
    })

    test('the operator has an account and a key after every start, and keeps the role', async () => {
      const keyHash = secretHash('the key of station.json')
      for (let start = 0; start < 3; start++) {
        const { isKeyUsable, newKey } = await accounts.call('ensureOperator', { keyHash })
        assert.deepEqual([isKeyUsable, newKey !== null], [true, start === 0])
      }
      assert.equal(await accounts.caller('the key of station.json'), 'operator via key')
      const none = { id: 'operator', roles: [] }
      await assert.rejects(accounts.call('setRoles', none), refusedWith('MINGA_OPERATOR_STAYS'))
      const [key] = await accounts.call('listKeys', { owner: 'operator', limit: 10 })
      await accounts.call('revokeKey', { id: key!.id, owner: 'operator' })
      assert.equal((await accounts.call('ensureOperator', { keyHash })).isKeyUsable, false)
      assert.equal(await accounts.caller('the key of station.json'), 'MINGA_KEY_REVOKED')
    })

    test('roles are given and taken, and count at the next call', async () => {
      const pia = await accounts.account('pia', [])
      const session = await accounts.session(pia)
      const given = await accounts.call('setRoles', { id: pia.id, roles: ['reader', 'reader'] })
      assert.deepEqual(given.roles, ['reader'])
      const caller = await accounts.call('findCaller', { hash: secretHash(session) })
      assert.deepEqual([caller!.roles, caller!.scopes], [['reader'], null])
      const nobody = { id: newId('acct'), roles: [] }
      await assert.rejects(accounts.call('setRoles', nobody), refusedWith('MINGA_NO_SUCH_ACCOUNT'))
    })

    test('accounts are listed in pages, oldest first, each once', async () => {
      const all = await accounts.call('listAccounts', { after: null, limit: 1_000 })
      const paged: string[] = []
      for (let after: string | null = null; ;) {
        const page: { id: string }[] = await accounts.call('listAccounts', { after, limit: 3 })
        paged.push(...page.map(({ id }) => id))
        if (page.length === 0) break
        after = page.at(-1)!.id
      }
      assert.deepEqual(
        paged,
        all.map(({ id }) => id),
      )
      assert.equal(new Set(paged).size, paged.length)
    })
  })
}
