// Goal: a collection has ended when no station has anything of it left, and never before. Method:
// synthetic reports, and fast-check: stations that pass work around while they report, seen by a
// global observer.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { TerminationDetector, type RoundReport } from './termination-detector.ts'

function report(more: { queued?: number; arrived?: number; outbox?: number } = {}): RoundReport {
  const counts = { queued: 0, leased: 0, outbox: 0, arrived: 0, pages: 0, ...more }
  return { isBusy: false, collections: [{ identity: 'x', ...counts }] }
}

test('two quiet rounds end a collection, one does not', () => {
  const detector = new TerminationDetector()
  const both = (one: RoundReport): string[] => {
    const { round } = detector
    detector.note('a', one, round)
    detector.note('b', report(), round)
    return detector.finish(['a', 'b'])
  }
  assert.deepEqual(both(report({ queued: 1 })), [])
  assert.deepEqual(both(report()), [])
  assert.deepEqual(both(report({ arrived: 1 })), [])
  assert.deepEqual(both({ ...report({ arrived: 1 }), isBusy: true }), [])
  assert.deepEqual(both(report({ arrived: 1 })), [])
  assert.deepEqual(both(report({ arrived: 1 })), ['x'])
})

test('a round is not over before everyone has reported in it', () => {
  const detector = new TerminationDetector()
  const { round } = detector
  detector.note('a', report(), round)
  assert.deepEqual(detector.finish(['a', 'b']), [])
  detector.note('b', report(), round)
  assert.deepEqual(detector.finish(['a', 'b']), [])
  detector.note('a', report(), detector.round)
  // Made in the round before, this says nothing of this one.
  detector.note('b', report(), round)
  assert.deepEqual(detector.finish(['a', 'b']), [])
  detector.note('b', report(), detector.round)
  assert.deepEqual(detector.finish(['a', 'b']), ['x'])
})

test('the rounds start over when a station joins or leaves', () => {
  const detector = new TerminationDetector()
  detector.note('a', report(), detector.round)
  assert.deepEqual(detector.finish(['a']), [])
  detector.reset()
  detector.note('a', report(), detector.round)
  assert.deepEqual(detector.finish(['a']), [])
})

/** One station does something: works, sends, receives, or reports with what it knows of the rounds. */
const step = fc.record({
  who: fc.nat(2),
  what: fc.constantFrom('work', 'deliver', 'make', 'report'),
  finds: fc.constantFrom(0, 0, 0, 1, 2),
  to: fc.nat(2),
})

test('nothing is ended while there is work anywhere, however reports and deliveries interleave', () => {
  let ended = 0
  fc.assert(
    fc.property(fc.array(step, { minLength: 80, maxLength: 160 }), (steps) => {
      const detector = new TerminationDetector()
      const names = ['a', 'b', 'c']
      const stations = names.map(() => ({
        queued: 0,
        outbox: [] as number[],
        arrived: 0,
        round: 0,
        said: null as { report: RoundReport; round: number } | null,
      }))
      stations[0]!.queued = 3
      for (const { who, what, finds, to } of steps) {
        const station = stations[who]!
        if (what === 'work' && station.queued > 0) {
          station.queued--
          for (let i = 0; i < finds; i++) station.outbox.push(to)
        } else if (what === 'deliver' && station.outbox.length > 0) {
          const receiver = stations[station.outbox.pop()!]!
          receiver.queued++
          receiver.arrived++
        } else if (what === 'make') {
          const { queued, outbox, arrived } = station
          const made = report({ queued, arrived, outbox: outbox.length })
          station.said = { report: made, round: station.round }
        } else if (what === 'report' && station.said !== null) {
          // It may have been made long before it arrives.
          detector.note(names[who]!, station.said.report, station.said.round)
          station.round = detector.round
          station.said = null
        }
        if (detector.finish(names).length === 0) continue
        ended++
        assert.ok(stations.every(({ queued, outbox }) => queued + outbox.length === 0))
      }
    }),
    { numRuns: 2_000, seed: 11 },
  )
  assert.ok(ended > 50, `only ${ended} histories ended`)
})
