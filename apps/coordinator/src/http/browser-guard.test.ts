// Goal: a page of another site cannot use a station through its reader's browser. Method: requests with
// the Host and Origin headers that browsers, rebinding names and programs send.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify, { type FastifyInstance } from 'fastify'
import { guardBrowsers } from './browser-guard.ts'

function station(...hostNames: string[]): FastifyInstance {
  const app = Fastify()
  guardBrowsers(app, new Set(hostNames))
  app.get('/', async () => ({}))
  return app
}

async function isLetIn(app: FastifyInstance, headers: Record<string, string>): Promise<boolean> {
  const { statusCode, body } = await app.inject({ url: '/', headers })
  if (statusCode !== 200) assert.match(body, /MINGA_NOT_ALLOWED/)
  return statusCode === 200
}

test('a station is called by its own names only, on any port and in any case', async () => {
  const app = station('127.0.0.1', 'localhost', '[::1]')
  for (const host of ['localhost', 'LocalHost:7700', '127.0.0.1:7700', '[::1]', '[::1]:7700']) {
    assert.equal(await isLetIn(app, { host }), true, host)
  }
  const strange = ['rebound.example', 'localhost.example', 'localhost@x', '127.0.0.2:7700', '::1']
  for (const host of strange) assert.equal(await isLetIn(app, { host }), false, host)
  await app.close()
})

test('a request of another origin is refused even under the right name', async () => {
  const app = station('localhost')
  const host = 'localhost:7700'
  assert.equal(await isLetIn(app, { host, origin: 'http://localhost:7700' }), true)
  for (const origin of ['http://localhost:7701', 'http://evil.example', 'null', '', 'localhost']) {
    assert.equal(await isLetIn(app, { host, origin }), false, origin)
  }
  await app.close()
})

test('a station that is open to the network has any name, but still its own origin', async () => {
  const app = station('*')
  assert.equal(await isLetIn(app, { host: 'crawler.example' }), true)
  const origin = 'https://evil.example'
  assert.equal(await isLetIn(app, { host: 'crawler.example', origin }), false)
  assert.equal(
    await isLetIn(app, { host: 'crawler.example', origin: 'https://crawler.example' }),
    true,
  )
  await app.close()
})
