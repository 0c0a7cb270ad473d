// Goal: people read who they are and what they may still request. Method: a whole station, asked by people with accounts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Account } from '@minga/fleet'
import { openPeople } from '../test/accounts/people-fixture.ts'

test('callers get their rights and the name they chose for the leaderboard', async () => {
  const people = await openPeople()
  const { id, token } = await people.person('ana', 'volunteer')
  await people.ok(token, 'POST', '/me/board-name', { name: 'Ana of the hills' })
  const me = await people.ok<{ account: Account; actions: string[]; boardName: string }>(
    token,
    'GET',
    '/me',
  )
  assert.deepEqual(Object.keys(me).toSorted(), ['account', 'actions', 'boardName', 'email', 'via'])
  assert.equal(me.account.id, id)
  assert.equal(me.boardName, 'Ana of the hills')
  assert.ok(me.actions.includes('devices:read') && !me.actions.includes('devices:judge'))
})

test('a quota that was never set has no limits, one that was set says what is left', async () => {
  const people = await openPeople()
  const { id, token } = await people.person('cliff', 'client')
  const none = { openMax: null, dayMax: null, open: 0, usedToday: 0 }
  assert.deepEqual(await people.ok(token, 'GET', '/quota'), none)
  const operator = await people.person('otto', 'operator')
  const limits = { openMax: 5, dayMax: 50 }
  await people.ok(operator.token, 'POST', `/accounts/${id}/quota`, limits)
  await people.ok(operator.token, 'POST', `/accounts/${id}/top-up`, { micros: 1_000_000 })
  const urls = ['http://a.test/1', 'http://a.test/2']
  await people.ok(token, 'POST', '/batches', { urls })
  const used = { ...limits, open: 2, usedToday: 2 }
  assert.deepEqual(await people.ok(token, 'GET', '/quota'), used)
  assert.deepEqual(await people.ok(operator.token, 'GET', `/quota?account=${id}`), used)
  // Others' accounts are not theirs to name.
  assert.deepEqual(await people.ok(token, 'GET', `/quota?account=${operator.id}`), used)
})
