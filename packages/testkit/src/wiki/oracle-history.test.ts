// Goal: the oracle is right before anything is measured against it.
// Method: its questions are answered by counting one by one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revision } from '@minga/wiki'

import { ORACLE, oracleHistory } from './oracle-history.ts'

const DAY_MS = 86_400_000
const { revisions } = oracleHistory()

/** Brute force, so that the code under test did not also make the expected answer. */
function onDay(date: string): Revision[] {
  const from = Date.parse(`${date}T00:00:00Z`)
  return revisions.filter(({ at }) => at >= from && at < from + DAY_MS)
}

function by(user: string): Revision[] {
  return revisions.filter((revision) => revision.user === user)
}

function modeOf(rows: readonly Revision[]): { users: string[]; count: number } {
  const named = rows.flatMap(({ user }) => user ?? [])
  const counts = new Map(named.map((user) => [user, named.filter((each) => each === user).length]))
  const count = Math.max(...counts.values())
  const first = [...counts].filter(([, each]) => each === count).map(([user]) => user)
  return { users: first.toSorted(), count }
}

test('Oracles: the hand-made history answers the questions of the reference as English Wikipedia did', () => {
  assert.equal(onDay(ORACLE.countOn.date).length, ORACLE.countOn.count)
  const { user, datestart, dateend, avg } = ORACLE.average
  const from = Date.parse(datestart)
  const until = Date.parse(dateend) + DAY_MS
  const inside = by(user).filter(({ at }) => at >= from && at < until)
  assert.equal(inside.length / ((until - from) / DAY_MS), avg)
  assert.deepEqual(modeOf(onDay(ORACLE.modeUser.date)), { users: ['Lordtobi'], count: 3 })
  assert.equal(by(ORACLE.firstOf.user)[0]?.revId, ORACLE.firstOf.revId)
  const newestFirst = revisions.toReversed()
  assert.equal(newestFirst[ORACLE.pageTwo.pageSize]?.revId, ORACLE.pageTwo.firstRevId)
})

test('Oracles: ties, hidden and anonymous editors, tags and totals are as the oracle says', () => {
  const tied = modeOf(onDay(ORACLE.tiedUsers.date))
  assert.deepEqual(tied.users, [...ORACLE.tiedUsers.users].toSorted())
  assert.equal(tied.count, ORACLE.tiedUsers.count)
  const hiddenDay = onDay(ORACLE.hiddenUser.date)
  assert.equal(hiddenDay.length, ORACLE.hiddenUser.revisions)
  assert.deepEqual(modeOf(hiddenDay), { users: [...ORACLE.hiddenUser.users], count: 1 })
  assert.equal(by(ORACLE.anonymous.user).length, ORACLE.anonymous.count)
  assert.equal(by(ORACLE.firstOf.user).length, ORACLE.firstOf.count)
  const tagged = revisions.filter(({ tags }) => tags.includes(ORACLE.tagged.tag))
  assert.equal(tagged.length, ORACLE.tagged.count)
  assert.equal(revisions.length, ORACLE.total)
})

test('Oracles: the history is whole, its numbers are unique and not all in order of time', () => {
  const ids = revisions.map(({ revId }) => revId)
  assert.equal(new Set(ids).size, ids.length)
  assert.notDeepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  )
  revisions.forEach(({ parentId }, index) => assert.equal(parentId, ids[index - 1] ?? 0))
  const hashes = new Set(revisions.map(({ sha1 }) => sha1))
  assert.ok(hashes.size < revisions.length, 'a revert brings a text back')
})
