// Goal: a host's state and the reason of its delay are what the station's rule says. Method: plain examples.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Host } from '../api/api-types.ts'
import { delayOf, hostStateOf } from './host-clock.ts'

function host(part: Partial<Host>): Host {
  return {
    nextAllowedAt: 0,
    isOut: false,
    delayMs: 1_000,
    crawlDelayMs: 0,
    backoffMs: 0,
    queued: 1,
    ...part,
  } as Host
}

test('a host is out, done, resting or ready', () => {
  assert.equal(hostStateOf(host({ isOut: true, nextAllowedAt: 9_000 }), 5), 'out')
  assert.equal(hostStateOf(host({ queued: 0, nextAllowedAt: 9_000 }), 5), 'done')
  assert.equal(hostStateOf(host({ nextAllowedAt: 9_000 }), 8_999), 'resting')
  assert.equal(hostStateOf(host({ nextAllowedAt: 9_000 }), 9_000), 'ready')
})

test('the largest delay counts and says why', () => {
  const delay = (part: Partial<Host>) => delayOf(host(part))
  assert.deepEqual(delay({}), { ms: 1_000, reason: 'collection' })
  assert.deepEqual(delay({ crawlDelayMs: 1_000 }), { ms: 1_000, reason: 'collection' })
  assert.deepEqual(delay({ crawlDelayMs: 5_000, backoffMs: 4_000 }), {
    ms: 5_000,
    reason: 'robots',
  })
  assert.deepEqual(delay({ crawlDelayMs: 5_000, backoffMs: 8_000 }), {
    ms: 8_000,
    reason: 'backoff',
  })
})
