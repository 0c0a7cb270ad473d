// Goal: due visits and crawls share the blocks by the operator's split, so that neither starves.
// Method: the real lease on both databases, with far more of both than a block holds.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { leasedRequestsOf, openStation, type TestStation } from '../../test/station-fixture.ts'

const BOOT = 'boot-1'
const HOSTS = 40

async function stationWithBoth(
  engine: (typeof ENGINES)[number],
  visitShare: number,
): Promise<TestStation> {
  const station = await openStation(engine)
  await station.hello(BOOT)
  const seeds = (kind: string): string[] =>
    Array.from({ length: HOSTS }, (_, i) => `http://${kind}-${i}.test/`)
  const watch = await station.open({ seeds: seeds('watched'), delayMs: 0 })
  await station.open({ seeds: seeds('crawled'), delayMs: 0 })
  await station.store.call('change', {
    text: `UPDATE collections SET spec = REPLACE(spec, '"kind":"crawl"', '"kind":"watch"') WHERE id = ?`,
    params: [watch],
  })
  await station.set('visitShare', visitShare)
  // A host whose name is not resolved yet yields its place in a block.
  const hosts = await station.query<{ hostId: number; name: string }>(
    'SELECT id AS "hostId", name FROM hosts',
  )
  await station.resolve(hosts, {})
  return station
}

/** What the first request of each block is for. */
async function firstOfBlocks(station: TestStation, blocks: number): Promise<string[]> {
  const kinds: string[] = []
  for (let i = 0; i < blocks; i++) {
    const { block } = await station.lease(BOOT, { requestsMax: 2, hostsMax: 2 })
    const [first] = leasedRequestsOf(block)
    kinds.push(/\/\/(\w+)-/.exec(first!.request.url)![1]!)
  }
  return kinds
}

for (const engine of ENGINES) {
  describe(`visits and discoveries on ${engine.name}`, { skip: engine.skip }, () => {
    for (const visitShare of [0, 0.25, 0.5, 1]) {
      test(`at a share of ${visitShare} that part of the blocks begins with visits`, async () => {
        const station = await stationWithBoth(engine, visitShare)
        const kinds = await firstOfBlocks(station, 16)
        const visits = kinds.filter((kind) => kind === 'watched').length
        assert.ok(Math.abs(visits - 16 * visitShare) <= 1, kinds.join())
      })
    }

    test('what one side leaves of a block goes to the other', async () => {
      const station = await stationWithBoth(engine, 1)
      const { block } = await station.lease(BOOT, { requestsMax: 1_000, hostsMax: 2 * HOSTS })
      const urls = leasedRequestsOf(block).map(({ request }) => request.url)
      assert.ok(urls.some((url) => url.includes('crawled')))
      assert.ok(urls[0]!.includes('watched'))
    })
  })
}
