// Goal: what a supervisor saw reaches the log once a carrier writes it, in order, however long that takes. Method: a
// carrier that fails on request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  endedNote,
  ProcessNotes,
  replacedNote,
  restingNote,
  type ProcessNote,
} from './process-notes.ts'

const ended = (pid: number) => endedNote({ name: 'w', role: 'worker', pid, how: 'SIGKILL' })
const pidsOf = (notes: readonly ProcessNote[]) =>
  notes.map(({ details }) => ('pid' in details ? details.pid : null))

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((wake) => setTimeout(wake, 10))
}

test('notes wait for a carrier, and are carried again when they were not written', async () => {
  const stopping = new AbortController()
  const notes = new ProcessNotes(stopping.signal)
  for (const pid of [1, 2]) notes.note(ended(pid))
  const carried: ProcessNote[] = []
  let tries = 0
  notes.carriedBy(async (some) => {
    tries++
    if (tries === 1) throw new Error('away')
    carried.push(...some)
    return true
  })
  notes.note(ended(3))
  await until(() => carried.length === 3)
  assert.deepEqual(pidsOf(carried), [1, 2, 3])
  assert.ok(tries >= 2)
  stopping.abort()
})

test('a station that is away for long receives the first of many, and not asked after the end', async () => {
  const stopping = new AbortController()
  const notes = new ProcessNotes(stopping.signal)
  for (let pid = 0; pid < 300; pid++) notes.note(ended(pid))
  const carried: ProcessNote[] = []
  notes.carriedBy(async (some) => {
    carried.push(...some)
    return true
  })
  await until(() => carried.length >= 200)
  assert.equal(carried.length, 200)
  stopping.abort()
  notes.note(ended(301))
  await new Promise((wake) => setTimeout(wake, 20))
  assert.equal(carried.length, 200)
})

test('each says in a sentence what its details say', () => {
  const role = 'coordinator'
  const replaced = replacedNote({ name: 'main', role, pid: 8, former: 7, awayMs: 2_340 })
  assert.equal(
    replaced.sentence,
    'A new coordinator (process 8) took the place of process 7, which was away for 2.3 s.',
  )
  const resting = restingNote({ name: 'main', role, restMs: 5_000, ends: 6 })
  assert.match(resting.sentence, /ended 6 times in a row; the next one begins in 5 s/)
  assert.deepEqual(resting.details, { role, restMs: 5_000, ends: 6 })
})
