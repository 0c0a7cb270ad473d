// Goal: no JSON body costs more time or memory than its list needs. Method: a server with nothing but the parser, and
// bodies around the limit.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { countValues, limitJsonValues } from './json-values.ts'

const count = (value: unknown): number => countValues(JSON.stringify(value), 1_000_000)

test('signs inside of texts are no values', () => {
  assert.equal(count([1, 2, 3]), 3)
  assert.equal(count({ a: [{ b: 1, c: 2 }], d: '' }), 5)
  assert.equal(count(['a,b,[{', '\\",,,"', '\\']), 3)
  assert.equal(countValues('["never closed,,,,', 10), 1)
  assert.equal(countValues('[[[[[[[[', 3), 4, 'it stops behind the limit')
})

test('a body with too many values is refused before it is parsed, a long list of texts is not', async (t) => {
  const app = Fastify({ bodyLimit: 8_000_000 })
  t.after(() => app.close())
  limitJsonValues(app)
  app.post('/', ({ body }) => ({ length: (body as unknown[]).length }))
  const send = (value: unknown) =>
    app.inject({
      method: 'POST',
      url: '/',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify(value),
    })
  const urls = Array.from({ length: 100_000 }, (_, n) => `https://a.test/?list=${n},1,2,3`)
  assert.deepEqual((await send(urls)).json(), { length: 100_000 })
  const refused = await send(Array.from({ length: 250_001 }, () => 0))
  assert.equal(refused.json<{ code: string }>().code, 'MINGA_BODY_TOO_LARGE')
  const empty = await app.inject({
    method: 'POST',
    url: '/',
    headers: { 'content-type': 'application/json' },
    payload: '{"a":',
  })
  assert.equal(empty.statusCode, 400)
})
