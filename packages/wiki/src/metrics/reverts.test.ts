// Goal: reverts and wars are those of their definitions. Method: a detector written as a loop over a window judges
// random histories; hand-made ones fix the radius, empty reverts, one's own, and the formula of controversy.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { compileFilter } from './filters.ts'
import {
  askedHistory,
  fixtureRevision,
  NOW,
  type FixtureRevision,
} from '../../test/metrics/history-fixture.ts'
import {
  pagesOf,
  RANDOM_PAGES,
  randomHistories,
} from '../../test/metrics/random-history-fixture.ts'
import { editWars, identityReverts, warsOf } from './reverts.ts'

const ALL = compileFilter({}, NOW)

function revertsByLoop(revisions: readonly FixtureRevision[], radius: number) {
  return pagesOf(revisions).flatMap((page) =>
    page.flatMap((by, i) => {
      for (let j = i - 1; j >= Math.max(0, i - radius - 1); j -= 1) {
        if (by.sha1 === null || page[j]!.sha1 !== by.sha1) continue
        return j === i - 1 ? [] : [{ by, undone: page.slice(j + 1, i) }]
      }
      return []
    }),
  )
}

test('reverts are what a detector that walks through the history finds', async () => {
  await fc.assert(
    fc.asyncProperty(randomHistories, fc.constantFrom(1, 2, 15), async (revisions, radius) => {
      const history = await askedHistory(revisions, RANDOM_PAGES)
      const expected = revertsByLoop(revisions, radius)
      const answer = await identityReverts(history.ask, ALL, { radius })
      assert.equal(answer.reverts, expected.length)
      const undone = expected.flatMap((revert) => revert.undone.map(({ revId }) => revId))
      assert.equal(answer.undone, new Set(undone).size)
      const pairs = new Map<string, number>()
      for (const { by, undone: lost } of expected) {
        for (const of of new Set(lost.map(({ user }) => user))) {
          if (of === by.user) continue
          const key = JSON.stringify([by.user, of])
          pairs.set(key, (pairs.get(key) ?? 0) + 1)
        }
      }
      const found = new Map(
        answer.pairs.map(({ by, of, times }) => [JSON.stringify([by, of]), times]),
      )
      assert.deepEqual(found, pairs)
      assert.equal(found.size, answer.pairs.length)
      const ada = await identityReverts(history.ask, compileFilter({ user: 'Ada' }, NOW), {
        radius,
      })
      assert.equal(ada.reverts, expected.filter(({ by }) => by.user === 'Ada').length)
      history.close()
    }),
    { numRuns: 25, seed: 6 },
  )
})

test('a revert undoes at most as many revisions as the radius, and saving the same text again undoes none', async () => {
  const texts = ['a', ...Array.from({ length: 15 }, (_, i) => `x${i}`), 'a', 'a']
  const { ask } = await askedHistory(
    texts.map((sha1, i) => fixtureRevision({ revId: i + 1, sha1 })),
  )
  assert.deepEqual(await identityReverts(ask, ALL), {
    reverts: 1,
    undone: 15,
    ofOneself: 1,
    pairs: [],
  })
  assert.equal((await identityReverts(ask, ALL, { radius: 14 })).reverts, 0)
})

test('a revert of vandalism names who undid whom', async () => {
  const { ask } = await askedHistory([
    fixtureRevision({ revId: 1, user: 'Ada', sha1: 'good' }),
    fixtureRevision({ revId: 2, user: '192.0.2.1', sha1: 'bad' }),
    fixtureRevision({ revId: 3, user: '192.0.2.1', sha1: 'worse' }),
    fixtureRevision({ revId: 4, user: 'Bo', sha1: 'good' }),
  ])
  assert.deepEqual(await identityReverts(ask, ALL), {
    reverts: 1,
    undone: 2,
    ofOneself: 0,
    pairs: [{ by: 'Bo', of: '192.0.2.1', times: 1 }],
  })
})

test('an edit war needs two editors who undid each other on the same page', async () => {
  const back = (users: string[]) =>
    users.map((user, i) => fixtureRevision({ revId: i + 1, user, sha1: i % 2 === 0 ? 'a' : 'b' }))
  const one = await askedHistory(back(['Ada', 'Bo', 'Ada', 'Bo', 'Ada']))
  const [war, ...others] = await editWars(one.ask, ALL)
  assert.deepEqual(others, [])
  assert.deepEqual(war, {
    wiki: 'w',
    pageId: 1,
    title: 'Dungeon Siege',
    editors: 2,
    reverts: 3,
    controversy: 0,
    pairs: [{ one: 'Ada', other: 'Bo', oneUndid: 2, otherUndid: 1 }],
  })
  const patrol = await askedHistory(
    back(['Ada', '192.0.2.1', 'Ada', '192.0.2.2', 'Ada']).map((revision) =>
      revision.user === 'Ada' ? revision : { ...revision, sha1: `junk ${revision.revId}` },
    ),
  )
  assert.deepEqual(await editWars(patrol.ask, ALL), [])
})

test('controversy leaves out the largest pair and grows with the number of those who fight', () => {
  const pair = (one: string, other: string, oneEdits: number, otherEdits: number) => {
    const page = { wiki: 'w', pageId: 1, title: null }
    return { ...page, one, other, oneUndid: 1, otherUndid: 1, oneEdits, otherEdits }
  }
  const [war] = warsOf([pair('A', 'B', 50, 40), pair('A', 'C', 50, 10), pair('C', 'D', 10, 3)])
  assert.equal(war!.editors, 4)
  assert.equal(war!.controversy, 4 * (10 + 3))
  assert.equal(war!.reverts, 6)
})
