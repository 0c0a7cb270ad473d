// Goal: noting never waits and loses nothing quietly: floods are bounded and counted, a store that is away is tried
// again, the log stays within its limits. Method: virtual time and a store that writes down what it is asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { NewEvent } from '@minga/protocol'
import { createVirtualClock } from '@minga/testkit'
import { DiskWatch } from './disk-watch.ts'
import { EventLog } from './event-log.ts'

const LIMITS = { keptMs: 86_400_000, most: 5 }

function openLog() {
  const clock = createVirtualClock(1_000_000)
  const written: NewEvent[] = []
  const tidied: unknown[] = []
  const state = { isAway: false, tidies: [] as number[] }
  const call = async (operation: string, args: unknown): Promise<unknown> => {
    if (state.isAway) throw new Error('away')
    if (operation === 'appendEvents') written.push(...(args as { events: NewEvent[] }).events)
    else tidied.push(args)
    return state.tidies.shift() ?? 0
  }
  const log = new EventLog({ store: { call } as never, clock, limits: () => LIMITS })
  return { clock, log, written, tidied, state }
}

const lost = (subject: string) =>
  ({ code: 'agent:lost', subject, sentence: 'It was silent.' }) as const

test('what is noted goes to the store in one call, equal ones as one line that says how often', async () => {
  const { log, written } = openLog()
  for (const subject of ['a', 'b', 'a', 'a']) log.note(lost(subject))
  assert.deepEqual(written, [])
  await log.tick()
  assert.deepEqual(
    written.map(({ subject, times, at }) => [subject, times, at]),
    [
      ['a', 3, 1_000_000],
      ['b', 1, 1_000_000],
    ],
  )
  await log.tick()
  assert.equal(written.length, 2)
})

test('a flood is bounded, and one line says how much was left out', async () => {
  const { log, written } = openLog()
  for (let i = 0; i < 1_500; i++) log.note(lost(String(i)))
  await log.tick()
  assert.equal(written.length, 1_001)
  const { code, times } = written.at(-1)!
  assert.deepEqual([code, times], ['station:events-lost', 500])
})

test('what a store that is away did not take is written later, before what came after', async () => {
  const { log, written, state } = openLog()
  log.note(lost('first'))
  state.isAway = true
  await assert.rejects(log.tick(), /away/)
  log.note(lost('second'))
  state.isAway = false
  await log.tick()
  assert.deepEqual(
    written.map(({ subject }) => subject),
    ['first', 'second'],
  )
})

test('persistent errors are one line a minute', async () => {
  const { clock, log, written } = openLog()
  const trouble = {
    code: 'station:trouble',
    subject: 'MINGA_DISK_FULL',
    sentence: 'Full.',
    details: { message: 'Full.' },
  } as const
  for (let second = 0; second < 121; second++) {
    log.note(trouble)
    await log.tick()
    await clock.advance(1_000)
  }
  assert.equal(written.length, 3)
})

test('old lines go once a minute, and some with every tick while there are many', async () => {
  const { clock, log, tidied, state } = openLog()
  state.tidies = [1_000, 7]
  await log.tick()
  assert.equal(tidied.length, 0)
  await clock.advance(60_000)
  for (let i = 0; i < 4; i++) await log.tick()
  assert.equal(tidied.length, 2)
  assert.deepEqual(tidied[0], { before: 1_060_000 - LIMITS.keptMs, most: 5, limit: 1_000 })
})

test('a disk that runs low is reported once, and again after it had room', async () => {
  const { clock, log, written } = openLog()
  let free: number | null = 5e9
  const watch = new DiskWatch({ clock, eventLog: log, freeBytes: async () => free })
  for (const bytes of [5e9, null, 1.5e9, 1e9, 2.5e9, 4e9, 1e9]) {
    free = bytes
    await watch.tick()
    await log.flush()
    await clock.advance(60_000)
  }
  assert.deepEqual(
    written.map(({ code }) => code),
    ['station:disk-low', 'station:disk-enough', 'station:disk-low'],
  )
  assert.match(written[0]!.sentence, /has 1500 MB left/)
})
