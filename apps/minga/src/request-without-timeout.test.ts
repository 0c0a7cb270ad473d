// Goal: an answer that is long in coming is waited for, and one that breaks off is never taken for whole.
// Method: a server on loopback that is silent, breaks off, refuses; the API that commands use.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import { httpApi, type Api } from './api.ts'

async function apiOf(t: TestContext, answer: RequestListener): Promise<Api> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  return httpApi(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 'the key')
}

async function textOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all).toString()
}

test('an answer comes piece by piece, asked for with the key', async (t) => {
  const api = await apiOf(t, ({ url, headers }, response) => {
    response.write(`${url} `)
    response.end(headers.authorization)
  })
  assert.equal(await textOf(await api.stream('/wikis/a?b')), '/api/wikis/a?b Bearer the key')
})

test('an answer that breaks off is an error', async (t) => {
  const api = await apiOf(t, (_request, response) => {
    response.write('half of ', () => response.destroy())
  })
  const pieces = await api.stream('/wikis')
  await assert.rejects(textOf(pieces))
})

test('a refusal keeps its code, and a station that goes away is said', async (t) => {
  const error = { code: 'MINGA_NO_SUCH_WIKI', message: 'There is no such wiki.' }
  const api = await apiOf(t, ({ url }, response) => {
    if (url === '/api/gone') response.destroy()
    else response.writeHead(404).end(JSON.stringify({ error }))
  })
  await assert.rejects(api.stream('/wikis/x/verify'), error)
  await assert.rejects(api.stream('/gone'), { code: 'MINGA_STATION_UNREACHABLE' })
})
