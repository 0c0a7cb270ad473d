/** How much effort is spent where. The figures were chosen on `npm run bench:partition`. */
import type { FmRules } from './refine/fm.ts'

export type PresetName = 'fast' | 'default' | 'strong'

export interface Preset {
  /** Independent runs, the best of which is refined further. */
  runs: number
  /** Rounds of coarsening and refining again around the partition found. */
  cycles: number
  /** Label propagation per level of coarsening. */
  clusterRounds: number
  /** A cluster may weigh this many times the mean of its level: slow growth keeps early mistakes small. */
  growth: number
  /** Coarsening ends at so many vertices per part. */
  coarsestPerPart: number
  /** Initial bisections tried, each refined. */
  tries: number
  labelRounds: number
  /** On small levels, where thoroughness is cheap and decides most. */
  fmSmall: FmRules
  fm: FmRules
  /** Levels with more arcs than this are refined by labels alone. */
  fmArcs: number
  /** Overloads tried one after the other where parts are full and links irregular. */
  slacks: number[]
}

export const PRESETS: Record<PresetName, Preset> = {
  fast: {
    runs: 1,
    cycles: 0,
    clusterRounds: 3,
    growth: 8,
    coarsestPerPart: 40,
    tries: 8,
    labelRounds: 3,
    fmSmall: { rounds: 2, seeds: 5, patience: 2, leastGain: 0.005 },
    fm: { rounds: 1, seeds: 25, patience: 1, leastGain: 0.01 },
    fmArcs: 400_000,
    slacks: [0.1],
  },
  default: {
    runs: 1,
    cycles: 0,
    clusterRounds: 3,
    growth: 5,
    coarsestPerPart: 60,
    tries: 16,
    labelRounds: 3,
    fmSmall: { rounds: 4, seeds: 1, patience: 4, leastGain: 0.002 },
    fm: { rounds: 2, seeds: 10, patience: 2, leastGain: 0.005 },
    fmArcs: Infinity,
    slacks: [0.2, 0.1, 0.05],
  },
  strong: {
    runs: 3,
    cycles: 3,
    clusterRounds: 5,
    growth: 3,
    coarsestPerPart: 80,
    tries: 30,
    labelRounds: 5,
    fmSmall: { rounds: 10, seeds: 1, patience: 10, leastGain: 0.0005 },
    fm: { rounds: 6, seeds: 1, patience: 6, leastGain: 0.001 },
    fmArcs: Infinity,
    slacks: [0.3, 0.2, 0.1, 0.05, 0.02],
  },
}
