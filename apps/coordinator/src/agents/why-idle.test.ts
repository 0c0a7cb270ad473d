// Goal: a waiting device gets the one reason that will last longest. Method: hand-made facts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whyIdle, type IdleFacts, type WorkThere } from './why-idle.ts'

const FACTS: IdleFacts = {
  doing: 'idle',
  standing: 'active',
  isTrusted: false,
  refused: null,
  rest: null,
  isReady: true,
  due: 0,
}
const WORK: WorkThere = { running: 1, queued: 5, queuedForTrusted: 0, hasFreeHost: true }

const why = (facts: Partial<IdleFacts>, work: Partial<WorkThere> = {}): string | null =>
  whyIdle({ ...FACTS, ...facts }, { ...WORK, ...work })

test('a device at work has no reason to wait', () => {
  assert.equal(why({ doing: 'working' }), null)
})

test('what was decided about a device comes before everything else', () => {
  assert.equal(why({ doing: 'revoked' }), 'revoked')
  assert.equal(why({ doing: 'stopped', standing: 'quarantined' }), 'quarantined')
  assert.equal(why({ doing: 'stopped', standing: 'expelled' }), 'expelled')
  assert.equal(why({ doing: 'blocked' }), 'blocked')
  assert.equal(why({ doing: 'drained' }), 'drained')
  assert.equal(why({ doing: 'paused' }), 'paused-by-owner')
})

test('one that is away is too old if its last hello was refused for that', () => {
  assert.equal(why({ doing: 'away' }), 'not-connected')
  assert.equal(why({ doing: 'away', refused: 'MINGA_WRONG_PROTOCOL' }), 'too-old')
})

test('one that rests says why itself, and an unknown word is a rest all the same', () => {
  const rest = (word: string | null): string | null => why({ doing: 'resting', rest: word })
  assert.equal(rest('paused-by-owner'), 'paused-at-machine')
  assert.equal(rest('outside-hours'), 'outside-hours')
  assert.equal(rest('month-used-up'), 'month-used-up')
  assert.equal(rest('on-battery'), 'on-battery')
  assert.equal(rest('on-metered-line'), 'on-metered-line')
  assert.equal(rest('holding-its-breath'), 'resting')
})

test('for want of work it is said what kind of want that is', () => {
  assert.equal(why({}, { running: 0 }), 'no-collection')
  assert.equal(why({}, { queued: 0 }), 'no-work')
  assert.equal(why({}, { queuedForTrusted: 5 }), 'waits-for-trust')
  assert.equal(why({ isTrusted: true }, { queuedForTrusted: 5 }), 'waits-for-clocks')
  assert.equal(why({ isReady: false }), 'straggles')
  assert.equal(why({}), 'waits-for-clocks')
  assert.equal(why({}, { hasFreeHost: false }), 'others-have-it')
  assert.equal(why({ due: 1 }, { hasFreeHost: false }), 'waits-for-clocks')
})
