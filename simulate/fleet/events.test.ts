// Goal: virtual time has one order. Method: events and jobs that note when they happened.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SerialServer, Events, SerialResource } from './events.ts'

test('events happen in the order of their time, and those of one time in the order of asking', async () => {
  const events = new Events()
  const seen: string[] = []
  for (const [name, atMs] of [
    ['c', 5],
    ['a', 1],
    ['d', 5],
    ['b', 2],
  ] as const) {
    events.at(atMs, () => {
      seen.push(`${name}${events.nowMs}`)
    })
  }
  events.at(2, () => events.after(3, () => void seen.push(`e${events.nowMs}`)))
  await events.run()
  assert.deepEqual(seen, ['a1', 'b2', 'c5', 'd5', 'e5'])
})

test('nothing happens after a stop', async () => {
  const events = new Events()
  events.at(1, () => events.stop())
  events.at(2, () => assert.fail('it was stopped'))
  await events.run()
  assert.equal(events.nowMs, 1)
})

test('a line serves one after the other and counts how long it was busy', () => {
  const line = new SerialResource()
  assert.deepEqual([line.doneAt(0, 10), line.doneAt(5, 10), line.doneAt(100, 1)], [10, 20, 101])
  assert.equal(line.busyMs, 21)
})

test('a serial server takes the next job when the time of the one before has passed', async () => {
  const events = new Events()
  const server = new SerialServer(events)
  const begun: number[] = []
  for (const tookMs of [10, 20, 30]) {
    server.submit(async () => {
      begun.push(events.nowMs)
      return tookMs
    })
  }
  await events.run()
  assert.deepEqual(begun, [0, 10, 30])
  assert.equal(server.busyMs, 60)
})
