import assert from 'node:assert/strict'
import { afterEach, beforeEach, mock, test } from 'node:test'
import { prefetch, takePrefetched } from './prefetch.ts'
import { ApiFailure, ask, call } from './call.ts'

const { fetch } = globalThis
let asked: string[] = []

beforeEach(() => {
  asked = []
  const empty = { getItem: () => null }
  Object.assign(globalThis, { sessionStorage: empty, localStorage: empty })
})
afterEach(() => {
  globalThis.fetch = fetch
  mock.restoreAll()
})

function answerWith(answer: (path: string) => Promise<Response>): void {
  globalThis.fetch = (async (path: string) => {
    asked.push(path)
    return answer(path)
  }) as typeof globalThis.fetch
}

test('what was asked ahead is not asked again, and the second time it is', async () => {
  answerWith(async () => Response.json({ number: asked.length }))
  prefetch(['/me'])
  assert.deepEqual(await call('GET', '/me'), { number: 1 })
  assert.deepEqual(await call('GET', '/me'), { number: 2 })
  assert.deepEqual(asked, ['/api/me', '/api/me'])
})

test('an act is never taken for a question of the same address', async () => {
  answerWith(async () => Response.json({}))
  prefetch(['/me'])
  await ask('DELETE', '/me')
  assert.equal(asked.length, 2)
  assert.ok(takePrefetched('/me'))
})

test('a failed prefetch reports that the station could not be reached, as any request does', async () => {
  answerWith(() => Promise.reject(new TypeError('failed to fetch')))
  prefetch(['/snapshot'])
  await assert.rejects(ask('GET', '/snapshot'), (error) => {
    assert.ok(error instanceof ApiFailure)
    return error.code === 'MINGA_STATION_UNREACHABLE'
  })
  assert.equal(asked.length, 1)
})

test('a refusal ahead is the refusal that the screen shows', async () => {
  const refusal = { error: { code: 'MINGA_FORBIDDEN', message: 'No.' } }
  answerWith(async () => Response.json(refusal, { status: 403 }))
  prefetch(['/snapshot'])
  await assert.rejects(ask('GET', '/snapshot'), { status: 403, code: 'MINGA_FORBIDDEN' })
})
