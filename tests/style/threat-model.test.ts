// Goal: the threat model promises no test that is not there. Method: every row of its tables names files and tests, and
// these are looked for in the files.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findMissingTests, hasTest, readSections, tableRows } from './named-tests.ts'

const ACTORS = [
  'A web page',
  'A site owner',
  'A volunteer',
  'A client',
  'A reader',
  'A member station',
  'A local user',
  'The network',
]

test('each actor has a table, and each of its rows a threat, what stops it and a test that exists', () => {
  const sections = readSections('docs/threat-model.md')
  for (const actor of ACTORS) {
    const rows = tableRows(sections.get(actor) ?? '')
    assert.ok(rows.length > 3, `${actor} has no table`)
    assert.deepEqual(findMissingTests(rows), [])
  }
})

test('a test that is not there is found', () => {
  assert.equal(hasTest("test('a bomb costs 3 passes', () => {})", 'a bomb costs … passes'), true)
  assert.equal(hasTest("test('a bomb costs 3 passes', () => {})", 'a bomb costs'), false)
})
