// Goal: an operator is shown one address, the one that works. Method: the lines themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting, readyLine } from './station-address.ts'

const station = { url: 'http://127.0.0.1:7700', apiKey: 'abc' }

test('on loopback one address is printed, with the key; elsewhere also the one for everybody', () => {
  for (const listen of ['127.0.0.1', 'localhost', '::1']) {
    assert.equal(greeting(station, listen), 'Minga is up at http://127.0.0.1:7700/#key=abc\n')
  }
  assert.equal(greeting(station, '0.0.0.0').match(/http:/g)?.length, 2)
})

test('a demo ends with the address and how to stop it', () => {
  assert.equal(readyLine(station), 'Ready: http://127.0.0.1:7700/#key=abc (Ctrl-C stops)\n')
})
