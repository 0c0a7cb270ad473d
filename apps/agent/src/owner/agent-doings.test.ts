// Goal: the owner and the tuning receive what happened. Method: requests begun and ended on a
// virtual clock, counted by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FetchFailure, FetchFailureCode } from '@minga/net'
import { createVirtualClock } from '@minga/testkit'
import { Doings } from './agent-doings.ts'
import { errandOf, type Errand } from '../fetch/errand.ts'
import { answerOf, hostOf } from '../../test/station/station-fixture.ts'

function errandTo(url: string): Errand {
  const host = hostOf([url])
  return errandOf(1, host, host.requests[0]!)
}

function failureOf(code: FetchFailureCode): FetchFailure {
  const common = { message: '', retry: 'later', address: '', startedAt: 0, totalMs: 1 } as const
  return { ok: false, code, ...common }
}

test('a lane counts while a request is under way, in whichever windows that was', async () => {
  const clock = createVirtualClock()
  const doings = new Doings(clock)
  const [long, short] = [errandTo('http://long.test/'), errandTo('http://short.test/')]
  doings.began(long)
  await clock.advance(300)
  doings.began(short)
  await clock.advance(200)
  doings.ended(short, answerOf('page'))
  assert.equal(doings.window().laneMs, 500 + 200)
  assert.deepEqual(doings.inFlight, [{ url: 'http://long.test/', sinceMs: 500 }])
  doings.nextWindow()
  await clock.advance(400)
  doings.ended(long, answerOf('page'))
  await clock.advance(100)
  const { laneMs, ms, completed } = doings.window()
  assert.deepEqual({ laneMs, ms, completed }, { laneMs: 400, ms: 500, completed: 1 })
})

test('answers, failures of the line, failures of sites and what was cancelled are distinguished', () => {
  const doings = new Doings(createVirtualClock())
  const end = (outcome: Parameters<Doings['ended']>[1]): number | null => {
    const errand = errandTo('http://h.test/')
    doings.began(errand)
    return doings.ended(errand, outcome)
  }
  assert.ok(end(answerOf('x'.repeat(1_000), { rawHeaders: [['A', 'b'.repeat(96)]] }))! >= 1_100)
  assert.ok(end(answerOf('gone', { status: 404 }))! > 0)
  assert.ok(end(failureOf('MINGA_RESPONSE_TIMEOUT'))! > 0)
  assert.ok(end(failureOf('MINGA_TLS_FAILED'))! > 0)
  assert.equal(end(failureOf('MINGA_CANCELLED')), null)
  doings.gaveBack(true)
  doings.gaveBack(false)
  assert.deepEqual(doings.requests, { captured: 2, failed: 2, returned: 2 })
  const { completed, failed, late, bytes } = doings.window()
  assert.deepEqual([completed, failed, late], [3, 1, 1])
  assert.equal(bytes, doings.bytes.down)
  assert.deepEqual(doings.inFlight, [])
})
