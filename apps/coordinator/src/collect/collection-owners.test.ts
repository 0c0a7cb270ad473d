// Goal: a collection belongs to the user who started it; others see it and leave it alone. Method:
// the API of a whole station, called by two collectors and the operator.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CollectionStatus } from '@minga/protocol'
import { ENGINES } from '../../../../packages/store/test/contract-engines.ts'
import { People } from '../../test/accounts/people-fixture.ts'
import { assertRefused, openStation, TOKENS } from '../../test/station-fixture.ts'

const SEEDS = { seeds: ['http://shared.test/'] }

for (const engine of ENGINES) {
  describe(`Owners of collections on ${engine.name}`, { skip: engine.skip }, async () => {
    const people = new People(await openStation({ engine }))
    const ana = await people.person('ana', 'collector')
    const ben = await people.person('ben', 'collector')
    const start = (token: string): Promise<CollectionStatus> =>
      people.ok(token, 'POST', '/collections', SEEDS)

    test('the same seeds are a collection of each collector, which the same one continues', async () => {
      const [hers, his, operators] = [
        await start(ana.token),
        await start(ben.token),
        await start(TOKENS.apiKey),
      ]
      assert.deepEqual([hers.owner, his.owner, operators.owner], [ana.id, ben.id, 'operator'])
      assert.equal(new Set([hers.id, his.id, operators.id]).size, 3)
      assert.equal((await start(ana.token)).id, hers.id)
      assert.equal((await start(TOKENS.apiKey)).id, operators.id)
    })

    test('collectors change their own, the operator everyone’s, and all of them are seen', async () => {
      const { id } = await start(ana.token)
      for (const verb of ['pause', 'resume', 'cancel']) {
        const foreign = await people.call(ben.token, 'POST', `/collections/${id}/${verb}`)
        assertRefused(foreign, '403 MINGA_FORBIDDEN', /belongs to another user/)
      }
      const missing = await people.call(ben.token, 'POST', '/collections/999/pause')
      assertRefused(missing, '404 MINGA_NO_SUCH_COLLECTION', /999/)
      const stateAfter = async (token: string, verb: string): Promise<string> =>
        (await people.ok<CollectionStatus>(token, 'POST', `/collections/${id}/${verb}`)).state
      assert.equal(await stateAfter(ana.token, 'pause'), 'paused')
      assert.equal(await stateAfter(TOKENS.apiKey, 'resume'), 'running')
      assert.equal(await stateAfter(ana.token, 'cancel'), 'cancelled')
      const seen = await people.ok<CollectionStatus[]>(ben.token, 'GET', '/collections')
      assert.ok(seen.some(({ owner }) => owner === ana.id))
    })
  })
}
