// Goal: an upload counts whole or not at all. Method: uploads of which some results are good, some stale,
// some impossible, against the counts, the queue and the archive before and after.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CapturedResult, CollectionStatus } from '@minga/protocol'
import type { Parcel } from '../../../agent/src/record/outbox.ts'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { openStation, type TestStation } from '../../test/station-fixture.ts'

/** Two requests to one host that are out, and their answers: /1 and /2. */
async function twoOf(station: TestStation, host: string): Promise<Parcel[]> {
  const [one, two] = [`http://${host}/1`, `http://${host}/2`]
  const web = { [one]: { body: `<a href="/new">${host}` }, [two]: { body: `two of ${host}` } }
  const parcels = await station.leased([one, two], web)
  const isFirst = ({ result }: Parcel): boolean => 'url' in result && result.url === one
  return parcels.toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
}

async function stateOf(station: TestStation): Promise<object> {
  const status = ((await station.get('/collections')).body as CollectionStatus[]).at(-1)
  const { body } = await station.get('/archive/facts')
  return { status, facts: body }
}

for (const engine of ENGINES) {
  describe(`Ingest on ${engine.name}`, { skip: engine.skip }, async () => {
    const station = await openStation({ engine })

    test('takes the good results of an upload and passes over the stale ones', async () => {
      const [one, two] = await twoOf(station, 'some.test')
      const stale = { ...two!, result: { ...two!.result, fence: two!.result.fence + 5 } }
      // The stale one first: the bytes of the others must not shift.
      const said = await station.send([stale, one!])
      assert.deepEqual(said.body, { accepted: 1, stale: 1 })
      const { body } = await station.content('http://some.test/1')
      assert.equal(String(body), '<a href="/new">some.test')
      assert.deepEqual((await station.send([two!])).body, { accepted: 1, stale: 0 })
    })

    test('undoes bytes, counts and found links of an upload that fails at its last result', async () => {
      const parcels = await twoOf(station, 'undone.test')
      const before = await stateOf(station)
      const [one, two] = parcels.map(({ result }) => result as CapturedResult)
      const lying = { ...parcels[1]!, result: { ...two!, digest: one!.digest } }
      const said = await station.send([parcels[0]!, lying])
      assert.equal(said.status, 400)
      assert.deepEqual(await stateOf(station), before)
      assert.deepEqual((await station.send(parcels)).body, { accepted: 2, stale: 0 })
      const { status } = (await stateOf(station)) as { status: CollectionStatus }
      assert.deepEqual([status.found, status.queued, status.pages], [3, 1, 2])
    })

    test('keeps a request in the queue that came back undialled or may work later', async () => {
      const [one, two] = await twoOf(station, 'queue.test')
      const { fence, collectionId, hostId, hash } = one!.result
      const returned = { type: 'returned' as const, fence, collectionId, hostId, hash }
      const busy = { ...(two!.result as CapturedResult), status: 503, retryAfterMs: 2_000 }
      const said = await station.send([
        { ...one!, result: returned, members: [] },
        { ...two!, result: busy },
      ])
      assert.deepEqual(said.body, { accepted: 2, stale: 0 })
      const { status } = (await stateOf(station)) as { status: CollectionStatus }
      assert.deepEqual([status.queued, status.leased, status.captures], [2, 0, 1])
    })

    test('ends a request whose failure is final with its code', async () => {
      const [one] = await twoOf(station, 'final.test')
      const { fence, collectionId, hostId, hash } = one!.result
      const name = { fence, collectionId, hostId, hash }
      const failed = {
        ...name,
        type: 'failed' as const,
        url: 'http://final.test/1',
        code: 'MINGA_TLS_FAILED',
        message: 'No trust.',
        retry: 'never' as const,
        endedAgoMs: 0,
        totalMs: 1,
      }
      await station.send([{ ...one!, result: failed, members: [] }])
      const { status } = (await stateOf(station)) as { status: CollectionStatus }
      assert.deepEqual([status.failed, status.errors], [1, { MINGA_TLS_FAILED: 1 }])
    })
  })
}
