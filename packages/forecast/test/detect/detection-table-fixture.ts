/** The measured tables of docs/change-detection.md, as Markdown. */
import { compareSketches } from '../../src/detect/compare.ts'
import { scoreSeeds, type Scores } from './score-pairs-fixture.ts'
import { sketchOf } from '../../src/detect/sketch.ts'
import { EDIT_WORDINGS, NOISE_WORDINGS, pageWith } from './wordings-fixture.ts'

/** Never tuned on; 1 to 20 are. */
const HELD_OUT = { from: 1_001, to: 1_040 }

const THRESHOLDS = [0, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.3]

export function detectionTable(scores: Scores): string {
  return [
    `Precision ${scores.precision.toFixed(4)}, recall ${scores.recall.toFixed(4)}.`,
    '',
    '| Kind of pair | What it is | Right | Mean magnitude |',
    '| --- | --- | --- | --- |',
    ...scores.kinds.map(
      ({ kind, label, pairs, right, meanMagnitude }) =>
        `| ${kind} | ${label} | ${right} of ${pairs} | ${meanMagnitude.toFixed(4)} |`,
    ),
  ].join('\n')
}

/** How many changes are called important at a threshold, and how much noise. */
export function rocTable({ magnitudes }: Scores): string {
  const changes = magnitudes.filter(({ isChange }) => isChange)
  const others = magnitudes.filter(({ isChange }) => !isChange)
  const share = (list: Scores['magnitudes'], threshold: number): string =>
    (list.filter(({ magnitude }) => magnitude > threshold).length / list.length).toFixed(4)
  return [
    '| Threshold | True changes above it | Noise above it |',
    '| --- | --- | --- |',
    ...THRESHOLDS.map((at) => `| ${at} | ${share(changes, at)} | ${share(others, at)} |`),
  ].join('\n')
}

export interface WordingScore {
  falseAlarms: string[]
  missed: string[]
}

export function scoreWordings(): WordingScore {
  const whole = { include: [], exclude: [] }
  const isChange = (before: string, after: string): boolean =>
    compareSketches(sketchOf(pageWith(before), whole), sketchOf(pageWith(after), whole), {
      mask: null,
      threshold: 0,
    }).changed
  return {
    falseAlarms: NOISE_WORDINGS.filter(([a, b]) => isChange(a, b)).map(([a]) => a),
    missed: EDIT_WORDINGS.filter(([a, b]) => !isChange(a, b)).map(([a]) => a),
  }
}

/** Of `share` of all held-out seeds. */
export function heldOutScores(share = 1): Scores {
  const seeds = HELD_OUT.to - HELD_OUT.from + 1
  return scoreSeeds(HELD_OUT.from, HELD_OUT.from - 1 + Math.round(share * seeds))
}
