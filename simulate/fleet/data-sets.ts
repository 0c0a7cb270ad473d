/** The thesis's three lists of 10,000 addresses, as hosts of a simulated web. */
import { uniform } from './draws.ts'
import { TABLE_5_1 } from './thesis-tables.ts'

export const DATA_SETS = ['D1', 'D2', 'D3'] as const
export type DataSet = (typeof DATA_SETS)[number]
export const FULL_SIZE = 10_000

export interface SiteHost {
  name: string
  /** Row of Table 5.1. */
  row: number
  country: string
  urls: number
  /** Seconds that its robots.txt asks for; null when it has none. */
  crawlDelayS: number | null
}

/** The share of D2's hosts in the USA: an assumption, since the thesis's counts are lost. The rest
 * is spread evenly over the other nineteen countries. */
const D2_USA_SHARE = 0.5
/** Twitter. */
const D1_ROW = 0

/** `clocks`: under how many names D1's one site appears, see `perAgentDelay` in run.ts. */
export function hostsOf(
  dataSet: DataSet,
  options: { urls: number; seed: number; clocks: number },
): SiteHost[] {
  const { urls, seed, clocks } = options
  if (dataSet === 'D1') {
    return Array.from({ length: clocks }, (_, i) => ({
      ...hostIn(D1_ROW, `d1-${i}`),
      urls: Math.floor((urls + i) / clocks),
      crawlDelayS: 1,
    }))
  }
  return Array.from({ length: urls }, (_, i) =>
    hostIn(dataSet === 'D2' ? drawRow(seed, i) : i % TABLE_5_1.length, `h${i}`),
  )
}

function hostIn(row: number, name: string): SiteHost {
  const { country } = TABLE_5_1[row]!
  return { name: `${name}.example`, row, country, urls: 1, crawlDelayS: null }
}

const D2_SALT = 2

function drawRow(seed: number, host: number): number {
  const drawn = uniform(seed, D2_SALT, host)
  if (drawn < D2_USA_SHARE) return 0
  const others = TABLE_5_1.length - 1
  return 1 + Math.floor(((drawn - D2_USA_SHARE) / (1 - D2_USA_SHARE)) * others)
}
