// Goal: no caller tries more often than allowed, and limiting costs bounded memory. Method: virtual
// time, a model that counts, and more keys than there is room for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { createVirtualClock } from '@minga/testkit'
import * as fc from 'fast-check'
import { RateLimits, limitConnections, placeOf } from './rate-limits.ts'
import { isLoopback } from './forwarded.ts'

const ALLOWANCE = { what: 'knocking', burst: 3, everyMs: 1_000 }

function isTaken(limits: RateLimits, who = 'ana'): boolean {
  try {
    limits.take(ALLOWANCE, who)
    return true
  } catch (error) {
    assert.equal((error as { code: string }).code, 'MINGA_RATE_LIMITED')
    return false
  }
}

test('a burst passes, then one each interval, and each key for itself', async () => {
  const clock = createVirtualClock(0)
  const limits = new RateLimits(clock)
  const burst = Array.from({ length: 5 }, () => isTaken(limits))
  assert.deepEqual(burst, [true, true, true, false, false])
  assert.equal(isTaken(limits, 'ben'), true)
  await clock.advance(999)
  assert.equal(isTaken(limits), false)
  await clock.advance(1)
  assert.deepEqual([isTaken(limits), isTaken(limits)], [true, false])
})

test('a refusal says how long to wait, and waiting so long helps', async () => {
  const clock = createVirtualClock(0)
  const limits = new RateLimits(clock)
  for (let i = 0; i < 3; i++) limits.take(ALLOWANCE, 'ana')
  await clock.advance(250)
  assert.throws(() => limits.take(ALLOWANCE, 'ana'), {
    code: 'MINGA_RATE_LIMITED',
    retry: 'later',
    retryAfterS: 1,
    message: 'The limit of knocking is reached. Try again in 1 s.',
  })
  await clock.advance(1_000)
  assert.equal(isTaken(limits), true)
})

test('a try that is given back does not count, and giving back makes no credit', () => {
  const limits = new RateLimits(createVirtualClock(0))
  for (let i = 0; i < 50; i++) {
    limits.take(ALLOWANCE, 'ana')
    limits.giveBack(ALLOWANCE, 'ana')
  }
  for (let i = 0; i < 9; i++) limits.giveBack(ALLOWANCE, 'ana')
  const burst = Array.from({ length: 4 }, () => isTaken(limits))
  assert.deepEqual(burst, [true, true, true, false])
})

test('in any stretch of time no more pass than the burst and one per interval', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat(1_500), { maxLength: 60 }), async (gapsMs) => {
      const clock = createVirtualClock(0)
      const limits = new RateLimits(clock)
      const passedAtMs: number[] = []
      for (const gapMs of gapsMs) {
        await clock.advance(gapMs)
        if (isTaken(limits)) passedAtMs.push(clock.monotonicMs())
      }
      for (const [from, startMs] of passedAtMs.entries()) {
        for (const [to, endMs] of passedAtMs.entries()) {
          if (to < from) continue
          const most = ALLOWANCE.burst + Math.floor((endMs - startMs) / ALLOWANCE.everyMs)
          assert.ok(to - from + 1 <= most)
        }
      }
    }),
  )
})

test('a flood of names takes bounded memory and pushes out the oldest first', () => {
  const limits = new RateLimits(createVirtualClock(0), 100)
  for (let i = 0; i < 3; i++) limits.take(ALLOWANCE, 'guessed')
  for (let i = 0; i < 99; i++) limits.take(ALLOWANCE, `name ${i}`)
  assert.equal(isTaken(limits, 'guessed'), false)
  for (let i = 0; i < 10_000; i++) limits.take(ALLOWANCE, `other ${i}`)
  assert.equal(limits.size, 100)
  assert.equal(isTaken(limits, 'guessed'), true)
})

test('the addresses of one household are one place', () => {
  const places: [address: string, place: string][] = [
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::ffff', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ]
  for (const [address, place] of places) assert.equal(placeOf(address), place)
})

// Goal: one address cannot take all connections. Method: a server that counts its own machine like any other, and more
// sockets than it allows.

test('a connection beyond the limit of its address is closed, and one that ends makes room', async (t) => {
  const server = createServer()
  limitConnections(server, 2, () => false)
  server.on('connection', (socket) => !socket.destroyed && socket.write('hello'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const open = async (): Promise<[Socket, boolean]> => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    t.after(() => socket.destroy())
    const isServed = await Promise.race([
      once(socket, 'data').then(() => true),
      once(socket, 'close').then(() => false),
    ])
    return [socket, isServed]
  }
  t.after(() => server.close())
  const [first, isFirstServed] = await open()
  assert.deepEqual([isFirstServed, (await open())[1], (await open())[1]], [true, true, false])
  first.destroy()
  while (!(await open())[1]);
})

test('callers on the same machine are not counted: a proxy there has the connections of everyone', () => {
  assert.deepEqual(['127.0.0.1', '::1', '::ffff:127.0.0.2', '192.0.2.1'].map(isLoopback), [
    true,
    true,
    true,
    false,
  ])
})
