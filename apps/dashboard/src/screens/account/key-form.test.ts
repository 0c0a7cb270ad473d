// Goal: a key has the rights and the life that were chosen. Method: forms and keys as plain values.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EMPTY_KEY, keyAsked, keyStateOf, scopesOffered } from './key-form.ts'
import type { ApiKey } from '../../api/station-api.ts'

test('a key without a name, or with some rights but none chosen, is not asked for', () => {
  assert.equal(keyAsked(EMPTY_KEY), null)
  assert.equal(keyAsked({ ...EMPTY_KEY, name: 'x', isNarrow: true }), null)
})

test('rights that lead to every other are not offered alone', () => {
  assert.deepEqual(scopesOffered(['keys:read', 'accounts:write', 'resets:make']), ['keys:read'])
})

test('rights that were chosen count only when the key is narrow', () => {
  const form = { ...EMPTY_KEY, name: ' x ', scopes: ['devices:read'] }
  assert.deepEqual(keyAsked(form), { name: 'x', scopes: null, lifetimeS: 7_776_000 })
  assert.deepEqual(keyAsked({ ...form, isNarrow: true, days: '' }), {
    name: 'x',
    scopes: ['devices:read'],
    lifetimeS: null,
  })
})

test('a key is open until it is replaced, expires or is revoked', () => {
  const key = { revokedAt: null, expiresAt: 100, replacedBy: null } as ApiKey
  assert.equal(keyStateOf(key, 99).word, 'open')
  assert.equal(keyStateOf(key, 100).word, 'expired')
  assert.equal(keyStateOf({ ...key, replacedBy: 'key_2' }, 99).word, 'replaced')
  assert.equal(keyStateOf({ ...key, revokedAt: 5 }, 100).word, 'revoked')
})
