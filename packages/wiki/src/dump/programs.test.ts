// Goal: a program that unpacks what strangers wrote learns nothing of the station that starts it. Method: a
// real program that prints its environment.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { machinePrograms } from './programs.ts'

test('an unpacking program gets the path of programs, and no other variable of the station', async () => {
  assert.ok(Object.keys(process.env).length > 1)
  assert.equal(await machinePrograms.find(['no-such-program', 'env']), 'env')
  const pieces: Buffer[] = []
  for await (const piece of machinePrograms.run('env', [], null)) pieces.push(piece)
  assert.equal(String(Buffer.concat(pieces)), `PATH=${process.env['PATH']}\n`)
})
