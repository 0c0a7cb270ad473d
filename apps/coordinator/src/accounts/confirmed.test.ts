// Goal: a stolen session or key becomes nothing that outlasts it. Method: a station on a virtual clock, and thieves.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ApiKey } from '@minga/fleet'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { TOKENS } from '../../test/station-fixture.ts'
import { openPeople, PASSWORD } from '../../test/accounts/people-fixture.ts'

const MINUTE_MS = 60_000
const NEXT = 'another llama crosses the river'

for (const engine of ENGINES) {
  describe(`What takes the password again on ${engine.name}`, { skip: engine.skip }, () => {
    test('an old session makes no keys of operators, no operators and no reset links until it shows the password', async () => {
      const people = await openPeople({ engine })
      const { id, token } = await people.person('boss', 'operator')
      const { id: other } = await people.account('other', ['reader'])
      const { key } = await people.key(token)
      const account = { name: 'second', password: PASSWORD, roles: ['operator'] }
      const acts = [
        ['/keys', { name: 'mine' }],
        [`/keys/${key.id}/rotate`, {}],
        ['/accounts', account],
        [`/accounts/${other}/roles`, { roles: ['operator'] }],
        ['/resets', { account: id }],
      ] as const
      await people.station.clock.advance(11 * MINUTE_MS)
      for (const [path, body] of acts) {
        const said = await people.outcome(token, 'POST', path, body)
        assert.equal(said, '403 MINGA_CONFIRM_PASSWORD', path)
      }
      const wrong = { password: NEXT }
      const refused = await people.outcome(token, 'POST', '/sessions/confirm', wrong)
      assert.equal(refused, '401 MINGA_BAD_LOGIN')
      await people.ok(token, 'POST', '/sessions/confirm', { password: PASSWORD })
      for (const [path, body] of acts) await people.ok(token, 'POST', path, body)
      // What is of less weight, and programs, are not asked.
      await people.station.clock.advance(11 * MINUTE_MS)
      await people.ok(token, 'POST', `/accounts/${other}/roles`, { roles: ['reader'] })
      await people.ok(TOKENS.apiKey, 'POST', '/keys', { name: 'a program' })
      const reader = await people.logIn('other')
      await people.station.clock.advance(11 * MINUTE_MS)
      await people.key(reader)
    })

    test('keys end with the password, but for that of station.json', async () => {
      const people = await openPeople({ engine })
      const { id, token } = await people.person('ana', 'reader')
      const { secret } = await people.key(token)
      const change = { current: PASSWORD, next: NEXT }
      await people.ok(token, 'POST', '/me/password', change)
      assert.equal(await people.outcome(secret, 'GET', '/me'), '401 MINGA_KEY_REVOKED')
      const { secret: second } = await people.key(token)
      const reset = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', {
        account: id,
      })
      await people.ok(null, 'POST', '/resets/use', { token: reset.token, password: PASSWORD })
      assert.equal(await people.outcome(second, 'GET', '/me'), '401 MINGA_KEY_REVOKED')
      const own = await people.ok<{ token: string }>(TOKENS.apiKey, 'POST', '/resets', {
        account: 'operator',
      })
      await people.ok(null, 'POST', '/resets/use', { token: own.token, password: PASSWORD })
      await people.ok(TOKENS.apiKey, 'GET', '/me')
    })

    test('a key ends with the key that made it, and neither rotating nor another key makes it last longer', async () => {
      const people = await openPeople({ engine })
      const { token } = await people.person('ana', 'reader')
      const make = async (by: string, lifetimeS: number | null) =>
        people.ok<{ key: ApiKey; secret: string }>(by, 'POST', '/keys', { name: 'k', lifetimeS })
      const lasting = await make(token, null)
      const brief = await make(token, 3_600)
      const end = brief.key.expiresAt!
      await people.station.clock.advance(30 * MINUTE_MS)
      for (const { key } of [lasting, brief]) {
        const path = `/keys/${key.id}/rotate`
        const rotated = await people.ok<{ key: ApiKey }>(brief.secret, 'POST', path, {})
        assert.equal(rotated.key.expiresAt, end)
      }
      const parent = await make(token, null)
      const child = await make(parent.secret, null)
      const grandchild = await make(child.secret, null)
      const successor = await people.ok<{ key: ApiKey; secret: string }>(
        token,
        'POST',
        `/keys/${parent.key.id}/rotate`,
        { graceS: 0 },
      )
      await people.ok(grandchild.secret, 'GET', '/me')
      await people.ok(token, 'DELETE', `/keys/${successor.key.id}`)
      for (const { secret } of [successor, child, grandchild]) {
        assert.equal(await people.outcome(secret, 'GET', '/me'), '401 MINGA_KEY_REVOKED')
      }
    })
  })
}
