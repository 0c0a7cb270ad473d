// Goal: who waits wakes at the next notification, at its time or when it is aborted, and is not kept after that. Method: real timers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemClock } from './clock.ts'
import { ConditionVariable } from './condition-variable.ts'

const NEVER_MS = 60_000

test('all who wait wake at the next notification, and later ones wait for the next', async () => {
  const changed = new ConditionVariable()
  const woken: string[] = []
  const wait = async (name: string): Promise<void> => {
    await changed.wait()
    woken.push(name)
  }
  const first = [wait('a'), wait('b')]
  changed.notifyAll()
  const late = wait('c')
  await Promise.all(first)
  assert.deepEqual(woken, ['a', 'b'])
  changed.notifyAll()
  await late
})

test('an abort ends a wait, before it or during it', async () => {
  const changed = new ConditionVariable()
  await changed.wait(AbortSignal.abort())
  await changed.waitFor(NEVER_MS, systemClock, AbortSignal.abort())
  const stop = new AbortController()
  const waits = [changed.wait(stop.signal), changed.waitFor(NEVER_MS, systemClock, stop.signal)]
  stop.abort()
  await Promise.all(waits)
})

test('a wait with a time ends at its time or at a notification, whichever is first', async () => {
  const changed = new ConditionVariable()
  const { signal } = new AbortController()
  await changed.waitFor(5, systemClock, signal)
  const long = changed.waitFor(NEVER_MS, systemClock, signal)
  changed.notifyAll()
  await long
})
