// Goal: links are remembered as seen only when the seen-set has them. Method: one batch of results
// through findLinks, of which the ingest learnt from some.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compileScope } from '@minga/net'
import { collectionSpec, systemClock, type CapturedResult } from '@minga/protocol'
import { findLinks, type CollectionView, type Finding, type FoundLinks } from './found-links.ts'
import { SeenLinks } from './collection-views.ts'

const finding = (views: Map<number, CollectionView>): Finding => ({
  views,
  guard: { allowPrivateAddresses: false },
  station: null,
  clock: systemClock,
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

/** What was found, in the order of the results. */
async function findIn(results: readonly CapturedResult[], rules: Finding) {
  const items: { result: CapturedResult; found?: FoundLinks }[] = results.map((result) => ({
    result,
  }))
  const rest = await findLinks(items, rules)
  return { ...rest, found: items.map(({ found }) => found!) }
}

test('links of a result that was stale are offered again when the page is fetched again', async () => {
  const views = newViews()
  const [fresh, stale] = ['http://example.org/a', 'http://example.org/b']
  const results = [page([fresh]), page([stale])]
  const first = await findIn(results, finding(views))
  assert.deepEqual(
    first.found.map(({ links }) => links),
    [[fresh], [stale]],
  )
  first.remember([results[0]!])
  const second = await findIn([page([fresh, stale])], finding(views))
  assert.deepEqual(second.found[0]?.links, [stale])
})

test('a link to a private address is passed on with its refusal', async () => {
  const link = 'http://169.254.169.254/latest/'
  const { found, refusals } = await findIn([page([link])], finding(newViews()))
  assert.deepEqual(found[0]?.links, [link])
  assert.equal(refusals[link], 'MINGA_ADDRESS_REFUSED')
})

test('others have their turns while the links of one page are judged', async () => {
  let [nowMs, turns] = [0, 0]
  // Each call of the clock takes a quarter of what work may take at a time.
  const clock = { monotonicMs: () => (nowMs += 5), sleep: async () => void turns++ }
  const links = Array.from({ length: 1_000 }, (_, n) => `http://example.org/${n}`)
  const { found } = await findIn([page(links)], { ...finding(newViews()), clock })
  assert.deepEqual(found[0]?.links, links)
  assert.ok(turns >= 8, `${turns} turns`)
})
