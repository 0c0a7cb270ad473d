// Goal: a test asks for no more visitors than it was allowed, ends, and closes in on the edge.
// Method: properties over sites whose edge is known, and the small cases by hand.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { edgeOf, nextVisitors, shareOut, type StepVerdict } from './plan.ts'

function courseOf(visitorsMax: number, bears: (visitors: number) => boolean): StepVerdict[] {
  const done: StepVerdict[] = []
  for (let steps = 0; steps < 100; steps++) {
    const visitors = nextVisitors({ visitorsMax }, done)
    if (visitors === null) return done
    done.push({ visitors, doesBear: bears(visitors), isHeldBack: false })
  }
  throw new Error('the plan does not end')
}

test('visitors double up to exactly as many as were asked for', () => {
  const visitors = courseOf(50, () => true).map((step) => step.visitors)
  assert.deepEqual(visitors, [1, 2, 4, 8, 16, 32, 50])
})

test('after the first step that is not borne, the gap is halved three times', () => {
  const visitors = courseOf(1_000, (n) => n <= 41).map((step) => step.visitors)
  assert.deepEqual(visitors, [1, 2, 4, 8, 16, 32, 64, 48, 40, 44])
})

test('a site that does not bear one visitor is left alone after the first step', () => {
  assert.equal(courseOf(1_000, () => false).length, 1)
})

test('when a ceiling keeps visitors waiting, no more of them are sent', () => {
  const done = [{ visitors: 8, doesBear: true, isHeldBack: true }]
  assert.equal(nextVisitors({ visitorsMax: 100 }, done), null)
})

test('no step exceeds the most visitors, and the edge is found within an eighth', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1_000 }),
      fc.integer({ min: 1, max: 2_000 }),
      (most, knee) => {
        const done = courseOf(most, (n) => n <= knee)
        assert.ok(done.every(({ visitors }) => visitors >= 1 && visitors <= most))
        assert.ok(done.length <= 14)
        const { borne, unborne } = edgeOf(done)
        if (unborne === null) assert.ok(most <= knee)
        else
          assert.ok(borne! <= knee && knee < unborne && unborne - borne! <= Math.max(1, knee / 4))
      },
    ),
  )
})

test('shares differ by at most one and add up to the whole', () => {
  fc.assert(
    fc.property(fc.nat(2_000), fc.integer({ min: 1, max: 50 }), (total, among) => {
      const shares = shareOut(total, among)
      assert.equal(shares.length, among)
      assert.equal(
        shares.reduce((sum, share) => sum + share, 0),
        total,
      )
      assert.ok(Math.max(...shares) - Math.min(...shares) <= 1)
    }),
  )
})
