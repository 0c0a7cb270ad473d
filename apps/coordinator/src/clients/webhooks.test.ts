// Goal: a client's server is notified of a batch's end, can verify that the call is ours, and the
// server of another client cannot be reached this way. Method: real calls to a server on loopback,
// hand-made batches.
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { BATCH, listener, partsOf } from '../../test/clients/webhook-fixture.ts'
import { callWebhook, webhookSecret } from './webhooks.ts'

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
