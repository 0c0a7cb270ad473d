// Goal: the gate accepts what its three requirements allow. Method: published figures of a
// university site, and others just past each bound.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eligibility } from './gate.ts'

/** A university site: 49 of 137 changes lost, megabytes, memory units. */
const UNET = {
  changes: 137,
  lost: 49,
  storedBytes: 779e6,
  fixedBytes: 2096e6,
  usedCapacity: 124,
  wholeCapacity: 9_229,
}

test('Eligibility gate: 35.8 % of changes lost passes, 51 % fails', () => {
  const gate = eligibility(UNET)
  assert.equal(gate.passes, true)
  assert.match(gate.requirements[0]!.text, /^35\.8 % of 137 changes were lost/)
  assert.match(gate.requirements[2]!.text, /^1\.3 %/)
  const failed = eligibility({ ...UNET, changes: 100, lost: 51 })
  assert.equal(failed.passes, false)
  assert.deepEqual(
    failed.requirements.map(({ holds }) => holds),
    [false, true, true],
  )
  assert.equal(eligibility({ ...UNET, changes: 100, lost: 50 }).passes, true)
})

test('Eligibility gate: storage and capacity are held to their bounds, and no changes lose none', () => {
  assert.equal(eligibility({ ...UNET, storedBytes: 2097e6 }).passes, false)
  assert.equal(eligibility({ ...UNET, usedCapacity: 462 }).passes, false)
  assert.equal(
    eligibility({ ...UNET, changes: 0, lost: 0, storedBytes: 0, fixedBytes: 0 }).passes,
    true,
  )
})
