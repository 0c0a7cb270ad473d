// Goal: a wiki is treated as its etiquette asks. Method: the rules with examples that keep and break them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import {
  desktopHost,
  eventStreamUrl,
  isWikimediaHost,
  languageOfHost,
  pauseAfterTroubleMs,
  userAgentProblem,
} from './etiquette.ts'

test('a User-Agent says who asks and whom to write to', () => {
  assert.equal(
    userAgentProblem('Minga/1.0 (https://example.org/bot; me@example.org) undici/8'),
    null,
  )
  assert.equal(userAgentProblem('Minga/1.0 (me@example.org)'), null)
  for (const text of [
    '',
    'Minga',
    'curl/8.1 (me@example.org)',
    'Mozilla/5.0 (https://example.org)',
    'Minga/1.0',
    'Minga/1.0 (hello)',
  ]) {
    assert.notEqual(userAgentProblem(text), null, text)
  }
})

test('the pause after trouble is never shorter than asked, grows with failures and is bounded', () => {
  const random = fc.double({ min: 0, max: 0.999, noNaN: true })
  fc.assert(
    fc.property(fc.nat(3_600_000), fc.nat(50), random, (askedMs, failures, chance) => {
      const pauseMs = pauseAfterTroubleMs(askedMs, failures, chance)
      assert.ok(pauseMs >= askedMs && pauseMs >= 5_000)
      assert.ok(pauseMs <= Math.max(askedMs * 1.1, 900_000) + 1)
      assert.ok(pauseAfterTroubleMs(askedMs, failures + 1, chance) >= pauseMs)
    }),
    { seed: 6 },
  )
  assert.equal(pauseAfterTroubleMs(0, 1, 0), 5_000)
  assert.equal(pauseAfterTroubleMs(0, 3, 0), 20_000)
})

test('hosts of Wikimedia are known, with their languages and their mobile faces', () => {
  assert.equal(isWikimediaHost('en.wikipedia.org'), true)
  assert.equal(isWikimediaHost('wikipedia.org'), true)
  assert.equal(isWikimediaHost('notwikipedia.org'), false)
  assert.equal(desktopHost('en.m.wikipedia.org'), 'en.wikipedia.org')
  assert.equal(desktopHost('m.wikidata.org'), 'www.wikidata.org')
  assert.equal(desktopHost('m.example.org'), 'm.example.org')
  assert.equal(languageOfHost('zh-yue.wikipedia.org'), 'zh-yue')
  assert.equal(languageOfHost('www.wikidata.org'), null)
  assert.equal(languageOfHost('en.example.org'), null)
})

test('the stream of events begins where it is asked to', () => {
  assert.match(eventStreamUrl(Date.UTC(2026, 0, 1)), /since=2026-01-01T00%3A00%3A00\.000Z$/)
  assert.doesNotMatch(eventStreamUrl(null), /since/)
})
