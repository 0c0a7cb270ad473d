// Goal: naming the fake web's addresses changes what a host is called and nothing else.
// Method: addresses and URLs there and back, and hosts that are none of ours.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressOfName, hostHeaderOf, namedUrl } from './bench-names.ts'

test('an address gets a domain of its own and is found again by it', () => {
  assert.equal(
    namedUrl('http://127.0.8.5:8080/p/3?a=1'),
    'http://bench-127-0-8-5.test:8080/p/3?a=1',
  )
  assert.equal(addressOfName('bench-127-0-8-5.test'), '127.0.8.5')
})

test('the web is asked by address, port included, whichever way its host is called', () => {
  assert.equal(hostHeaderOf('http://bench-127-0-8-5.test:8080/p/3'), '127.0.8.5:8080')
  assert.equal(hostHeaderOf('http://bench-127-0-8-5.test/p/3'), '127.0.8.5')
  assert.equal(hostHeaderOf('http://127.0.8.5:8080/p/3'), '127.0.8.5:8080')
})

test('other hosts keep their names and have no address here', () => {
  assert.equal(namedUrl('http://h1.fake.test/p/0'), 'http://h1.fake.test/p/0')
  assert.equal(addressOfName('bench-10-0-0-1.test'), undefined)
  assert.equal(addressOfName('localhost'), undefined)
})
