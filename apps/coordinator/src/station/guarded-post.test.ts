// Goal: a server named by a user is called at the address that was checked, or not at all. Method:
// real servers on loopback behind names that only the test resolves.
import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Resolver } from '@minga/net'
import { guardedPost, type PostAnswer } from './guarded-post.ts'

async function listen(t: TestContext, answer: RequestListener): Promise<number> {
  const server = createServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

const resolvesTo = (...addresses: string[]): Resolver =>
  ({ resolve: async () => ({ ok: true, addresses }) }) as unknown as Resolver

function postTo(
  port: number,
  { resolver = resolvesTo('127.0.0.1'), allowPrivateAddresses = true, url = 'hub.test' } = {},
): Promise<PostAnswer> {
  return guardedPost(
    { resolver, guard: { allowPrivateAddresses } },
    new URL(`http://${url}:${port}/hook?a=1`),
    { headers: { 'content-type': 'text/plain' }, body: 'good news: ñ' },
  )
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString()
}

test('what is sent arrives whole, under the name that was given, at the address that was checked', async (t) => {
  const seen: unknown[] = []
  const port = await listen(t, (request, response) => {
    void textOf(request).then((body) => {
      seen.push(request.method, request.url, request.headers.host, body)
      response.writeHead(204).end()
    })
  })
  const answer = await postTo(port)
  assert.deepEqual(answer, { type: 'answered', status: 204, text: '' })
  assert.deepEqual(seen, ['POST', '/hook?a=1', `hub.test:${port}`, 'good news: ñ'])
})

test('a private address is refused without a call, also among public ones and written as a number', async (t) => {
  let calls = 0
  const port = await listen(t, (_, response) => {
    calls++
    response.end()
  })
  const guarded = { allowPrivateAddresses: false }
  const refused = { type: 'refused' }
  assert.deepEqual(await postTo(port, guarded), refused)
  const mixed = resolvesTo('93.184.216.34', '127.0.0.1')
  assert.deepEqual(await postTo(port, { ...guarded, resolver: mixed }), refused)
  assert.deepEqual(await postTo(port, { ...guarded, url: '2130706433' }), refused)
  assert.equal(calls, 0)
})

test('an unknown name is refused, and a port without a listener counts as no answer', async (t) => {
  const nowhere = {
    resolve: async () => ({ ok: false, code: 'MINGA_DNS_NOT_FOUND', message: 'unknown' }),
  } as unknown as Resolver
  const port = await listen(t, (_, response) => response.end())
  assert.deepEqual(await postTo(port, { resolver: nowhere }), { type: 'refused' })
  // The server listens at another address only.
  const silent = await postTo(port, { resolver: resolvesTo('127.0.0.2') })
  assert.equal(silent.type, 'silent')
  assert.match(silent.message, /ECONNREFUSED/)
})

test('of an error response the beginning is reported, and the body of a success is not awaited', async (t) => {
  const complaining = await listen(t, (_, response) => {
    response.writeHead(410).end(`gone: ${'x'.repeat(10_000)}`)
  })
  const complaint = await postTo(complaining)
  assert.ok(complaint.type === 'answered')
  assert.equal(complaint.status, 410)
  assert.ok(complaint.text.startsWith('gone: x') && complaint.text.length === 500)
  // Never ends its answer.
  const talking = await listen(t, (_, response) => void response.writeHead(200).write('well, '))
  const yes = await postTo(talking)
  assert.ok(yes.type === 'answered' && yes.status === 200)
})

test('a secret goes over plain http to this machine only', async (t) => {
  const heard: string[] = []
  const port = await listen(t, (request, response) => {
    void textOf(request).then((text) => heard.push(text))
    response.end()
  })
  const send = (address: string): Promise<PostAnswer> => {
    const parts = { resolver: resolvesTo(address), guard: { allowPrivateAddresses: true } }
    const secret = { headers: {}, body: 'a secret', isSecret: true }
    return guardedPost(parts, new URL(`http://hub.test:${port}/`), secret)
  }
  // An unused address: nothing may be dialled.
  const refused = await send('10.255.255.254')
  assert.match(refused.type === 'silent' ? refused.message : '', /plain http/)
  assert.deepEqual(heard, [])
  assert.equal((await send('127.0.0.1')).type, 'answered')
})
