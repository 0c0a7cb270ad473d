// Goal: commands that the page shows name an address that programs reach. Method: origins, one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { programOrigin } from './own-address.ts'

test('a name that browsers alone understand becomes the address of this machine', () => {
  assert.equal(programOrigin('http://minga.localhost:7700'), 'http://127.0.0.1:7700')
  for (const same of [
    'http://localhost:7700',
    'https://minga.example',
    'https://localhost.example',
  ]) {
    assert.equal(programOrigin(same), same)
  }
})
