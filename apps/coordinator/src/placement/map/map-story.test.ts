// Goal: what a plan is said to have changed is what it changed. Method: two communities of hosts, placed badly before.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { planPlacement, type PlanInput } from '@minga/partition'
import { csvField } from './map-routes.ts'
import { movesOf, storyOf } from './map-story.ts'

/** Hosts 0–3 link among themselves, and so do 4–7. */
function twoCommunities(previous?: ReadonlyMap<string, string>): PlanInput {
  const names = Array.from({ length: 8 }, (_, i) => `h${i}.example`)
  const arcs = names.flatMap((_, tail) =>
    names.flatMap((__, head) =>
      tail !== head && tail < 4 === head < 4 ? [[tail, head] as const] : [],
    ),
  )
  return {
    graph: {
      names,
      pages: new Float64Array(8).fill(10),
      insideLinks: new Float64Array(8).fill(5),
      tails: Int32Array.from(arcs, ([tail]) => tail),
      heads: Int32Array.from(arcs, ([, head]) => head),
      links: new Float64Array(arcs.length).fill(3),
    },
    parts: [
      { name: 'a', capacity: 1 },
      { name: 'b', capacity: 1 },
    ],
    previous,
    passes: 100,
  }
}

test('a plan that parts mixed communities cuts nothing afterwards, and says what moved', () => {
  const mixed = new Map<string, string>(
    Array.from({ length: 8 }, (_, i) => [`h${i}.example`, i % 2 === 0 ? 'a' : 'b']),
  )
  const input = twoCommunities(mixed)
  const plan = planPlacement(input)
  const story = storyOf(input, plan)
  assert.ok(story.before!.cut > 0)
  assert.equal(story.after.cut, 0)
  assert.equal(story.after.exchangeShare, 0)
  assert.equal(story.movedHosts, 4)
  const [[own, other]] = story.exchange.links as [[number, number], ...unknown[]]
  assert.deepEqual(
    [own, other],
    [56, 0],
    'twelve links of three, and five within each of four hosts',
  )
  assert.equal(
    story.exchangeBefore!.links.flat().reduce((sum, links) => sum + links, 0),
    112,
  )
  const moves = movesOf(input, plan)
  assert.equal(moves.length, 4)
  assert.ok(
    moves.every(
      ({ host, from, to, pages }) => mixed.get(host) === from && to !== from && pages === 10,
    ),
  )
})

test('a first plan has nothing before it, and hosts of agents that left moved all the same', () => {
  const first = twoCommunities()
  const plan = planPlacement(first)
  assert.equal(storyOf(first, plan).before, null)
  assert.deepEqual(movesOf(first, plan), [])
  const gone = twoCommunities(new Map([['h0.example', 'gone']]))
  const next = planPlacement(gone)
  assert.equal(storyOf(gone, next).before, null, 'no remaining agent had any')
  assert.deepEqual(
    movesOf(gone, next).map(({ host, from }) => [host, from]),
    [['h0.example', 'gone']],
  )
})

test('a name that looks like a formula is text in the file', () => {
  assert.equal(csvField('=1+1'), "'=1+1")
  assert.equal(csvField('-x'), "'-x")
  assert.equal(csvField('a "b", c'), '"a ""b"", c"')
  assert.equal(csvField(7), '7')
})
