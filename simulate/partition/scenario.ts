/** What is to be simulated: the trends and a small table of all allocators by default, or what a file says. */
import { BadScenario } from '../fleet/errors.ts'
import { ALLOCATORS, usesLatency, type AllocatorName } from './allocators.ts'
import {
  distinctCells,
  DISTURBANCES,
  type Cell,
  type PlacementCell,
  type Disturbance,
} from './cells.ts'
import { LATENCY_SOURCES, type LatencySource } from './latency.ts'
import { POLITENESS, type PolitenessName } from './pause.ts'
import { TREND_PLACERS, trendCells } from './trends.ts'

export interface Scenario {
  /** Of the thesis's sample. */
  scale: number
  seeds: readonly number[]
  cells: readonly Cell[]
  placements: readonly PlacementCell[]
}

interface Choices {
  scale: number
  seeds: number
  k: readonly number[]
  allocators: readonly AllocatorName[]
  politeness: readonly PolitenessName[]
  sources: readonly LatencySource[]
  weathers: readonly Disturbance[]
  /** Also what the twelve trends need, for these numbers of robots. */
  trends: readonly number[]
}

/** The thesis's numbers of robots. */
const ROBOTS = [2, 5, 10, 15, 20, 25, 30]
/** Between them, to see where a curve becomes flat. */
const ROBOTS_BETWEEN = [12, 14, 16, 18]

/** Small enough for a minute on two cores. */
const SMALL: Choices = {
  scale: 0.03,
  seeds: 10,
  k: [10],
  allocators: ALLOCATORS,
  politeness: ['constant-15', 'adjusted'],
  sources: ['rtt'],
  weathers: DISTURBANCES,
  trends: [2, 10, 30],
}

/** Everything, as large as in the thesis: hours. */
const FULL: Choices = {
  ...SMALL,
  scale: 1,
  k: ROBOTS,
  politeness: POLITENESS,
  sources: LATENCY_SOURCES,
  trends: ROBOTS,
}

export interface ScenarioOptions {
  seed: number
  isFull: boolean
}

const MOST_ROBOTS = 99

export function scenarioOf(file: unknown, { seed, isFull }: ScenarioOptions): Scenario {
  const usual = isFull ? FULL : SMALL
  const given = asObject(file, Object.keys(SMALL))
  const choices: Choices = {
    scale: scaleOf(given['scale'] ?? usual.scale),
    seeds: seedsOf(given['seeds'] ?? usual.seeds),
    k: robotsOf(given, 'k', usual.k),
    allocators: some(given, 'allocators', ALLOCATORS) ?? usual.allocators,
    politeness: some(given, 'politeness', POLITENESS) ?? usual.politeness,
    sources: some(given, 'sources', LATENCY_SOURCES) ?? usual.sources,
    weathers: some(given, 'weathers', DISTURBANCES) ?? usual.weathers,
    trends: robotsOf(given, 'trends', usual.trends),
  }
  return {
    scale: choices.scale,
    seeds: Array.from({ length: choices.seeds }, (_, i) => seed + i),
    cells: distinctCells([
      ...tableCells(choices),
      ...weatherCells(choices),
      ...trendCells(choices.trends),
    ]),
    placements: placementCells(choices),
  }
}

/** Calm: every allocator with every pause, source of distances and number of robots. */
function tableCells({ allocators, politeness, sources, k }: Choices): Cell[] {
  return allocators.flatMap((allocator) =>
    politeness.flatMap((pause) =>
      (usesLatency(allocator) ? sources : sources.slice(0, 1)).flatMap((source) =>
        k.map((robots): Cell => ({
          allocator,
          politeness: pause,
          source,
          k: robots,
          unit: 'host',
          weather: 'calm',
        })),
      ),
    ),
  )
}

/** As the product crawls: polite to addresses, ten robots, whatever befalls. */
function weatherCells({ weathers, allocators }: Choices): Cell[] {
  const named = (['hash-host', 'rendezvous', 'thesis', 'minga'] as const).filter((name) =>
    allocators.includes(name),
  )
  return named.flatMap((allocator) =>
    weathers.map((weather): Cell => ({
      allocator,
      politeness: 'adjusted',
      source: 'rtt',
      k: 10,
      unit: 'address',
      weather,
    })),
  )
}

function placementCells({ trends }: Choices): PlacementCell[] {
  if (trends.length === 0) return []
  const between = trends.length < 3 ? [] : ROBOTS_BETWEEN
  const ks = [...new Set([...trends, ...between])].toSorted((a, b) => a - b)
  return TREND_PLACERS.flatMap((allocator) =>
    // Only the plan's curve is asked where it becomes flat.
    (allocator === 'minga' || allocator === 'hash-host' ? ks : trends).map((k) => ({
      allocator,
      k,
    })),
  )
}

function asObject(value: unknown, known: readonly string[]): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new BadScenario('text', 'a JSON object such as {"scale": 0.1, "k": [10], "seeds": 10}')
  }
  const stranger = Object.keys(value).find((key) => !known.includes(key))
  if (stranger !== undefined) {
    throw new BadScenario(`key "${stranger}"`, `one of ${known.join(', ')}`)
  }
  return value as Record<string, unknown>
}

function scaleOf(value: unknown): number {
  if (typeof value === 'number' && value >= 0.01 && value <= 1) return value
  throw new BadScenario('scale', 'a number from 0.01 to 1')
}

function seedsOf(value: unknown): number {
  if (Number.isSafeInteger(value) && Number(value) >= 2) return Number(value)
  throw new BadScenario('seeds', 'a whole number from 2: one run has no interval')
}

function robotsOf(
  given: Record<string, unknown>,
  key: string,
  usual: readonly number[],
): readonly number[] {
  const values = given[key] ?? usual
  const isCount = (value: unknown): value is number =>
    Number.isSafeInteger(value) && Number(value) >= 2 && Number(value) <= MOST_ROBOTS
  if (Array.isArray(values) && values.every(isCount)) return values
  throw new BadScenario(key, `a list of whole numbers from 2 to ${MOST_ROBOTS}`)
}

/** Null when it was not given. */
function some<T extends string>(
  given: Record<string, unknown>,
  key: string,
  all: readonly T[],
): readonly T[] | null {
  const values = given[key]
  if (values === undefined) return null
  const isKnown = (value: unknown): value is T => all.some((known) => known === value)
  if (Array.isArray(values) && values.every(isKnown)) return values
  throw new BadScenario(key, `a list of some of ${all.join(', ')}`)
}
