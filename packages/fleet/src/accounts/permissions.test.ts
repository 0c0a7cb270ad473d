// Goal: every change of rights is visible in its review. Method: the whole matrix drawn as text and
// compared with the one below, and rules that hold for every role and action.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  ACTIONS,
  actionsOf,
  isAction,
  isRole,
  OPEN_ON_LOOPBACK,
  reachOf,
  ROLES,
  SELF_ROLES,
  type Action,
} from './permissions.ts'

const MATRIX = `
                    operator  owner     collector reader    client    volunteer
collections:read    all       all       all       all       -         -
collections:write   all       -         own       -         -         -
captures:read       all       all       all       all       -         -
watches:read        all       all       all       all       -         -
watches:write       all       -         own       -         -         -
archive:index       all       -         all       -         -         -
archive:import      all       -         -         -         -         -
archive:takedown    all       -         -         -         -         -
policies:write      all       all       -         -         -         -
requests:send       all       -         own       -         own       -
requests:read       all       -         own       -         own       -
load-tests:read     all       -         own       -         own       -
load-tests:write    all       -         own       -         own       -
neutrality:read     all       -         own       -         own       -
neutrality:write    all       -         own       -         own       -
tables:read         all       own       own       own       own       -
tables:write        all       -         own       -         own       -
queries:read        all       own       own       own       own       -
queries:run         all       own       own       own       own       -
workers:run         all       -         -         -         -         -
devices:read        all       -         -         -         -         own
devices:write       all       -         -         -         -         own
devices:judge       all       -         -         -         -         -
join-tokens:read    all       -         -         -         -         own
join-tokens:write   all       -         -         -         -         own
ledger:read         all       all       own       -         own       own
budgets:write       all       all       -         -         -         -
abuse:read          all       all       -         -         -         -
abuse:write         all       -         -         -         -         -
events:read         all       all       -         -         -         -
settings:read       all       all       -         -         -         -
settings:write      all       -         -         -         -         -
federation:read     all       all       -         -         -         -
federation:write    all       -         -         -         -         -
accounts:read       all       all       -         -         -         -
accounts:write      all       -         -         -         -         -
resets:make         all       -         -         -         -         -
keys:read           all       own       own       own       own       own
keys:write          all       own       own       own       own       own
`

const CELL = 10

function drawn(): string {
  const cells = (texts: readonly string[]): string =>
    texts.map((text) => text.padEnd(CELL)).join('')
  const line = (name: string, texts: readonly string[]): string =>
    `${name.padEnd(2 * CELL)}${cells(texts)}`.trimEnd()
  const rows = ACTIONS.map((action) =>
    line(
      action,
      ROLES.map((role) => reachOf([role], action) ?? '-'),
    ),
  )
  return `\n${[line('', ROLES), ...rows].join('\n')}\n`
}

test('Roles: the permission matrix is exactly this one', () => {
  assert.equal(drawn(), MATRIX)
})

test('more roles never take a right away, and no role gives none', () => {
  const order = [null, 'own', 'all']
  fc.assert(
    fc.property(
      fc.subarray([...ROLES]),
      fc.constantFrom(...ROLES),
      fc.constantFrom(...ACTIONS),
      (roles, another, action) => {
        const before = order.indexOf(reachOf(roles, action))
        assert.ok(order.indexOf(reachOf([...roles, another], action)) >= before)
        assert.equal(reachOf([], action), null)
      },
    ),
  )
})

test('who registers alone cannot change what others see, send requests or touch money', () => {
  const rights = actionsOf(SELF_ROLES)
  const wide = rights.filter((action) => reachOf(SELF_ROLES, action) === 'all')
  assert.deepEqual(wide, [...OPEN_ON_LOOPBACK])
  for (const action of ['requests:send', 'budgets:write'] satisfies Action[]) {
    assert.ok(!rights.includes(action))
  }
})

test('names that every object has are neither actions nor roles', () => {
  for (const text of ['constructor', '__proto__', 'toString', '', 'operator ']) {
    assert.deepEqual([isAction(text), isRole(text)], [false, false])
  }
})
