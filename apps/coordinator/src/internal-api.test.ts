// Goal: what the parts of a station say to each other cannot be said by anyone else. Method: every
// operation of the store and every call of agents, tried from outside with nothing and with the
// strongest credentials of the other side.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operations } from './operations.ts'
import { openStation, TOKENS } from '../test/station-fixture.ts'

const station = await openStation({ readOpenly: false })
await station.hello()

const OPERATOR = { authorization: `Bearer ${TOKENS.apiKey}` }
const AGENT = { authorization: `Bearer ${station.device.session}` }
const METHODS = ['GET', 'POST', 'PUT', 'DELETE'] as const

async function statusOf(
  method: (typeof METHODS)[number],
  url: string,
  headers: Record<string, string>,
): Promise<number> {
  const payload = method === 'GET' ? {} : { payload: {} }
  return (await station.inject({ method, url, headers, ...payload })).status
}

test('Internal API isolated: no operation of the store has an address, whatever one shows', async () => {
  const names = Object.keys(operations)
  assert.ok(names.length > 50)
  for (const name of names) {
    for (const path of [`/${name}`, `/store/${name}`, `/internal/${name}`, `/operations/${name}`]) {
      assert.equal(await statusOf('POST', path, OPERATOR), 404, path)
    }
  }
})

test('Internal API isolated: agents’ calls need an agent’s session, the API an account, neither takes the other', async () => {
  for (const call of ['ask', 'beat', 'results', 'goodbye', 'revoke']) {
    for (const headers of [{}, OPERATOR, { authorization: `Bearer ${TOKENS.joinToken}` }]) {
      assert.equal(await statusOf('POST', `/agent/${call}`, headers), 409, call)
    }
  }
  for (const path of ['/collections', '/captures', '/devices', '/batches', '/settings', '/me']) {
    for (const headers of [{}, AGENT, { authorization: `Bearer ${TOKENS.joinToken}` }]) {
      assert.equal(await statusOf('GET', `/api${path}`, headers), 401, path)
    }
  }
  assert.equal(await statusOf('GET', '/api/collections', OPERATOR), 200)
  assert.equal((await station.agent('beat', { progress: 1, fences: [] })).status, 200)
})

test('Internal API isolated: no path leads to the files of a station', async () => {
  for (const path of [
    '/station.json',
    '/minga.db',
    '/archive/',
    '/../station.json',
    '/%2e%2e/station.json',
    '/..%2fstation.json',
    '/api/../../station.json',
    '//station.json',
  ]) {
    const { status, body } = await station.inject({ url: path, headers: OPERATOR })
    assert.ok(status === 404 || status === 400, `${path} → ${status}`)
    assert.ok(!JSON.stringify(body).includes(TOKENS.joinToken))
  }
})
