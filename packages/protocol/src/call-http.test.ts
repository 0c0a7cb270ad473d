// Goal: a call ends with a whole answer or with an error. Method: a real server that answers, breaks off and waits.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { callHttp } from './call-http.ts'

async function describeRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = Buffer.concat((await request.toArray()) as Buffer[]).toString()
  const { method, headers } = request
  response.writeHead(418, { 'x-seen': 'yes' })
  response.end(JSON.stringify({ method, body, key: headers['x-key'] }))
}

let server: Server
let url = ''

before(async () => {
  server = createServer((request, response) => {
    if (request.url === '/cut') {
      response.writeHead(200, { 'content-length': '10' }).write('half')
      setTimeout(() => response.destroy(), 20)
    } else if (request.url !== '/wait') {
      void describeRequest(request, response)
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
after(() => {
  server.closeAllConnections()
  server.close()
})

test('method, headers and body arrive, and any status is an answer', async () => {
  const call = { url: `${url}/`, method: 'PUT', headers: { 'x-key': 'k' }, body: 'grün' }
  const answer = await callHttp(call)
  assert.equal(answer.status, 418)
  assert.equal(answer.headers['x-seen'], 'yes')
  assert.deepEqual(JSON.parse(answer.body.toString()), { method: 'PUT', body: 'grün', key: 'k' })
})

test('an answer that is cut short is an error', async () => {
  await assert.rejects(callHttp({ url: `${url}/cut` }))
})

test('a server that does not answer is left when the signal says so', async () => {
  await assert.rejects(callHttp({ url: `${url}/wait`, signal: AbortSignal.timeout(50) }), {
    name: /Abort|Timeout/,
  })
})

test('a port without a listener is an error', async () => {
  await assert.rejects(callHttp({ url: 'http://127.0.0.1:1/' }), { code: 'ECONNREFUSED' })
})
