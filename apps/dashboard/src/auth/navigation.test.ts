// Goal: everybody is shown what they may do and nothing else. Method: rights as plain lists.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { areaOf, areasFor } from './navigation.ts'

const placesFor = (actions: string[] | null): string[] =>
  areasFor(actions).flatMap(({ screens }) => screens.map(({ to }) => to))

test('a visitor whom the station does not know sees what is open on its own machine', () => {
  assert.deepEqual(placesFor(null), [
    '/',
    '/collections',
    '/new',
    '/archive',
    '/captures',
    '/versions',
    '/watches',
    '/watch-groups',
    '/watch-budget',
    '/growth',
    '/wikis',
    '/join',
    '/leaderboard',
  ])
})

test('a volunteer sees devices and money, but no settings and no collections to start', () => {
  const actions = ['devices:read', 'join-tokens:write', 'ledger:read', 'keys:read']
  assert.deepEqual(placesFor(actions), ['/', '/devices', '/join', '/account', '/keys', '/money'])
})

test('an area without any screen for its visitor is not there', () => {
  assert.deepEqual(
    areasFor(['requests:read']).map(({ name }) => name),
    ['overview', 'requests', 'account'],
  )
})

test('load tests and the neutrality monitor are shown to those who may read them', () => {
  const actions = ['requests:read', 'load-tests:read', 'neutrality:read']
  assert.deepEqual(placesFor(actions), ['/', '/requests', '/load-tests', '/neutrality', '/account'])
  assert.ok(!placesFor(['requests:read']).includes('/load-tests'))
  assert.equal(areaOf(areasFor(actions), '/load-tests/load_1')?.name, 'requests')
})

test('a device belongs to the area of devices, and everything does not belong to the overview', () => {
  const areas = areasFor(['devices:read', 'settings:read'])
  assert.equal(areaOf(areas, '/devices/dev_1')?.name, 'volunteers')
  assert.equal(areaOf(areas, '/config')?.name, 'station')
  assert.equal(areaOf(areas, '/')?.name, 'overview')
  assert.equal(areaOf(areas, '/nowhere'), undefined)
})
