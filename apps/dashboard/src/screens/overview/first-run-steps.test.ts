// Goal: the first steps are ticked by what the station really has, never by having been looked at. Method: plain cases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { doneSteps, seedOf } from './first-run-steps.ts'

const NOTHING = { collections: 0, devices: undefined, queries: undefined, hasAsked: false }

test('an empty station has done none of the first steps', () => {
  assert.deepEqual([...doneSteps(NOTHING)], [])
})

test('the agent that came with the station is no volunteer, one that was invited is', () => {
  const own = { isTrusted: true }
  assert.ok(!doneSteps({ ...NOTHING, devices: [own] }).has('invite'))
  assert.ok(doneSteps({ ...NOTHING, devices: [own, { isTrusted: false }] }).has('invite'))
})

test('an import is no question, a query or an answer in this browser is', () => {
  assert.ok(!doneSteps({ ...NOTHING, queries: [{ kind: 'import' }] }).has('ask'))
  assert.ok(doneSteps({ ...NOTHING, queries: [{ kind: 'query' }] }).has('ask'))
  assert.ok(doneSteps({ ...NOTHING, hasAsked: true }).has('ask'))
})

test('a name without a scheme is an address of the web, and what is no web address is none', () => {
  assert.equal(seedOf(' example.org/docs '), 'https://example.org/docs')
  assert.equal(seedOf('http://127.0.0.1:8080/'), 'http://127.0.0.1:8080/')
  assert.equal(seedOf('javascript:alert(1)'), null)
  assert.equal(seedOf('ftp://example.org/'), null)
  assert.equal(seedOf(''), null)
})
