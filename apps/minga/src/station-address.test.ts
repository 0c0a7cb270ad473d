// Goal: an operator is shown one address, the one that works, and no key. Method: the lines themselves.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { greeting, readyLine } from './station-address.ts'

const signIn = 'http://127.0.0.1:7700/#sign-in=abc'
const station = { url: 'http://127.0.0.1:7700', signIn }

test('on loopback one address is printed, which signs in; elsewhere also the one for everybody', () => {
  for (const listen of ['127.0.0.1', 'localhost', '::1']) {
    assert.equal(greeting(station, listen), `Minga is up at ${signIn}\n`)
  }
  assert.equal(greeting(station, '0.0.0.0').match(/http:/g)?.length, 2)
})

test('a demo ends with the address and how to stop it', () => {
  assert.equal(readyLine(station), `Ready: ${signIn} (Ctrl-C stops)\n`)
})
