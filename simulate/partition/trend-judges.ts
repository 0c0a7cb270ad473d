/** How each trend is judged: which cells are compared, and the band that the figure is expected in. */
import { estimate, kendall, type Estimate } from '../fleet/statistics.ts'
import type { AllocatorName } from './allocators.ts'
import type { Cell, PlacementFigures } from './cells.ts'
import type { CrawlResult } from './crawl-rules.ts'
import { estimateOfMeans, relative, type Measured } from './measured.ts'
import { POLITENESS } from './pause.ts'

export interface Figure {
  what: string
  value: Estimate
  /** From, to; both count as inside. */
  band: readonly [number, number]
  /** Shares are shown in per cent. */
  isShare: boolean
  holds: boolean
}

const CALM: Cell = {
  allocator: 'hash-host',
  politeness: 'constant-15',
  source: 'rtt',
  k: 0,
  unit: 'host',
  weather: 'calm',
}
export const HASH_15 = CALM
export const MINGA_15: Cell = { ...CALM, allocator: 'minga' }
const HASH_ADJUSTED: Cell = { ...CALM, politeness: 'adjusted' }
export const MINGA_ADJUSTED: Cell = { ...MINGA_15, politeness: 'adjusted' }

const share = (what: string, value: Estimate, band: Figure['band']): Figure =>
  judged({ what, value, band, isShare: true })
const plain = (what: string, value: Estimate, band: Figure['band']): Figure =>
  judged({ what, value, band, isShare: false })

function judged(figure: Omit<Figure, 'holds'>): Figure {
  const [from, to] = figure.band
  return { ...figure, holds: figure.value.mean >= from && figure.value.mean <= to }
}

interface Compared {
  cell: Cell
  against: Cell
  of: (result: CrawlResult) => number
}

const makespan = ({ makespanS }: CrawlResult): number => makespanS

/** Seed by seed and k by k: how much more than the other; one row per k. */
function compared(measured: Measured, { cell, against, of }: Compared): number[][] {
  return measured.crawledKs(cell).flatMap((k) => {
    const own = measured.crawls({ ...cell, k })
    const other = measured.crawls({ ...against, k })
    return own === null || other === null ? [] : [relative(own.map(of), other.map(of))]
  })
}

/** One figure of the mean over all k, if there are any. */
function onAverage(
  measured: Measured,
  what: string,
  pair: Omit<Compared, 'of'>,
  band: Figure['band'],
): Figure[] {
  const rows = compared(measured, { ...pair, of: makespan })
  return rows.length === 0 ? [] : [share(what, estimateOfMeans(rows), band)]
}

function meanByK(measured: Measured, cell: Cell): { k: number; mean: number }[] {
  return measured.crawledKs(cell).map((k) => {
    const results = measured.crawls({ ...cell, k })!
    return { k, mean: estimate(results.map(makespan)).mean }
  })
}

export function densestDecides(measured: Measured): Figure[] {
  const floors = measured.seeds.map(({ densest }) => densest * 15)
  const figures = [HASH_15, MINGA_15].flatMap((cell) => {
    const rows = measured
      .crawledKs(cell)
      .map((k) => relative(measured.crawls({ ...cell, k })!.map(makespan), floors))
    if (rows.length === 0) return []
    const means = meanByK(measured, cell).map(({ mean }) => mean)
    const spread = Math.max(...means) / Math.min(...means) - 1
    return [
      share(`${cell.allocator}: above 15 s · densest host`, estimateOfMeans(rows), [-0.03, 0.03]),
      share(`${cell.allocator}: longest over shortest mean of all k`, exact(spread), [0, 0.03]),
    ]
  })
  const pair = { cell: MINGA_15, against: HASH_15 }
  return [...figures, ...onAverage(measured, 'minga against hash-host', pair, [-0.01, 0.01])]
}

