// Goal: calls are written as the station reads them, and refusals are distinguished from failures.
// Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiFailure, isRefusal, isTriedAgain, queryOf } from './call.ts'

test('only what is there is asked for, and nothing breaks out of the query', () => {
  assert.equal(queryOf({}), '')
  assert.equal(queryOf({ after: null, limit: undefined }), '')
  assert.equal(queryOf({ limit: 0, everywhere: false }), '?limit=0&everywhere=false')
  assert.equal(queryOf({ account: 'a&b=c#d' }), '?account=a%26b%3Dc%23d')
})

test('an unknown caller and a missing right are refusals; a lost station is none', () => {
  const refusals = [401, 403, 404, 0].map((status) => isRefusal(new ApiFailure(status, 'X', '')))
  assert.deepEqual(refusals, [true, true, false, false])
  assert.equal(isRefusal(new Error('other')), false)
  assert.equal(isRefusal(null), false)
})

test('what was lost is asked for once more, and what the station answered is not', () => {
  const tried = [0, 404, 401, 429, 500].map((status) =>
    isTriedAgain(0, new ApiFailure(status, 'X', '')),
  )
  assert.deepEqual(tried, [true, false, false, false, true])
  assert.equal(isTriedAgain(0, new Error('the network is gone')), true)
  assert.equal(isTriedAgain(1, new Error('the network is gone')), false)
})
