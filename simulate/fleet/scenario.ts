/** What is to be simulated: the thesis's experiments by default, or what a scenario file says. */
import { STRATEGIES, type Strategy } from '@minga/frontier'
import { DATA_SETS, FULL_SIZE, type DataSet } from './data-sets.ts'
import { BadScenario } from './errors.ts'
import { THESIS_AGENTS } from './thesis-tables.ts'

const EXPERIMENTS = ['threads', 'blocks', 'agents', 'strategies', 'countries'] as const
export type Experiment = (typeof EXPERIMENTS)[number]

export interface Scenario {
  experiments: readonly Experiment[]
  urls: Readonly<Record<DataSet, number>>
  seeds: readonly number[]
  threads: readonly number[]
  blocks: readonly number[]
  agents: readonly number[]
  dataSets: readonly DataSet[]
  strategies: readonly Strategy[]
  /** Also the thesis's rule for D1, see run.ts. */
  perAgentDelay: boolean
}

export interface ScenarioOptions {
  seed: number
  /** Of the thesis's 10,000 addresses; given, it wins over the sizes of a file. */
  scale: number | null
  perAgentDelay: boolean
}

/** Few enough addresses that all experiments take less than a minute on two cores. */
const DEFAULT_SCALE = 0.03
/** D1 has one host, whose time is proportional to the addresses: fewer of them say the same. */
const D1_SHARE = 0.2
const SEEDS = 5
const SIZE_MIN = 20
/** Those of the thesis. `partitioned` is run when asked for, and then by names alone: this fleet makes no map;
 * what maps do is what `minga simulate partition` is about. */
const THESIS_STRATEGIES = STRATEGIES.filter((strategy) => strategy !== 'partitioned')

export function scenarioOf(file: unknown, options: ScenarioOptions): Scenario {
  const given = asObject(file)
  const count = oneNumber(given, 'seeds', SEEDS)
  if (count < 2) throw new BadScenario('seeds', 'at least 2: one run has no interval')
  const urls = sizesOf(options.scale ?? DEFAULT_SCALE)
  return {
    experiments: choices(given, 'experiments', EXPERIMENTS),
    urls: options.scale === null ? { ...urls, ...ownSizes(given['urls']) } : urls,
    seeds: Array.from({ length: count }, (_, i) => options.seed + i),
    threads: numbers(given, 'threads', { least: 1, usual: [1, 2, 4, 8, 16, 32, 64, 128] }),
    blocks: numbers(given, 'blocks', { least: 1, usual: [1, 2, 4, 8, 16, 32, 64] }),
    agents: agentCounts(given),
    dataSets: choices(given, 'dataSets', DATA_SETS),
    strategies: choices({ strategies: THESIS_STRATEGIES, ...given }, 'strategies', STRATEGIES),
    perAgentDelay: options.perAgentDelay || given['perAgentDelay'] === true,
  }
}

function sizesOf(scale: number): Record<DataSet, number> {
  const size = (share: number): number => Math.max(SIZE_MIN, Math.round(FULL_SIZE * scale * share))
  return { D1: size(D1_SHARE), D2: size(1), D3: size(1) }
}

function ownSizes(given: unknown): Partial<Record<DataSet, number>> {
  if (given === undefined) return {}
  const sizes: Partial<Record<DataSet, number>> = {}
  for (const [name, size] of Object.entries(asObject(given))) {
    const dataSet = DATA_SETS.find((known) => known === name)
    if (dataSet === undefined || !isWhole(size, 1)) {
      throw new BadScenario('urls', `whole numbers by data set (${DATA_SETS.join(', ')})`)
    }
    sizes[dataSet] = size
  }
  return sizes
}

function asObject(value: unknown): Record<string, unknown> {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    throw new BadScenario('text', 'a JSON object such as {"experiments": ["agents"], "seeds": 10}')
  }
  const known = [...KEYS, ...DATA_SETS]
  const stranger = Object.keys(value).find((key) => !known.includes(key))
  if (stranger !== undefined)
    throw new BadScenario(`key "${stranger}"`, `one of ${KEYS.join(', ')}`)
  return value as Record<string, unknown>
}

const KEYS: readonly string[] = [
  'experiments',
  'urls',
  'seeds',
  'threads',
  'blocks',
  'agents',
  'dataSets',
  'strategies',
  'perAgentDelay',
]

function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}

function oneNumber(given: Record<string, unknown>, key: string, usual: number): number {
  const value = given[key] ?? usual
  if (!isWhole(value, 1)) throw new BadScenario(key, 'a whole number from 1')
  return value
}

function numbers(
  given: Record<string, unknown>,
  key: string,
  { least, usual }: { least: number; usual: readonly number[] },
): readonly number[] {
  const values = given[key] ?? usual
  if (!Array.isArray(values) || values.length === 0 || !values.every((one) => isWhole(one, least)))
    throw new BadScenario(key, `a list of whole numbers from ${least}`)
  return values
}

function agentCounts(given: Record<string, unknown>): readonly number[] {
  const counts = numbers(given, 'agents', { least: 0, usual: [0, 1, 2, 3, 4, 5, 6, 7] })
  const most = THESIS_AGENTS.length
  if (counts.some((count) => count > most)) throw new BadScenario('agents', `at most ${most}`)
  return counts
}

function choices<T extends string>(
  given: Record<string, unknown>,
  key: string,
  all: readonly T[],
): readonly T[] {
  const values = given[key] ?? all
  const isKnown = (value: unknown): value is T => all.some((known) => known === value)
  if (!Array.isArray(values) || values.length === 0 || !values.every(isKnown))
    throw new BadScenario(key, `a list of some of ${all.join(', ')}`)
  return values
}

/** A scenario as JSON says it; an empty one without a text. */
export function parseScenario(text: string | null): unknown {
  if (text === null) return {}
  try {
    return JSON.parse(text)
  } catch {
    throw new BadScenario('text', 'JSON')
  }
}
