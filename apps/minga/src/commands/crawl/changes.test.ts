// Goal: running a crawl again never changes a collection silently. Method: the station's answers, written out.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { collectionSpec, type CollectionStatus, type ExistingCollection } from '@minga/protocol'
import { describeExisting } from './changes.ts'

const status: CollectionStatus = {
  id: 2,
  owner: null,
  state: 'finished',
  outcome: 'complete',
  problem: null,
  reason: 'max-pages',
  createdAt: 0,
  endedAt: 1,
  spec: collectionSpec.parse({ seeds: ['http://a.test/'] }),
  found: 12,
  queued: 0,
  leased: 0,
  pages: 12,
  captures: 12,
  bytes: 1,
  failed: 0,
  denied: 0,
  cancelled: 0,
  duplicates: 0,
  filtered: 0,
  linksDropped: 0,
  errors: {},
}

test('a crawl that is run again says which settings of its collection it changes', () => {
  const changes: ExistingCollection['changes'] = {
    before: { maxPages: 12, delayMs: 250, embeds: true, exclude: [], filter: null, maxBytes: null },
    after: {
      maxPages: null,
      delayMs: 1_000,
      embeds: false,
      exclude: ['/a', '/b'],
      filter: { otherwise: 'allow' },
      maxBytes: 2_000_000,
    },
  }
  assert.equal(
    describeExisting({ collection: status, changes }),
    'minga: continues collection 2: limit 12 → none, delay 250 ms → 1000 ms, embeds on → off, ' +
      'exclude none → /a /b, filter none → a file, limit of bytes none → 2.0 MB\n',
  )
})

test('a new crawl and one that changes nothing are silent', () => {
  const same = { before: {}, after: {} }
  assert.equal(describeExisting({ collection: null, changes: same }), '')
  assert.equal(describeExisting({ collection: status, changes: same }), '')
})
