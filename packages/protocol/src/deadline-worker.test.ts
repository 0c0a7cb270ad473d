/**
 * Goal: work that hangs, fails or takes all memory costs its own call and nothing else.
 * Method: a real thread that does each of these, with ordinary calls after each.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, test } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { systemClock } from './clock.ts'
import type { Task } from '../test/deadline-worker-fixture.ts'
import { DeadlineWorker, WorkerDied, WorkerTooSlow } from './deadline-worker.ts'

const file = new URL('../test/deadline-worker-fixture.ts', import.meta.url)
const worker = new DeadlineWorker<Task, string>({ file, deadlineMs: 500, clock: systemClock })
/** Filling its memory takes a thread a while on a busy machine. */
const patient = new DeadlineWorker<Task, string>({
  file,
  deadlineMs: 60_000,
  resourceLimits: { maxOldGenerationSizeMb: 16 },
  clock: systemClock,
})
after(() => Promise.all([worker.close(), patient.close()]))

test('calls that are made at once are answered in turn', async () => {
  assert.deepEqual(await Promise.all([worker.call('answer'), worker.call('answer')]), [
    'answer 0',
    'answer 0',
  ])
})

test('a call that never ends fails at its deadline, and the next one gets a new thread', async () => {
  const late = assert.rejects(worker.call('loop'), WorkerTooSlow)
  assert.equal(await worker.call('answer'), 'answer 0')
  await late
})

test('a call whose thread throws or runs out of memory fails with the reason, and the next one is answered', async () => {
  await assert.rejects(
    worker.call('throw'),
    (error: unknown) => error instanceof WorkerDied && /no such page/.test(error.message),
  )
  await assert.rejects(patient.call('allocate'), WorkerDied)
  assert.equal(await worker.call('answer'), 'answer 0')
})

test('a thread that throws between two calls ends neither the process nor the next call', async () => {
  const { port1, port2 } = new MessageChannel()
  assert.equal(await worker.call({ throwAfter: port2 }, { transfer: [port2] }), 'answer 0')
  const ended = once(port1, 'close')
  port1.postMessage('now')
  await ended
  const next = await worker.call('answer').catch((error: unknown) => error)
  // The call may come before the end of the thread is known; it is then the one that fails.
  assert.ok(next === 'answer 0' || next instanceof WorkerDied)
  assert.equal(await worker.call('answer'), 'answer 0')
})

test('closing fails the call in progress', async () => {
  await worker.call('answer')
  const ended = assert.rejects(worker.call('loop'), WorkerDied)
  await systemClock.sleep(0)
  await worker.close()
  await ended
})
