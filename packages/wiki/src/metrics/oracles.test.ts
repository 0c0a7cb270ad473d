// Goal: the answers that the reference tests expect, through the real store. Method: the hand-made
// history of the oracle goes into a store as a wiki gave it; every metric is asked while it waits
// there and after it was folded.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ORACLE, oracleHistory } from '@minga/testkit'
import { ENGINES } from '../../../store/test/contract-engines.ts'
import { newWiki, WIKI } from '../../test/revisions/revisions-fixture.ts'
import type { Ask } from './ask.ts'
import { editBursts } from './bursts.ts'
import { compareEditors, comparePages } from './compare.ts'
import { coEditors, tagUse } from './connections.ts'
import { averagePerDay, countRevisions, modeOf } from './counts.ts'
import { countriesOf } from './countries.ts'
import { editInequality, editorSplit, topEditors } from './editors.ts'
import { compileFilter, readFilter } from './filters.ts'
import { NOW } from '../../test/metrics/history-fixture.ts'
import { runQuery } from './query.ts'
import { editWars, identityReverts } from './reverts.ts'
import { editGaps, editsBy, editSessions } from './rhythm.ts'
import { sizeDeltas } from './sizes.ts'

const { page, revisions } = oracleHistory()
const { title } = page

async function judgeOracles(ask: Ask): Promise<void> {
  const count = async (given: object) =>
    (await countRevisions(ask, readFilter({ title, ...given }), NOW)).count
  const { countOn, average, modeUser, tiedUsers, hiddenUser, firstOf, anonymous, tagged } = ORACLE
  assert.equal(await count({ date: countOn.date }), countOn.count)
  assert.equal(await count({ pageid: ORACLE.pageId }), ORACLE.total)
  assert.equal(await count({ user: anonymous.user }), anonymous.count)
  assert.equal(await count({ tag: tagged.tag }), tagged.count)
  assert.equal(await count({ user: firstOf.user }), firstOf.count)
  const { user, datestart, dateend } = average
  const perDay = await averagePerDay(ask, readFilter({ user, datestart, dateend }), NOW)
  assert.deepEqual([perDay.avg, perDay.count, perDay.days], [average.avg, average.count, 10])
  for (const { date, users, count: times } of [modeUser, tiedUsers, hiddenUser]) {
    const mode = await modeOf(ask, { attribute: 'user', filter: readFilter({ date }) }, NOW)
    assert.deepEqual([new Set(mode.values), mode.count], [new Set<string>(users), times])
  }
  const first = { match: { user: firstOf.user }, sort: ['timestamp'], project: ['revid'], limit: 1 }
  assert.deepEqual((await runQuery(ask, first)).rows, [{ revid: firstOf.revId }])
  const newest = await runQuery(ask, { sort: ['-timestamp'], project: ['revid'], limit: 200 })
  assert.equal(newest.rows[ORACLE.pageTwo.pageSize]!['revid'], ORACLE.pageTwo.firstRevId)
}

async function everyMetric(ask: Ask): Promise<unknown[]> {
  const all = compileFilter({}, NOW)
  const countryOf = (address: string) => (address.includes(':') ? 'PE' : 'BO')
  return [
    await topEditors(ask, all),
    await editorSplit(ask, all),
    await editInequality(ask, all),
    await editsBy(ask, all, { bucket: 'month' }),
    await editGaps(ask, all),
    await editSessions(ask, all),
    await sizeDeltas(ask, all),
    await identityReverts(ask, all),
    await editWars(ask, all),
    await editBursts(ask, all),
    await coEditors(ask, all),
    await tagUse(ask, all),
    await countriesOf(ask, all, { countryOf, atLeast: 2 }),
    await comparePages(ask, { pageIds: [ORACLE.pageId] }),
    await compareEditors(ask, { users: ['PresN', 'Lordtobi'] }),
  ]
}

for (const engine of ENGINES) {
  describe(`metrics of a store on ${engine.name}`, { skip: engine.skip }, () => {
    test('Oracles: count, average, mode and order are those of the reference, folded or not', async () => {
      const wiki = await newWiki(engine)
      await wiki.add(revisions)
      await wiki.store.call('wikiNotePages', { wikiId: wiki.wikiId, now: NOW, pages: [page] })
      const ask = wiki.revisions.ask([WIKI])
      await judgeOracles(ask)
      const waiting = await everyMetric(ask)
      await wiki.revisions.fold()
      await judgeOracles(ask)
      assert.deepEqual(await everyMetric(ask), waiting)
    })
  })
}
