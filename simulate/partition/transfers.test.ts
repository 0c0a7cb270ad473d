// Goal: pages on one line share it evenly. Method: two pages by hand, and many against a step-by-step model.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { Transfers } from './transfers.ts'

const RULES = { connections: 50, bytesPerS: 1_000, pageBytes: 1_000 }

test('DES simulator: a page that joins half-way slows the other, and both get all their bytes', () => {
  const line = new Transfers(RULES)
  line.join(7, 0)
  line.join(8, 0.5)
  assert.equal(line.firstEndS(), 1.5)
  assert.equal(line.takeDone(1), -1)
  assert.equal(line.takeDone(1.5), 7)
  assert.equal(line.firstEndS(), 2)
  assert.equal(line.takeDone(2), 8)
  assert.equal(line.count, 0)
})

test('DES simulator: whichever transfer joins when, the line carries no more than its bytes per second and is never idle', () => {
  const gaps = fc.array(fc.double({ min: 0, max: 3, noNaN: true }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(gaps, (waits) => {
      const line = new Transfers(RULES)
      let [now, busyUntil] = [0, 0]
      let done = 0
      const serve = (until: number): void => {
        while (line.count > 0 && line.firstEndS() <= until) {
          now = line.firstEndS()
          assert.equal(line.takeDone(now), done++)
        }
      }
      for (const [page, wait] of waits.entries()) {
        const joinsAt = now + wait
        serve(joinsAt)
        line.join(page, joinsAt)
        // However it is shared, a line works off a second per page from when there is one.
        busyUntil = Math.max(busyUntil, joinsAt) + 1
        now = joinsAt
      }
      serve(Infinity)
      assert.equal(done, waits.length)
      assert.ok(Math.abs(now - busyUntil) < 1e-3, `${now} instead of ${busyUntil}`)
    }),
    { seed: 3, numRuns: 200 },
  )
})
