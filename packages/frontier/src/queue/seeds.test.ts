// Goal: no number of seeds, from wherever they come, stops the leasing of a station. Method: the
// real operations on both databases; rows from before unions had a limit are hand-written.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { collectionSpec, SEEDS_MAX } from '@minga/protocol'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { leasedRequestsOf, openStation, type TestStation } from '../../test/station-fixture.ts'

const manySeeds = (site: string, count = SEEDS_MAX): string[] =>
  Array.from({ length: count }, (_, i) => `http://${site}/${i}`)

const PAGE = 'http://10.1.0.1/page'
const TARGET = 'http://10.1.0.2/'

for (const engine of ENGINES) {
  describe(`many seeds on ${engine.name}`, { skip: engine.skip }, () => {
    const openWith = async (station: TestStation, seeds: string[]): Promise<number> => {
      const spec = collectionSpec.parse({ seeds, scope: 'any' })
      const args = { identity: 'many', spec, now: station.now, allowPrivateAddresses: true }
      const { id } = await station.store.call('openCollection', args)
      return id
    }
    const assertWorks = async (station: TestStation, id: number): Promise<void> => {
      await station.hello('one')
      await station.discover(id, [PAGE])
      await station.openHosts('one')
      station.now += 100_000
      const { block } = await station.lease('one')
      assert.deepEqual(
        leasedRequestsOf(block).map(({ request }) => request.url),
        [PAGE],
      )
      assert.deepEqual(await station.finish(), [])
      assert.equal((await station.status(id)).state, 'running')
    }

    test('a collection with as many seeds as a request may have takes no redirect besides, and goes on', async () => {
      const station = await openStation(engine)
      const id = await openWith(station, manySeeds('a.test'))
      await station.store.call('growScope', { collectionId: id, seeds: [TARGET] })
      const { seeds } = (await station.status(id)).spec
      assert.deepEqual([seeds.length, seeds.includes(TARGET)], [SEEDS_MAX, false])
      await assertWorks(station, id)
    })

    test('a collection that is opened again keeps adopted seeds up to the limit', async () => {
      const station = await openStation(engine)
      const id = await openWith(station, manySeeds('a.test', SEEDS_MAX - 1))
      await station.store.call('growScope', { collectionId: id, seeds: [TARGET] })
      await openWith(station, manySeeds('a.test', SEEDS_MAX - 1))
      assert.ok((await station.status(id)).spec.seeds.includes(TARGET))
      await openWith(station, manySeeds('b.test'))
      assert.equal((await station.status(id)).spec.seeds.length, SEEDS_MAX)
      await assertWorks(station, id)
    })

    test('a store that already has a collection with more seeds works, and the collection can be changed', async () => {
      const station = await openStation(engine)
      const id = await openWith(station, manySeeds('a.test', 1))
      const spec = { ...(await station.status(id)).spec, seeds: manySeeds('a.test', 150_000) }
      await station.change('UPDATE collections SET spec = ? WHERE id = ?', [
        JSON.stringify(spec),
        id,
      ])
      await assertWorks(station, id)
      const by = { owner: null, by: 'operator', now: station.now }
      await station.store.call('changeCollection', { id, change: { maxPages: 7 }, ...by })
      const changed = await station.status(id)
      assert.deepEqual([changed.spec.maxPages, changed.spec.seeds.length], [7, 150_000])
    })
  })
}
