/**
 * What the thesis found and an honest simulator must show again (must), or may (should): twelve trends, each
 * with its figures, their intervals over seeds and the bands they are expected in. The bands are those of the
 * audit of the thesis and are not tuned; a figure outside of its band is reported as such.
 */
import type { AllocatorName } from './allocators.ts'
import type { Cell } from './cells.ts'
import type { Measured } from './measured.ts'
import { POLITENESS } from './pause.ts'
import {
  addressesTakeLonger,
  adjustedBeats15,
  adjustedBeatsMean,
  densestDecides,
  exchangeIgnoresPauses,
  exchangesAQuarter,
  exchangesLess,
  formulaFlattens,
  isNearer,
  joiningMovesLittle,
  mapsServe,
  moreRobots,
  movesItsShare,
  placementSaves,
  tenfoldSaves,
  HASH_15,
  MINGA_15,
  MINGA_ADJUSTED,
  type Figure,
} from './trend-judges.ts'

export interface Trend {
  name: string
  isMust: boolean
  claim: string
  /** Empty when its cells were not part of the experiment. */
  figures: Figure[]
  holds: boolean | null
}

type Judge = (measured: Measured) => Figure[]

type Claim = readonly [name: string, isMust: boolean, claim: string, judge: Judge]

const TRENDS: readonly Claim[] = [
  [
    'T1',
    true,
    'At 15 s the densest host decides, whichever allocator places and however many robots',
    densestDecides,
  ],
  ['T2', true, 'Placing by links exchanges far less than hashing hosts', exchangesLess],
  ['T3', true, 'Adjusted pauses take a tenth of the time of 15 s', adjustedBeats15],
  ['T4', true, 'Adjusted pauses also beat a constant pause of the same mean', adjustedBeatsMean],
  ['T5', false, 'At equal, adjusted pauses placement still saves time', placementSaves],
  ['T6', false, 'With ten times the last download placement saves time', tenfoldSaves],
  ['T7', true, 'Politeness to addresses takes longer than to hosts', addressesTakeLonger],
  ['T8', true, 'What is exchanged does not depend on pauses', exchangeIgnoresPauses],
  ['T9', true, 'By formula, more robots help until the densest host fills one', formulaFlattens],
  [
    'T10',
    false,
    'Hashing gains little by more robots, placement with adjusted pauses gains to 30',
    moreRobots,
  ],
  [
    'T11',
    true,
    'A robot that joins moves less the more there are, and planning moves least',
    joiningMovesLittle,
  ],
  ['T12', false, 'At 15 s distances from maps serve as well as round trips', mapsServe],
]

/** What a better way than the thesis's has to show, at equal pauses and equal tolerance of loads. */
const EVIDENCE: readonly Claim[] = [
  ['E1', false, 'At least 76 % fewer URLs are exchanged than by hashing hosts', exchangesAQuarter],
  [
    'E2',
    false,
    'Pages are nearer than by hashing, and than by going to the nearest on the map',
    isNearer,
  ],
  ['E3', false, 'A robot that joins moves at most twice its share', movesItsShare],
]

export function trendsOf(measured: Measured): Trend[] {
  return [...TRENDS, ...EVIDENCE].map(([name, isMust, claim, judge]) => {
    const figures = judge(measured)
    const holds = figures.length === 0 ? null : figures.every((figure) => figure.holds)
    return { name, isMust, claim, figures, holds }
  })
}

/** What a crawl of these cells must contain for all trends, for so many robots. */
export function trendCells(ks: readonly number[]): Cell[] {
  const every = [
    ...POLITENESS.flatMap((politeness) => [
      { ...HASH_15, politeness },
      { ...MINGA_15, politeness },
    ]),
    { ...MINGA_15, unit: 'address' as const },
    { ...MINGA_15, source: 'geo' as const },
    { ...MINGA_ADJUSTED, source: 'geo' as const },
  ]
  return every.flatMap((cell) => ks.map((k) => ({ ...cell, k })))
}

/** Placements only: they are cheap, and the plateau is found by comparing neighbouring numbers of robots. */
export const TREND_PLACERS: readonly AllocatorName[] = [
  'hash-host',
  'rendezvous',
  'thesis',
  'minga',
]
