// Goal: a reader never misses revisions that are folded while it looks. Method: a real store in which a fold commits
// between two statements of one snapshot, as it can on PostgreSQL.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { newWiki, revisionOf } from '../../test/revisions/revisions-fixture.ts'

for (const engine of ENGINES) {
  describe(`looks at a wiki on ${engine.name}`, { skip: engine.skip }, () => {
    test('a fold that commits in the meantime is seen whole', async () => {
      const wiki = await newWiki(engine)
      const { store, wikiId } = wiki
      await wiki.add([revisionOf(1, 1)])
      const before = await store.call('wikiReadSnapshot', { wikiId, version: -1, changes: -1 })
      assert.equal(before?.pending.length, 1)
      await wiki.add([revisionOf(1, 2)])
      const { version } = before
      const snapshot = await store.call('wikiReadSnapshotWhileFolded', {
        wikiId,
        version,
        changes: -1,
      })
      assert.deepEqual(snapshot?.pending, [])
      assert.equal(snapshot.version, version + 1)
      assert.notEqual(snapshot.manifest, null, 'where the batches are now')
    })
  })
}
