// Goal: the form of a running collection asks for what was changed and nothing else. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionSpec } from '@minga/protocol'
import { changeOf, problemsOf, valuesOf } from './edit-form.ts'

const spec = collectionSpec.parse({
  seeds: ['http://a.test/'],
  exclude: ['/x/'],
  maxBytes: 1_500_000,
  delayMs: 250,
})

test('an untouched form changes nothing', () => {
  assert.deepEqual(changeOf(spec, valuesOf(spec)), {})
  assert.deepEqual(problemsOf(valuesOf(spec)), [])
})

test('only what was changed is asked for, in the units of the API', () => {
  const values = { ...valuesOf(spec), exclude: '/x/\n\n/y/', maxMinutes: '1,5', maxMegabytes: '' }
  assert.deepEqual(changeOf(spec, values), {
    exclude: ['/x/', '/y/'],
    maxTimeS: 90,
    maxBytes: null,
  })
})

test('impossible numbers are named by their field', () => {
  const values = { ...valuesOf(spec), delay: '', maxPages: '0', maxDepth: 'deep' }
  assert.deepEqual(problemsOf(values), ['delay', 'maxPages', 'maxDepth'])
})
