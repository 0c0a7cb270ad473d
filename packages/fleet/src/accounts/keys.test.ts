// Goal: an API key opens what it should, as long as it should. Method: keys made, rotated, revoked
// and raced for on both databases, with time that the test moves.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { openAccounts, refusedWith } from '../../test/accounts/accounts-fixture.ts'
import type { RotateKeyArgs } from './keys.ts'
import { newId, newSecret, secretHash } from './secrets.ts'

const MINUTE_MS = 60_000

for (const engine of ENGINES) {
  describe(`API keys on ${engine.name}`, { skip: engine.skip }, async () => {
    const accounts = await openAccounts(engine)
    const ana = await accounts.account('ana')
    const ben = await accounts.account('ben')

    const rotate = async (id: string, changes: Partial<RotateKeyArgs> = {}) => {
      const secret = newSecret('key')
      const key = await accounts.call('rotateKey', {
        id,
        owner: ana.id,
        newId: newId('key'),
        newHash: secretHash(secret),
        graceMs: 1_000,
        scopesWithin: null,
        shownKey: null,
        ...changes,
      })
      return { key, secret }
    }

    test('only the hash of a key is stored, and its use is noted once a minute', async () => {
      const { key, secret } = await accounts.key(ana)
      const rows = await accounts.store.call('query', {
        text: 'SELECT * FROM api_keys',
        params: [],
      })
      assert.ok(!JSON.stringify(rows).includes(secret))
      const usedAt = async (): Promise<number | null> => {
        assert.equal(await accounts.caller(secret), 'ana via key')
        const keys = await accounts.call('listKeys', { owner: ana.id, limit: 10 })
        return keys.find(({ id }) => id === key.id)!.lastUsedAt
      }
      assert.equal(key.lastUsedAt, null)
      const first = accounts.now
      assert.equal(await usedAt(), first)
      accounts.now += MINUTE_MS - 1
      assert.equal(await usedAt(), first)
      accounts.now += 1
      assert.equal(await usedAt(), first + MINUTE_MS)
    })

    test('Client credentials: a key opens until it expires or is revoked, and says which', async () => {
      const lasting = await accounts.key(ana)
      const short = await accounts.key(ana, { expiresAt: accounts.now + 1_000 })
      assert.equal(await accounts.caller(short.secret), 'ana via key')
      accounts.now += 1_000
      assert.equal(await accounts.caller(short.secret), 'MINGA_KEY_EXPIRED')
      await accounts.call('revokeKey', { id: lasting.key.id, owner: ana.id })
      await accounts.call('revokeKey', { id: lasting.key.id, owner: ana.id })
      assert.equal(await accounts.caller(lasting.secret), 'MINGA_KEY_REVOKED')
      assert.equal(await accounts.caller(`${lasting.secret}x`), null)
    })

    test('a rotated key opens together with the new one through its grace period, then no more', async () => {
      const old = await accounts.key(ana, {
        scopes: ['requests:send'],
        expiresAt: accounts.now + 10_000,
      })
      accounts.now += 100
      const { key, secret } = await rotate(old.key.id)
      const { name, scopes, expiresAt } = key
      assert.deepEqual(
        [name, scopes, expiresAt],
        ['a program', ['requests:send'], accounts.now + 10_000],
      )
      const both = async () => [await accounts.caller(old.secret), await accounts.caller(secret)]
      assert.deepEqual(await both(), ['ana via key', 'ana via key'])
      accounts.now += 1_000
      assert.deepEqual(await both(), ['MINGA_KEY_EXPIRED', 'ana via key'])
    })

    test('a rotation does not lengthen the life of a key that is about to expire', async () => {
      const old = await accounts.key(ana, { expiresAt: accounts.now + 10 })
      await rotate(old.key.id)
      accounts.now += 10
      assert.equal(await accounts.caller(old.secret), 'MINGA_KEY_EXPIRED')
    })

    test('of many that rotate one key together, one makes its successor', async () => {
      const old = await accounts.key(ana)
      const ends = await Promise.allSettled(Array.from({ length: 20 }, () => rotate(old.key.id)))
      assert.equal(ends.filter(({ status }) => status === 'fulfilled').length, 1)
      for (const end of ends) {
        if (end.status === 'rejected') assert.ok(refusedWith('MINGA_KEY_REPLACED')(end.reason))
      }
    })

    test('a revoked, expired or unknown key cannot be rotated', async () => {
      const gone = await accounts.key(ana)
      await accounts.call('revokeKey', { id: gone.key.id, owner: ana.id })
      await assert.rejects(rotate(gone.key.id), refusedWith('MINGA_KEY_REVOKED'))
      const late = await accounts.key(ana, { expiresAt: accounts.now })
      await assert.rejects(rotate(late.key.id), refusedWith('MINGA_KEY_EXPIRED'))
      await assert.rejects(rotate('key_0'), refusedWith('MINGA_NO_SUCH_KEY'))
    })

    test('a key with few rights cannot fetch itself one with many, but can replace itself', async () => {
      const wide = await accounts.key(ana)
      const narrow = await accounts.key(ana, { scopes: ['keys:write'] })
      const shown = { scopesWithin: ['keys:write'] as const, shownKey: narrow.key.id }
      await assert.rejects(rotate(wide.key.id, shown), refusedWith('MINGA_BAD_SCOPE'))
      const { key } = await rotate(narrow.key.id, shown)
      assert.deepEqual(key.scopes, ['keys:write'])
    })

    test("another's key looks like none, except to those who may see all", async () => {
      const { key } = await accounts.key(ben)
      const { id } = key
      await assert.rejects(rotate(id), refusedWith('MINGA_NO_SUCH_KEY'))
      const revoke = (owner: string | null) => accounts.call('revokeKey', { id, owner })
      await assert.rejects(revoke(ana.id), refusedWith('MINGA_NO_SUCH_KEY'))
      const own = await accounts.call('listKeys', { owner: ana.id, limit: 100 })
      assert.ok(!own.some((one) => one.id === id))
      assert.equal((await revoke(null)).revokedAt, accounts.now)
    })

    test('an account has a hundred keys in use at most, however many are made together', async () => {
      const eager = await accounts.account('eager')
      for (let made = 0; made < 95; made++) await accounts.key(eager)
      const race = await Promise.allSettled(Array.from({ length: 20 }, () => accounts.key(eager)))
      assert.equal(race.filter(({ status }) => status === 'fulfilled').length, 5)
      for (const end of race) {
        if (end.status === 'rejected') assert.ok(refusedWith('MINGA_TOO_MANY_KEYS')(end.reason))
      }
    })
  })
}