export function exchangesLess(measured: Measured): Figure[] {
  const rows = measured.placedKs('minga').flatMap((k) => {
    const [minga, hash] = [
      measured.placements({ allocator: 'minga', k }),
      measured.placements({ allocator: 'hash-host', k }),
    ]
    return minga === null || hash === null || k === 1 ? [] : [{ k, minga, hash }]
  })
  if (rows.length === 0) return []
  const saved = rows.map(({ minga, hash }) => relative(minga.map(exchanged), hash.map(exchanged)))
  const worst = saved.map((row) => estimate(row)).reduce((a, b) => (b.mean > a.mean ? b : a))
  const expected = rows.map(({ k, hash }) =>
    hash.map(
      ({ exchangeShare, insideShare }) => exchangeShare / ((1 - insideShare) * (1 - 1 / k)) - 1,
    ),
  )
  return [
    share(
      'minga against hash-host, mean of all k (wanted: 76 % less)',
      estimateOfMeans(saved),
      [-1, -0.6],
    ),
    share('the same for the worst k', worst, [-1, -0.6]),
    share('hash-host against (1 − inside)·(1 − 1/k)', estimateOfMeans(expected), [-0.1, 0.1]),
  ]
}

const exchanged = ({ exchangeShare }: PlacementFigures): number => exchangeShare

export function adjustedBeats15(measured: Measured): Figure[] {
  return [
    ...onAverage(
      measured,
      'minga, adjusted, against hash-host, 15 s',
      { cell: MINGA_ADJUSTED, against: HASH_15 },
      [-0.93, -0.88],
    ),
    ...onAverage(
      measured,
      'hash-host, adjusted, against itself, 15 s: pauses alone',
      { cell: HASH_ADJUSTED, against: HASH_15 },
      [-0.93, -0.88],
    ),
  ]
}

export function adjustedBeatsMean(measured: Measured): Figure[] {
  const against: Cell = { ...HASH_15, politeness: 'constant-4.45' }
  const what = 'minga, adjusted, against hash-host, 4.45 s'
  return onAverage(measured, what, { cell: MINGA_ADJUSTED, against }, [-0.77, -0.6])
}

export function placementSaves(measured: Measured): Figure[] {
  const pair = { cell: MINGA_ADJUSTED, against: HASH_ADJUSTED }
  return onAverage(measured, 'minga against hash-host, both adjusted', pair, [-0.15, -0.03])
}

export function tenfoldSaves(measured: Measured): Figure[] {
  const pair = {
    cell: { ...MINGA_15, politeness: 'tenfold' as const },
    against: { ...HASH_15, politeness: 'tenfold' as const },
  }
  return onAverage(measured, 'minga against hash-host, both tenfold', pair, [-0.2, -0.1])
}

/** About a fifth less for hosts: 78,523 pages on the densest host, some 100,700 on the densest address. */
export function addressesTakeLonger(measured: Measured): Figure[] {
  const pair = { cell: MINGA_15, against: { ...MINGA_15, unit: 'address' as const } }
  return onAverage(measured, 'minga at 15 s, hosts against addresses', pair, [-0.3, -0.1])
}

export function exchangeIgnoresPauses(measured: Measured): Figure[] {
  return [HASH_15, MINGA_15].flatMap((cell) => {
    const rows = POLITENESS.flatMap((politeness) =>
      compared(measured, {
        cell: { ...cell, politeness },
        against: cell,
        of: ({ exchangeShare }) => exchangeShare,
      }),
    )
    if (rows.length === 0) return []
    const most = rows.flat().reduce((a, b) => Math.max(a, Math.abs(b)), 0)
    return [share(`${cell.allocator}: largest change against 15 s`, exact(most), [0, 0.001])]
  })
}

/** Flat: within a twentieth of the least. */
const FLAT = 1.05

export function formulaFlattens(measured: Measured): Figure[] {
  const ks = measured.placedKs('minga')
  if (ks.length < 3) return []
  const rows = ks.map((k) => measured.placements({ allocator: 'minga', k })!)
  const plateaus = measured.seeds.map(({ pages, densest }, seed) => {
    const times = rows.map((row) => row[seed]!.downloadS)
    const least = Math.min(...times)
    return ks[times.findIndex((time) => time <= FLAT * least)]! / (pages / densest)
  })
  return [
    plain('robots from which it is flat, over total/densest', estimate(plateaus), [0.8, 1.25]),
  ]
}

