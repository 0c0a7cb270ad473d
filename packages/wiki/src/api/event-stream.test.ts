// Goal: a stream of events is read the same however it is cut, and only the wiki's own events count.
// Method: random cuts of one stream; events as EventStreams sends them.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { EventStreamReader, newsOfEvent, type StreamEvent } from './event-stream.ts'

const STREAM = Buffer.from(
  [
    '\uFEFF:ok\n\n',
    'event: message\nid: [{"offset":1}]\ndata: {"a":"貓"}\n\n',
    'id: 2\r\ndata: first\r\ndata: second\r\n\r\n',
    'retry: 1500\rdata:no space\rid: 3\r\r',
    'data\n\n',
    ': comment\nevent: other\ndata: x\n\n',
    'id: 5\n\n',
    'data: never ended',
  ].join(''),
)

const EVENTS: StreamEvent[] = [
  { type: 'message', data: '{"a":"貓"}', id: '[{"offset":1}]' },
  { type: 'message', data: 'first\nsecond', id: '2' },
  { type: 'message', data: 'no space', id: '3' },
  { type: 'message', data: '', id: '3' },
  { type: 'other', data: 'x', id: '3' },
]

test('events are read alike wherever the stream is cut', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: STREAM.length })), (cuts) => {
      const ends = [...new Set(cuts), STREAM.length].toSorted((a, b) => a - b)
      const reader = new EventStreamReader()
      const events: StreamEvent[] = []
      let start = 0
      for (const end of ends) {
        events.push(...reader.push(STREAM.subarray(start, end)))
        start = end
      }
      assert.deepEqual(events, EVENTS)
      assert.equal(reader.lastEventId, '5')
      assert.equal(reader.retryMs, 1500)
    }),
    { seed: 6, numRuns: 500 },
  )
})

test('an event that never ends does not fill the memory', () => {
  const reader = new EventStreamReader()
  const piece = Buffer.alloc(1024 * 1024, 'x')
  reader.push(Buffer.from('data: '))
  for (let n = 0; n < 12; n++) assert.deepEqual(reader.push(piece), [])
  const events = reader.push(Buffer.from('\n\ndata: next\n\n'))
  assert.deepEqual(events.map(({ data }) => data.slice(0, 10)).at(-1), 'next')
})

function event(data: unknown, type = 'message'): StreamEvent {
  return { type, data: typeof data === 'string' ? data : JSON.stringify(data), id: '1' }
}

const HOST = 'en.wikipedia.org'

function pageChange(kind: string, parts = {}) {
  return {
    meta: { domain: HOST, stream: 'mediawiki.page_change.v1' },
    page_change_kind: kind,
    dt: '2026-01-01T00:00:00Z',
    wiki_id: 'enwiki',
    page: { page_id: 9, page_title: 'Black_cat', namespace_id: 0 },
    revision: { rev_id: 77 },
    ...parts,
  }
}

test('changes of pages are reported with their page and revision', () => {
  const news = newsOfEvent(event(pageChange('edit')), HOST)
  const at = Date.UTC(2026, 0, 1)
  assert.deepEqual(news, {
    change: { pageId: 9, ns: 0, title: 'Black cat', revId: 77, at, changeId: null },
    event: null,
  })
  const prior = { prior_state: { page: { page_title: 'Old_cat' } } }
  const moved = newsOfEvent(event(pageChange('move', prior)), HOST)?.event
  assert.deepEqual([moved?.kind, moved?.title, moved?.newTitle], ['moved', 'Old cat', 'Black cat'])
  assert.equal(newsOfEvent(event(pageChange('delete')), HOST)?.event?.kind, 'deleted')
  assert.equal(newsOfEvent(event(pageChange('undelete')), HOST)?.event?.kind, 'restored')
  assert.deepEqual(newsOfEvent(event(pageChange('visibility_change')), HOST)?.event?.revIds, [77])
})

test('recent changes are reported by title, log entries as events', () => {
  const base = {
    meta: { domain: HOST },
    type: 'edit',
    title: 'Cat',
    namespace: 0,
    timestamp: 1_767_225_600,
    id: 5,
    revision: { old: 1, new: 2 },
  }
  const edit = newsOfEvent(event(base), HOST)
  assert.deepEqual(
    [edit?.change?.title, edit?.change?.revId, edit?.change?.at, edit?.event],
    ['Cat', 2, 1_767_225_600_000, null],
  )
  const log = {
    ...base,
    type: 'log',
    log_type: 'delete',
    log_action: 'delete',
    log_id: 8,
    log_params: [],
  }
  const deleted = newsOfEvent(event(log), HOST)?.event
  assert.deepEqual([deleted?.kind, deleted?.logId], ['deleted', 8])
  assert.equal(newsOfEvent(event({ ...base, type: 'categorize' }), HOST), null)
})

test('canaries, other wikis and what cannot be read are dropped', () => {
  assert.equal(newsOfEvent(event(pageChange('edit', { meta: { domain: 'canary' } })), HOST), null)
  assert.equal(
    newsOfEvent(event(pageChange('edit', { meta: { domain: 'de.wikipedia.org' } })), HOST),
    null,
  )
  assert.equal(newsOfEvent(event('{broken'), HOST), null)
  assert.equal(newsOfEvent(event('[1]'), HOST), null)
  assert.equal(newsOfEvent(event(pageChange('edit'), 'error'), HOST), null)
  assert.equal(newsOfEvent(event(pageChange('edit', { dt: 'x' })), HOST), null)
  assert.equal(newsOfEvent(event({ meta: { domain: HOST } }), HOST), null)
})
