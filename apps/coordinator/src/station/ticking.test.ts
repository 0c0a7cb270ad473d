// Goal: a station is quick while it is called, rests while it is not, and never so long that a
// deadline is missed. Method: a clock that tests move, and callers that are events of a server that
// does not exist.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { afterEach, test } from 'node:test'
import { StoreUnavailable } from '@minga/store'
import { createVirtualClock } from '@minga/testkit'
import { tickUntil } from './ticking.ts'

const SECOND_MS = 1_000
const closings: AbortController[] = []

afterEach(() => {
  for (const closing of closings.splice(0)) closing.abort()
})

function open({ hasServer = true, fails = () => false, steadyTakesMs = 0 }: Opening = {}) {
  const virtual = createVirtualClock()
  const rests: number[] = []
  const sleep: typeof virtual.sleep = (ms, signal) => {
    rests.push(ms)
    return virtual.sleep(ms, signal)
  }
  const clock = { ...virtual, sleep }
  const server = new EventEmitter()
  const counts = { steady: 0, calm: 0 }
  const noted: string[] = []
  const steady = {
    isSteady: true,
    tick: async () => {
      counts.steady++
      if (steadyTakesMs > 0) await virtual.sleep(steadyTakesMs)
    },
  }
  const calm = {
    tick: async () => {
      if (fails()) throw StoreUnavailable.because('it is away')
      counts.calm++
    },
  }
  const closing = new AbortController()
  closings.push(closing)
  void tickUntil(
    {
      parts: [steady, calm],
      clock,
      server: hasServer ? (server as never) : null,
      eventLog: { note: ({ code }) => void noted.push(code) },
    },
    closing.signal,
  )
  const call = (url: string): EventEmitter => {
    const response = new EventEmitter()
    server.emit('request', { url }, response)
    return response
  }
  /** How often each ticks in this time. */
  const pass = async (seconds: number): Promise<typeof counts> => {
    const before = { ...counts }
    await virtual.advance(seconds * SECOND_MS)
    return { steady: counts.steady - before.steady, calm: counts.calm - before.calm }
  }
  return { call, pass, noted, rests }
}

interface Opening {
  hasServer?: boolean
  fails?: () => boolean
  steadyTakesMs?: number
}

/** Of a minute of the longest rests. */
const isRested = (ticks: number): boolean => ticks === 2

test('while calls come all parts tick twice a second', async () => {
  const { call, pass } = open()
  for (let i = 0; i < 60; i++) {
    call('/api/collections').emit('close')
    await pass(1)
  }
  assert.deepEqual(await pass(4), { steady: 8, calm: 8 })
})

test('the longer there are no calls the longer parts rest, those with deadlines two seconds at most', async () => {
  const { pass } = open()
  await pass(330)
  const { steady, calm } = await pass(60)
  assert.ok(isRested(calm), `${calm} ticks of others in a minute`)
  assert.ok(steady >= 30 && steady <= 42, `${steady} ticks of a steady part in a minute`)
})

test('what becomes due in a silence is late by a tenth of it and not by more', async () => {
  const { pass } = open()
  await pass(20)
  const { calm } = await pass(10)
  assert.ok(calm >= 3 && calm <= 5, `${calm} ticks in the ten seconds after twenty silent ones`)
})

test('agents and workers that only say they are there do not keep a station awake', async () => {
  const { call, pass } = open()
  for (let i = 0; i < 180; i++) {
    for (const url of ['/agent/ask', '/agent/beat', '/worker/lease']) call(url).emit('close')
    await pass(2)
  }
  assert.ok(isRested((await pass(60)).calm))
})

test('the first call after a silence wakes all parts at once', async () => {
  const { call, pass } = open()
  await pass(101)
  assert.equal((await pass(0)).calm, 0)
  call('/api/collections').emit('close')
  const { calm } = await pass(0)
  assert.equal(calm, 1)
  assert.equal((await pass(2)).calm, 4)
})

test('a page that stays open gets an update every second, however long it is silent itself', async () => {
  const { call, pass } = open()
  const page = call('/api/events')
  await pass(300)
  assert.deepEqual(await pass(10), { steady: 10, calm: 10 })
  page.emit('close')
  await pass(330)
  assert.ok(isRested((await pass(60)).calm))
})

test('callers in the same process cannot be heard, so such a station never rests', async () => {
  const { pass } = open({ hasServer: false })
  await pass(300)
  assert.equal((await pass(10)).calm, 20)
})

test('a store that is away for a while is noted and does not end the pulse', async () => {
  let isAway = true
  const { pass, noted } = open({ fails: () => isAway })
  assert.equal((await pass(2)).calm, 0)
  isAway = false
  assert.ok((await pass(2)).calm >= 3)
  assert.equal(new Set(noted).size, 1)
  assert.equal(noted[0], 'station:trouble')
})

test('the same trouble is printed once a minute, however often it is met', async (t) => {
  const { mock } = t.mock.method(process.stderr, 'write', () => true)
  const { call, pass } = open({ fails: () => true })
  for (let i = 0; i < 65; i++) {
    call('/api/collections').emit('close')
    await pass(1)
  }
  const lines = mock.calls.filter(({ arguments: [text] }) => String(text).includes('it is away'))
  assert.equal(lines.length, 2)
})

test('a steady part that is still at work when all are due leaves no time to rest, and not less than none', async () => {
  const { pass, rests } = open({ steadyTakesMs: 1_500 })
  await pass(300)
  assert.ok(rests.includes(0) && rests.every((ms) => ms >= 0), rests.join(' '))
})
