/** The detector's judgement of labelled pairs, counted. */
import { compareSketches, type Change } from '../../src/detect/compare.ts'
import { judgePage } from '../../src/detect/judge-page.ts'
import { maskFrom } from './learnt-noise.ts'
import { pagePairs, type PagePair } from './page-pairs-fixture.ts'
import { sketchOf } from '../../src/detect/sketch.ts'

export interface KindScore {
  kind: string
  label: PagePair['label']
  pairs: number
  right: number
  meanMagnitude: number
}

export interface Scores {
  precision: number
  recall: number
  kinds: KindScore[]
  /** Magnitude of each compared pair with its label. */
  magnitudes: { isChange: boolean; magnitude: number }[]
  wrong: { pair: PagePair; change: Change | null; seed: number }[]
}

const WHOLE_PAGE = { include: [], exclude: [] }

/** Null: the pair cannot be compared. */
function judgePair(pair: PagePair): Change | null {
  const before = sketchOf(pair.before, WHOLE_PAGE)
  const after = sketchOf(pair.after, WHOLE_PAGE)
  const mask = maskFrom(pair.before, ...pair.twins)
  if (!judgePage(pair.after, after, before).counts) return null
  return compareSketches(before, after, { mask, threshold: 0.01 })
}

export function scoreSeeds(from: number, to: number): Scores {
  const kinds = new Map<string, KindScore>()
  const scores: Scores = { precision: 0, recall: 0, kinds: [], magnitudes: [], wrong: [] }
  let [hits, alarms, changes] = [0, 0, 0]
  for (let seed = from; seed <= to; seed++) {
    for (const pair of pagePairs(seed)) {
      const change = judgePair(pair)
      const magnitude = change?.magnitude ?? 0
      const isRight =
        pair.label === 'uncounted' ? change === null : change?.changed === (pair.label === 'change')
      const score = kinds.get(pair.kind) ?? {
        kind: pair.kind,
        label: pair.label,
        pairs: 0,
        right: 0,
        meanMagnitude: 0,
      }
      kinds.set(pair.kind, {
        ...score,
        pairs: score.pairs + 1,
        right: score.right + Number(isRight),
        meanMagnitude: score.meanMagnitude + magnitude,
      })
      const isChange = pair.label === 'change'
      scores.magnitudes.push({ isChange, magnitude })
      changes += Number(isChange)
      alarms += Number(change?.changed === true)
      hits += Number(isChange && change?.changed === true)
      if (!isRight) scores.wrong.push({ pair, change, seed })
    }
  }
  scores.precision = alarms === 0 ? 1 : hits / alarms
  scores.recall = changes === 0 ? 1 : hits / changes
  scores.kinds = [...kinds.values()].map((score) => ({
    ...score,
    meanMagnitude: score.meanMagnitude / score.pairs,
  }))
  return scores
}
