// Goal: an answer that differs from the document is found, and its place reported. Method: a
// document of one shape each.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ApiAnswers } from './api-answers.ts'

const json = (schema: object) => ({
  responses: { 200: { content: { 'application/json': { schema } } } },
})
const answers = new ApiAnswers({
  components: {
    schemas: {
      Host: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          state: { enum: ['open', 'closed'] },
          seen: { anyOf: [{ type: 'null' }, { type: 'number' }] },
          by: { type: 'object', additionalProperties: { type: 'number' } },
        },
        required: ['name', 'state', 'seen'],
      },
    },
  },
  paths: {
    '/api/hosts': { get: json({ type: 'array', items: { $ref: '#/components/schemas/Host' } }) },
    '/api/hosts/{name}': { get: json({ $ref: '#/components/schemas/Host' }) },
    '/api/hosts/pair': {
      get: json({ type: 'array', prefixItems: [{ type: 'string' }, { const: 1 }], items: false }),
    },
  },
})
const whole = { name: 'a', state: 'open', seen: null }
const look = (path: string, body: unknown) =>
  answers.misfits({ method: 'get', path, status: 200, body })

test('an answer as the document says has no misfits', () => {
  assert.deepEqual(look('/api/hosts?limit=1', [whole, { ...whole, seen: 3, by: { x: 1 } }]), [])
  assert.deepEqual(look('/api/hosts/a', whole), [])
  assert.deepEqual(look('/api/hosts/pair', ['a', 1]), [])
})

test('a missing, unknown or mistyped value is reported with its place', () => {
  assert.deepEqual(
    look('/api/hosts', [whole, { name: 'b', state: 'shut', seen: 'now', more: 1 }]),
    [
      '[1].state is "shut", not ["open","closed"]',
      '[1].seen is "now", which is none of 2 forms',
      '[1].more is not in the document',
    ],
  )
  assert.deepEqual(look('/api/hosts/a', { state: 'open', seen: null }), ['.name is absent'])
  assert.deepEqual(look('/api/hosts/a', { ...whole, by: { x: 'y' } }), [
    '.by.x is "y", not "number"',
  ])
  assert.deepEqual(look('/api/hosts/pair', ['a', 2]), ['[1] is 2, not 1'])
})

test('an address that the document does not know is distinguished from one that fits', () => {
  assert.equal(look('/api/nothing', {}), null)
})
