// Goal: what an archived page says of itself is believed only as far as it can do no harm. Method: messages as
// pages could send them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shownIn } from './archive-shown.ts'

test('an address with the time of its capture is taken', () => {
  const page = shownIn({ type: 'minga:shown', url: 'https://a.test/b', ts: '20260131120000' })
  assert.deepEqual(page, { url: 'https://a.test/b', at: Date.UTC(2026, 0, 31, 12) })
  assert.equal(shownIn({ type: 'minga:shown', url: 'http://a.test/', ts: 7 })!.at, null)
})

test('other messages, other schemes and endless texts are passed over', () => {
  for (const data of [
    null,
    'minga:shown',
    { type: 'urlchange', url: 'https://a.test/' },
    { type: 'minga:shown', url: 'javascript:alert(1)' },
    { type: 'minga:shown', url: 'data:text/html,x' },
    { type: 'minga:shown', url: 'https://' },
    { type: 'minga:shown', url: `https://a.test/${'x'.repeat(9_000)}` },
  ]) {
    assert.equal(shownIn(data), null, JSON.stringify(data)?.slice(0, 60))
  }
})
