// Goal: a caller of a station that dies in the middle of a response knows that it may retry. Method: a server that
// cuts its answers short, and station files as a folder may hold them.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import fs from 'node:fs'
import http from 'node:http'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { after, before, test, type TestContext } from 'node:test'
import { httpApi, isStationGone, remoteApi, type Api } from './api.ts'

const cutting = http.createServer((_request, reply) => {
  reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
  reply.write('{"half":')
  setImmediate(() => reply.destroy())
})
let cuttingUrl = ''

before(async () => {
  cutting.listen(0, '127.0.0.1')
  await once(cutting, 'listening')
  cuttingUrl = `http://127.0.0.1:${(cutting.address() as AddressInfo).port}`
})
after(() => cutting.close())

test('an answer that was cut short means that the station is away', async () => {
  const api = httpApi(cuttingUrl, 'key')
  const away = { code: 'MINGA_STATION_UNREACHABLE' }
  await assert.rejects(api.get('/queries'), away)
  await assert.rejects(api.post('/queries', {}), away)
  await assert.rejects(api.read('/queries'), away)
  await assert.rejects(async () => {
    for await (const piece of await api.stream('/queries')) assert.ok(piece.length > 0)
  }, away)
})

test('a station is gone when it was stopped or its folder has another, and not while it is only away', async (t) => {
  const data = fs.mkdtempSync(path.join(os.tmpdir(), 'minga-api-'))
  t.after(() => fs.rmSync(data, { recursive: true }))
  const isGone = (): Promise<boolean> => isStationGone(data, { url: 'http://127.0.0.1:7700' })
  const write = (station: { pid: number; url: string }): void => {
    const tokens = { apiKey: 'a', joinToken: 'j', workerToken: 'w' }
    fs.writeFileSync(path.join(data, 'station.json'), JSON.stringify({ ...station, ...tokens }))
  }
  assert.equal(await isGone(), false)
  write({ pid: 4_000_000, url: 'http://127.0.0.1:7700' })
  assert.equal(await isGone(), false)
  write({ pid: 0, url: 'http://127.0.0.1:7700' })
  assert.equal(await isGone(), true)
  write({ pid: 4_000_000, url: 'http://127.0.0.1:7701' })
  assert.equal(await isGone(), true)
})

test('a key goes over plain http to this machine only, unless the user insists', () => {
  const key = 'a key'
  for (const station of [
    'http://station.example/',
    'http://127.0.0.1.example.org',
    'http://10.0.0.1:7700',
  ]) {
    assert.throws(() => remoteApi({ station, key }), { code: 'MINGA_INSECURE_STATION' })
    assert.equal(remoteApi({ station, key, insecure: true }).url, station.replace(/\/$/, ''))
  }
  for (const station of ['https://station.example', 'http://localhost:7700', 'http://[::1]:7700']) {
    assert.equal(remoteApi({ station, key }).url, station)
  }
})

// Goal: an answer that is long in coming is waited for, and one that breaks off is never taken for whole.
// Method: a server on loopback that is silent, breaks off, refuses; the API that commands use.

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
