// Goal: every refusal of the server has one form, a stable code and a sentence, and no answer is another
// program's page. Method: malformed requests to the whole server, some over a real socket and TLS.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request as httpsRequest } from 'node:https'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../packages/store/test/contract-engines.ts'
import { createServer } from './server.ts'
import { assertRefused, openStation, TOKENS, UPLOAD_TYPE } from '../test/station-fixture.ts'

const station = await openStation()
const key = { authorization: `Bearer ${TOKENS.apiKey}` }
const post = { method: 'POST', url: '/api/collections' } as const

test('malformed JSON, a wrong type and no body are refused with a sentence', async () => {
  const json = { ...key, 'content-type': 'application/json' }
  for (const payload of ['{"seeds":', 'seeds', '', '{"__proto__":{}}']) {
    const said = await station.inject({ ...post, headers: json, payload })
    assertRefused(said, '400 MINGA_BAD_MESSAGE', /\w+ \w+ \w+/)
  }
  const form = { ...key, 'content-type': 'application/x-www-form-urlencoded' }
  const said = await station.inject({ ...post, headers: form, payload: 'seeds=x' })
  assertRefused(said, '415 MINGA_BAD_MESSAGE', /Media Type/i)
  assertRefused(
    await station.inject({ ...post, headers: key }),
    '400 MINGA_BAD_MESSAGE',
    /not of the form expected here/,
  )
})

test('a message that breaks several rules gets an error that lists all of them, by field', async () => {
  const said = await station.post('/collections', { seeds: [''], scope: 'world', maxPages: -1 })
  assertRefused(said, '400 MINGA_BAD_MESSAGE', /seeds\.0: .*; scope: .*; maxPages: /)
})

test('a body that announces more than the station takes is refused before it is sent', async () => {
  await station.hello()
  await station.app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = station.app.server.address() as { port: number }
  const socket = connect(port, '127.0.0.1')
  socket.write(
    [
      'POST /agent/results HTTP/1.1',
      'Host: localhost',
      `Authorization: Bearer ${station.device.session}`,
      `Content-Type: ${UPLOAD_TYPE}`,
      `Content-Length: ${256 * 1024 * 1024 + 1}`,
      '\r\n',
    ].join('\r\n'),
  )
  const [answer] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  assert.match(String(answer), /^HTTP\/1\.1 413 /)
  assert.match(String(answer), /"code":"MINGA_BODY_TOO_LARGE","message":".*exceeds/)
})

test('a refusal is JSON where the answer would have been lines of JSON', async () => {
  const url = '/api/wikis/none/history?pageId=0'
  const refused = await station.app.inject({ url, headers: { host: 'localhost', ...key } })
  assert.equal(refused.headers['content-type'], 'application/json; charset=utf-8')
  const said = { status: refused.statusCode, body: refused.json() }
  assertRefused(said, '404 MINGA_NO_SUCH_WIKI', /no wiki "none"/)
})

test('an address that the station does not have is refused in the same form', async () => {
  for (const url of ['/api/nothing', '/api', '/nothing', '/api/collections/1/explode']) {
    assertRefused(await station.inject({ url }), '404 MINGA_BAD_MESSAGE', new RegExp(url))
  }
  const wrongVerb = await station.inject({
    method: 'DELETE',
    url: '/api/collections',
    headers: key,
  })
  assertRefused(wrongVerb, '404 MINGA_BAD_MESSAGE', /DELETE/)
})

test('with a page, unknown addresses of the API are still no pages', async () => {
  const folder = join(temporaryFolder(), 'page')
  mkdirSync(folder)
  writeFileSync(join(folder, 'index.html'), '<p>the page')
  const { app } = await openStation({ pageFolder: folder })
  const get = (url: string) => app.inject({ url, headers: { host: 'localhost' } })
  assert.equal((await get('/collections/3')).body, '<p>the page')
  assert.equal((await get('/../station.json')).statusCode, 404)
  for (const url of ['/api/nothing', '/api', '/api/']) {
    const { statusCode, body } = await get(url)
    assert.equal(statusCode, 404)
    assert.match(body, /"code":"MINGA_BAD_MESSAGE"/)
  }
  assert.equal((await get('/agent/nothing')).statusCode, 404)
})

test('an unexpected error is a 500 with its code, reported on stderr once and not at every retry', async (t) => {
  const said: string[] = []
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0)
  const own = await openStation()
  await own.store.close()
  for (let tries = 0; tries < 3; tries++) {
    const answer = await own.get('/collections')
    assertRefused(answer, '503 MINGA_STORE_UNAVAILABLE', /it was closed/)
  }
  assert.equal(said.filter((text) => text.includes('MINGA_STORE_UNAVAILABLE')).length, 1)
})

test('only the operator sees the cause of an unforeseen error', async (t) => {
  const said: string[] = []
  t.mock.method(process.stderr, 'write', (text: string) => said.push(text) > 0)
  const own = await openStation()
  own.app.get('/fails', () => {
    throw new Error('no such file: the diary of ana')
  })
  const answer = await own.inject({ url: '/fails' })
  assertRefused(answer, '500 MINGA_INTERNAL', /^The station failed with an unexpected error/)
  assert.match(said.join(''), /no such file: the diary of ana \(MINGA_INTERNAL\)/)
})

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false

test('with a certificate the station speaks TLS only', { skip: noOpenssl }, async () => {
  const folder = temporaryFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const options = '-x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=localhost -keyout'.split(' ')
  execFileSync('openssl', ['req', ...options, keyFile, '-out', certFile], { stdio: 'ignore' })
  const alerts = { settled: async () => {} }
  const bare = { tokens: TOKENS, hostNames: new Set(['localhost']), pageFolder: null, live: null }
  const rates = { take: () => undefined }
  const settings = { current: () => ({}) }
  const parts = { ...bare, alerts, wikis: {}, rates, settings }
  const app = await createServer({ ...parts, tls: { certFile, keyFile } } as never)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const call = httpsRequest({ port, rejectUnauthorized: false, headers: { host: 'localhost' } })
  call.end()
  const [response] = (await once(call, 'response')) as [{ statusCode: number }]
  assert.equal(response.statusCode, 404)
  await app.close()
})
