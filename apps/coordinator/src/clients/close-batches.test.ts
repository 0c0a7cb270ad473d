// Goal: the books of a batch close once its client knows. Method: a server on loopback that is away at
// first, virtual time between the tries.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVirtualClock } from '@minga/testkit'
import { BatchCloser } from './close-batches.ts'
import { BATCH, listener, partsOf } from '../../test/clients/webhook-fixture.ts'

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