export function moreRobots(measured: Measured): Figure[] {
  const gain = (cell: Cell): { what: string; share: number; tau: number } | null => {
    const curve = meanByK(measured, cell)
    const few = curve.find(({ k }) => k >= 5)
    const many = curve.at(-1)
    if (few === undefined || many === undefined || curve.length < 3) return null
    const order = curve.map(({ k }) => k)
    const { tauB } = kendall(
      order,
      curve.map(({ mean }) => mean),
    )
    return { what: `${many.k} robots against ${few.k}`, share: many.mean / few.mean - 1, tau: tauB }
  }
  const [hash, minga] = [gain(HASH_15), gain(MINGA_ADJUSTED)]
  const hashAdjusted = gain(HASH_ADJUSTED)
  if (hash === null || minga === null || hashAdjusted === null) return []
  return [
    share(`hash-host, 15 s: ${hash.what}`, exact(hash.share), [-0.03, 1]),
    share(`hash-host, adjusted: ${hashAdjusted.what}`, exact(hashAdjusted.share), [-0.05, 1]),
    plain('minga, adjusted: τ of time and robots', exact(minga.tau), [-1, -0.6]),
  ]
}

export function joiningMovesLittle(measured: Measured): Figure[] {
  const ks = measured.placedKs('minga')
  if (ks.length < 3) return []
  const falling = (['hash-host', 'minga'] as const).flatMap((allocator) => {
    const rows = ks.map((k) =>
      measured.placements({ allocator, k })!.map(({ redistributionS }) => redistributionS),
    )
    const { tauB } = kendall(
      ks,
      rows.map((row) => estimate(row).mean),
    )
    const times = estimate(relative(rows.at(-1)!, rows[0]!))
    return [
      share(`${allocator}: time with most robots against fewest`, times, [-1, -0.3]),
      plain(`${allocator}: τ of time and robots`, exact(tauB), [-1, 0]),
    ]
  })
  const moved = (allocator: AllocatorName): number[][] =>
    ks.map((k) => measured.placements({ allocator, k })!.map(({ movedShare }) => movedShare))
  const [minga, hash] = [moved('minga'), moved('hash-host')]
  const against = minga.map((row, i) => relative(row, hash[i]!))
  return [
    ...falling,
    share('pages moved, minga against hash mod k', estimateOfMeans(against), [-1, -0.3]),
  ]
}

export function mapsServe(measured: Measured): Figure[] {
  const geo = { source: 'geo' as const }
  return [
    ...onAverage(
      measured,
      'minga at 15 s, round trips against maps',
      { cell: MINGA_15, against: { ...MINGA_15, ...geo } },
      [-0.01, 0.01],
    ),
    ...onAverage(
      measured,
      'the same with adjusted pauses (the thesis: −57 %)',
      { cell: MINGA_ADJUSTED, against: { ...MINGA_ADJUSTED, ...geo } },
      [-0.3, 0.05],
    ),
  ]
}

export function exchangesAQuarter(measured: Measured): Figure[] {
  const [average] = exchangesLess(measured)
  return average === undefined
    ? []
    : [share('minga against hash-host, mean of all k', average.value, [-1, -0.76])]
}

export function isNearer(measured: Measured): Figure[] {
  return (['hash-host', 'geographic'] as const).flatMap((allocator) => {
    const against: Cell = { ...HASH_15, allocator }
    const rows = compared(measured, { cell: MINGA_15, against, of: ({ rttMs }) => rttMs })
    const what = `mean round trip, minga against ${allocator}`
    return rows.length === 0 ? [] : [share(what, estimateOfMeans(rows), [-1, 0])]
  })
}

export function movesItsShare(measured: Measured): Figure[] {
  const ks = measured.placedKs('minga')
  const rows = ks.map((k) =>
    measured.placements({ allocator: 'minga', k })!.map(({ movedShare }) => movedShare * (k + 1)),
  )
  if (rows.length === 0) return []
  const [few, many] = [rows.filter((_, i) => ks[i]! <= 15), rows.filter((_, i) => ks[i]! > 15)]
  const figure = (what: string, some: number[][]): Figure[] =>
    some.length === 0 ? [] : [plain(what, estimateOfMeans(some), [0, 2])]
  return [
    ...figure('pages moved over 1/(k + 1), up to 15 robots', few),
    ...figure('the same where the densest host is more than a share', many),
  ]
}

const exact = (mean: number): Estimate => ({ mean, halfWidth: NaN, n: 1 })
