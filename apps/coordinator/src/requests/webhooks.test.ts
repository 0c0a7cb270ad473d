// Goal: a client's server hears of a batch's end, can prove that it was us, and nobody else's
// server can be reached this way. Method: real calls to a server on loopback, hand-made batches.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import type { BatchView } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { BatchCloser } from './close-batches.ts'
import { callWebhook, webhookSecret } from './webhooks.ts'

const BATCH: BatchView = {
  id: 'bat_1',
  state: 'ended',
  priority: 'normal',
  total: 1,
  open: 0,
  captured: 1,
  failed: 0,
  denied: 0,
  cancelled: 0,
  fromCache: 0,
  bytes: 7,
  createdAt: 1,
  endedAt: 2,
}

interface Heard {
  body: string
  headers: IncomingMessage['headers']
}

const servers: Server[] = []
after(() => servers.forEach((server) => server.close()))

async function listener(status: () => number): Promise<{ url: string; heard: Heard[] }> {
  const heard: Heard[] = []
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      heard.push({ body, headers: request.headers })
      response.writeHead(status()).end()
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://hook.test:${(server.address() as AddressInfo).port}/end`, heard }
}

const partsOf = (allowPrivateAddresses: boolean) => ({
  resolver: { resolve: async () => ({ ok: true as const, addresses: ['127.0.0.1'] }) },
  guard: { allowPrivateAddresses },
  secret: 'station',
})

test('a webhook is called once with the batch and a signature that its secret proves', async () => {
  const { url, heard } = await listener(() => 204)
  assert.equal(await callWebhook(partsOf(true), { url, batch: BATCH, atMs: 1_234 }), true)
  assert.equal(heard.length, 1)
  const { body, headers } = heard[0]!
  assert.deepEqual(JSON.parse(body), { event: 'batch.ended', batch: BATCH })
  const secret = webhookSecret('station', BATCH.id)
  const expected = createHmac('sha256', secret).update(`1234.${body}`).digest('hex')
  assert.equal(headers['minga-signature'], `t=1234,v1=${expected}`)
  assert.notEqual(secret, webhookSecret('station', 'bat_2'))
})

test('a name that leads inside is never called', async () => {
  const { url, heard } = await listener(() => 204)
  assert.equal(await callWebhook(partsOf(false), { url, batch: BATCH, atMs: 1 }), false)
  assert.deepEqual(heard, [])
})

test('a server that is away hears of the batch when it is back, and the books close then', async () => {
  let status = 503
  const { url, heard } = await listener(() => status)
  const clock = createVirtualClock(1_000_000)
  const closed: string[] = []
  const store = {
    call: async <R>(operation: string, args: unknown): Promise<R> => {
      const { id } = args as { id: string }
      if (operation === 'closeBatch') closed.push(id)
      const ended = closed.length > 0 ? [] : [{ id: 'bat_1', client: 'c', webhook: url }]
      return (operation === 'unclosedBatches' ? ended : undefined) as R
    },
    close: async () => {},
  }
  const closer = new BatchCloser({ ...partsOf(true), store, clock, viewOf: async () => BATCH })
  await closer.tick()
  await closer.tick()
  assert.equal(heard.length, 1, 'not before its pause')
  await clock.advance(1_000)
  await closer.tick()
  assert.equal(heard.length, 2)
  assert.deepEqual(closed, [])
  status = 200
  await clock.advance(5_000)
  await closer.tick()
  assert.equal(heard.length, 3)
  assert.deepEqual(closed, ['bat_1'])
})
