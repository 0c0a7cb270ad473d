// Goal: the books of a batch close once its client knows. Method: a server on loopback that is away at
// first, virtual time between the tries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHmac } from 'node:crypto'
import { createVirtualClock } from '@minga/testkit'
import { BATCH, listener, partsOf } from '../../test/clients/webhook-fixture.ts'
import { BatchCloser, callWebhook, webhookSecret } from './close-batches.ts'

test('a server that was down is notified of the batch when it is back, and the books close then', async () => {
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
  const closer = new BatchCloser({ ...partsOf(true), store, clock }, async () => BATCH)
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

// Goal: a client's server is notified of a batch's end, can verify that the call is ours, and the
// server of another client cannot be reached this way. Method: real calls to a server on loopback,
// hand-made batches.

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
