// Goal: Minga's own choice is a table that anyone can read, complete, and never a policy that
// measured worse than `minga` (docs/experiments-revisit.md has the figures). Method: every
// combination is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { choosePolicy } from './choose.ts'
import { policyNamed } from './names.ts'

const KINDS = ['steady', 'rare', 'seasonal', 'without pattern'] as const

test('every class, gate and telling has a policy that exists, and a reason', () => {
  for (const kind of KINDS) {
    for (const isTold of [true, false]) {
      for (const passesGate of [true, false, null]) {
        const { policy, reason } = choosePolicy({ kind, isTold, passesGate })
        assert.equal(policyNamed(policy).name, policy)
        assert.match(reason, /^[a-z].{20,}[^.]$/)
      }
    }
  }
})

test('without signals the choice is minga, whatever the class and the gate', () => {
  for (const kind of KINDS) {
    for (const passesGate of [true, false, null]) {
      assert.equal(choosePolicy({ kind, isTold: false, passesGate }).policy, 'minga')
    }
  }
})

test('signalled changes are all followed where they can be, except for rare and rhythmic pages', () => {
  const chosen = (kind: (typeof KINDS)[number], passesGate: boolean | null): string =>
    choosePolicy({ kind, isTold: true, passesGate }).policy
  for (const kind of ['steady', 'without pattern'] as const) {
    assert.equal(chosen(kind, true), 'complete-observation')
    assert.equal(chosen(kind, false), 'minga')
    assert.equal(chosen(kind, null), 'minga')
  }
  for (const kind of ['rare', 'seasonal'] as const) assert.equal(chosen(kind, true), 'minga')
})
