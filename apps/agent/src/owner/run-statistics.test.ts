// Goal: the owner and the tuning receive what happened. Method: requests begun and ended on a
// virtual clock, counted by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchFailure, FetchFailureCode } from '@minga/net'
import { createVirtualClock } from '@minga/testkit'
import { RunStatistics } from './run-statistics.ts'
import { toLeasedRequest, type LeasedRequest } from '../fetch/leased-request.ts'
import { answerOf, hostOf } from '../../test/station/station-client-fixture.ts'

function leasedRequestTo(url: string): LeasedRequest {
  const host = hostOf([url])
  return toLeasedRequest(1, host, host.requests[0]!)
}

function failureOf(code: FetchFailureCode): FetchFailure {
  const common = { message: '', retry: 'later', address: '', startedAt: 0, totalMs: 1 } as const
  return { ok: false, code, ...common }
}

test('a lane counts while a request is under way, in whichever windows that was', async () => {
  const clock = createVirtualClock()
  const statistics = new RunStatistics(clock)
  const [long, short] = [
    leasedRequestTo('http://long.test/'),
    leasedRequestTo('http://short.test/'),
  ]
  statistics.began(long)
  await clock.advance(300)
  statistics.began(short)
  await clock.advance(200)
  statistics.ended(short, answerOf('page'))
  assert.equal(statistics.window().laneMs, 500 + 200)
  assert.deepEqual(statistics.inFlight, [{ url: 'http://long.test/', sinceMs: 500 }])
  statistics.nextWindow()
  await clock.advance(400)
  statistics.ended(long, answerOf('page'))
  await clock.advance(100)
  const { laneMs, ms, completed } = statistics.window()
  assert.deepEqual({ laneMs, ms, completed }, { laneMs: 400, ms: 500, completed: 1 })
})

test('answers, failures of the line, failures of sites and what was cancelled are distinguished', () => {
  const statistics = new RunStatistics(createVirtualClock())
  const end = (outcome: Parameters<RunStatistics['ended']>[1]): number | null => {
    const leased = leasedRequestTo('http://h.test/')
    statistics.began(leased)
    return statistics.ended(leased, outcome)
  }
  assert.ok(end(answerOf('x'.repeat(1_000), { rawHeaders: [['A', 'b'.repeat(96)]] }))! >= 1_100)
  assert.ok(end(answerOf('gone', { status: 404 }))! > 0)
  assert.ok(end(failureOf('MINGA_RESPONSE_TIMEOUT'))! > 0)
  assert.ok(end(failureOf('MINGA_TLS_FAILED'))! > 0)
  assert.equal(end(failureOf('MINGA_CANCELLED')), null)
  statistics.gaveBack(true)
  statistics.gaveBack(false)
  assert.deepEqual(statistics.requests, { captured: 2, failed: 2, returned: 2 })
  const { completed, failed, late, bytes } = statistics.window()
  assert.deepEqual([completed, failed, late], [3, 1, 1])
  assert.equal(bytes, statistics.bytes.down)
  assert.deepEqual(statistics.inFlight, [])
})
