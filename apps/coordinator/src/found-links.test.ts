// Goal: links are remembered as seen only when the seen-set has them. Method: one batch of results
// through findLinks, of which the ingest learnt from some.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileScope } from '@minga/net'
import { collectionSpec, type CapturedResult } from '@minga/protocol'
import { findLinks, type CollectionView, type Finding } from './found-links.ts'
import { SeenLinks } from './seen-links.ts'

const finding = (views: Map<number, CollectionView>): Finding => ({
  views,
  guard: { allowPrivateAddresses: false },
  station: null,
})

function newViews(): Map<number, CollectionView> {
  const spec = collectionSpec.parse({ seeds: ['http://example.org/'], scope: 'any' })
  const isInScope = compileScope({ ...spec, kind: spec.scope })
  return new Map([[1, { spec, isInScope, seen: new SeenLinks(), filter: null }]])
}

const page = (links: string[]): CapturedResult => ({
  type: 'captured',
  kind: 'page',
  fence: 1,
  collectionId: 1,
  hostId: 1,
  hash: 1,
  url: 'http://example.org/',
  status: 200,
  capturedAt: 0,
  endedAgoMs: 0,
  firstByteMs: 0,
  totalMs: 0,
  record: 'response',
  mime: 'text/html',
  digest: 'sha256:0',
  payloadBytes: 1,
  members: [1],
  retryAfterMs: null,
  location: null,
  etag: null,
  lastModified: null,
  title: null,
  nofollow: false,
  links,
  embeds: [],
  sitemaps: [],
  body: null,
})

test('links of a result that was stale are offered again when the page is fetched again', () => {
  const views = newViews()
  const [fresh, stale] = ['http://example.org/a', 'http://example.org/b']
  const first = findLinks([page([fresh]), page([stale])], finding(views))
  assert.deepEqual(
    first.found.map(({ links }) => links),
    [[fresh], [stale]],
  )
  first.remember([0])
  const second = findLinks([page([fresh, stale])], finding(views))
  assert.deepEqual(second.found[0]?.links, [stale])
})

test('a link to a private address is passed on with its refusal', () => {
  const link = 'http://169.254.169.254/latest/'
  const { found, refusals } = findLinks([page([link])], finding(newViews()))
  assert.deepEqual(found[0]?.links, [link])
  assert.equal(refusals[link], 'MINGA_ADDRESS_REFUSED')
})
