// Goal: no body of another station keeps the main loop from others. Method: hand-made bodies.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { z } from 'zod'
import { StationCallRefused } from '../errors.ts'
import { packJson, unpackJson } from './packed-json.ts'

test('a body of more values than any call has is refused before it is parsed', () => {
  const graph = Array.from({ length: 100_000 }, (_, i) => ({ host: 'a.test', pages: i, links: 1 }))
  assert.deepEqual(unpackJson(packJson(graph), z.unknown()), graph)
  const zeros = packJson(Array.from({ length: 4_000_000 }, () => 0))
  assert.throws(() => unpackJson(zeros, z.unknown()), StationCallRefused)
})

test('what is no packed JSON is refused', () => {
  assert.throws(() => unpackJson(Buffer.from('no frame'), z.unknown()), StationCallRefused)
})
