// Goal: what the page asks becomes the address that the document names. Method: addresses are made and read.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOf } from './station.ts'

test('holes of an address are filled, and what is behind the question mark is left out when it is nothing', () => {
  assert.deepEqual(
    addressOf('GET /watches/{id}/urls', { params: { id: 7 }, query: { limit: 5 } }),
    ['GET', '/watches/7/urls?limit=5'],
  )
  assert.deepEqual(addressOf('GET /watches', { query: { owner: null } }), ['GET', '/watches'])
})

test('names that strangers chose stay in their place of the address', () => {
  const [, path] = addressOf('GET /tables/{name}', { params: { name: '../keys?x=1#y' } })
  assert.equal(path, '/tables/..%2Fkeys%3Fx%3D1%23y')
})
