// Goal: the log is asked for what stands in the address, and every event leads to what it is about. Method: words as
// people write them, and one event of each context; the codes that the station knows are compared with the texts.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { EVENT_CODES, EVENT_CONTEXTS, EVENT_LEVELS, eventFilter } from '@minga/protocol'
import { CONTEXTS, LEVELS, questionOf } from './event-question.ts'
import { placeOf } from './event-subject.ts'

const NOTHING = { text: '', filters: {}, spans: {} }

test('what is not asked for, and what the station has no word for, does not narrow', () => {
  const empty = questionOf(NOTHING)
  assert.ok(Object.values(empty).every((value) => value === null))
  assert.deepEqual(questionOf({ ...NOTHING, filters: { level: 'loud', context: '' } }), empty)
})

test('levels, contexts, words, agents and spans are asked as the station reads them', () => {
  const question = questionOf({
    text: ' disk ',
    filters: { level: 'warning', context: 'host', agent: 'dev_1 ', subject: 'a.test' },
    spans: { at: { fromMs: 5, toMs: null } },
  })
  assert.deepEqual(question, {
    level: 'warning',
    context: 'host',
    text: 'disk',
    from: 5,
    to: null,
    subject: 'a.test',
    agent: 'dev_1',
  })
  const sent = Object.fromEntries(Object.entries(question).filter(([, value]) => value !== null))
  assert.ok(eventFilter.safeParse(sent).success)
})

test('the page knows the levels and contexts of the station, and names every event', () => {
  assert.deepEqual([...LEVELS], [...EVENT_LEVELS])
  assert.deepEqual([...CONTEXTS], [...EVENT_CONTEXTS])
  const file = join(import.meta.dirname, '../../locales/en/events.json')
  const { events } = JSON.parse(readFileSync(file, 'utf8')) as {
    events: { code: Record<string, string> }
  }
  const codes = EVENT_CODES.map((code) => code.replace(':', '-'))
  assert.deepEqual(Object.keys(events.code).toSorted(), codes.toSorted())
})

test('an event leads to its subject where the page has a screen of it', () => {
  const places = [
    ['collection', '3', { to: '/collections/$id', params: { id: '3' } }],
    ['collection', 'javascript:alert(1)', null],
    ['watch', '7', { to: '/watches/$id', params: { id: '7' } }],
    ['watch', 'acct_1', null],
    ['agent', 'dev_1', { to: '/devices/$id', params: { id: 'dev_1' } }],
    ['host', '*.a.test', { to: '/archive', search: { q: 'a.test' } }],
    ['wiki', 'es.wikipedia.org', { to: '/wikis/$wiki', params: { wiki: 'es.wikipedia.org' } }],
    ['setting', 'delayMs', { to: '/config' }],
    ['station', '', null],
    ['federation', 'st_1', null],
  ] as const
  for (const [context, subject, place] of places) {
    assert.deepEqual(placeOf({ context, subject, details: null }), place, `${context} ${subject}`)
  }
})
