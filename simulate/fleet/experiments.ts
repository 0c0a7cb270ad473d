/** The thesis's experiments as lists of cells: what is varied, and the run that is repeated. */
import { MODES } from './agent.ts'
import { FETCH_CPU_MS, PYTHON_FETCH_CPU_MS } from './costs.ts'
import type { DataSet } from './data-sets.ts'
import type { MachineSpec } from './machine.ts'
import type { Run } from './run.ts'
import type { Experiment, Scenario } from './scenario.ts'
import { THESIS_AGENTS } from './thesis-tables.ts'

/** One point of a figure, before it is repeated with every seed. */
export interface Cell {
  experiment: Experiment
  /** The figure's name; one SVG each. */
  figure: string
  series: string
  x: string
  run: Omit<Run, 'seed'>
}

/** The thesis's choice, by its experiment; the direct machine has as many. */
const THREADS = 16
/** In hand per thread: one at work, one ahead, so that no thread waits for the way to the station. */
const AHEAD = 2
/** The thesis's experiment with blocks used a thousand addresses of D2. */
const BLOCK_URLS_MAX = 1_000

export function cellsOf(scenario: Scenario): Cell[] {
  const makers: Record<Experiment, (scenario: Scenario) => Cell[]> = {
    threads,
    blocks,
    agents,
    strategies,
    countries,
  }
  return scenario.experiments.flatMap((experiment) => makers[experiment](scenario))
}

/** As rented by the thesis: alike, only in different places. */
export function thesisFleet(count: number): MachineSpec[] {
  return THESIS_AGENTS.slice(0, count).map(({ name, country }, column) => ({
    name,
    column,
    country,
    threads: THREADS,
    inHand: AHEAD * THREADS,
    slowness: 1,
    fetchCpuMs: FETCH_CPU_MS,
  }))
}

/** How volunteers' machines differ: good ones, middling ones with half the threads and twice the
 * response times, weak ones with a quarter and four times. The order is arbitrary on purpose: a
 * weak machine may stand in a good place. */
const MIXED_SLOWNESS = [1, 4, 2, 1, 4, 2, 1]

export function mixedFleet(): MachineSpec[] {
  return thesisFleet(MIXED_SLOWNESS.length).map((spec, i) => {
    const slowness = MIXED_SLOWNESS[i]!
    const ownThreads = THREADS / slowness
    return { ...spec, slowness, threads: ownThreads, inHand: AHEAD * ownThreads }
  })
}

const PLAIN: Pick<Run, 'isDirect' | 'strategy' | 'mode' | 'perAgentDelay'> = {
  isDirect: false,
  strategy: 'least-busy',
  mode: 'concurrent',
  perAgentDelay: false,
}

function threads({ threads: counts, urls }: Scenario): Cell[] {
  const processors = [
    { series: `${FETCH_CPU_MS} ms of processor per page`, fetchCpuMs: FETCH_CPU_MS },
    { series: `${PYTHON_FETCH_CPU_MS} ms (Python, fitted)`, fetchCpuMs: PYTHON_FETCH_CPU_MS },
  ]
  return processors.flatMap(({ series, fetchCpuMs }) =>
    counts.map((count) => ({
      experiment: 'threads' as const,
      figure: 'threads',
      series,
      x: String(count),
      run: {
        ...PLAIN,
        ...sized('D2', urls.D2),
        isDirect: true,
        machines: thesisFleet(1).map((spec) => ({ ...spec, threads: count, fetchCpuMs })),
      },
    })),
  )
}

function blocks({ blocks: sizes, urls }: Scenario): Cell[] {
  return MODES.flatMap((mode) =>
    sizes.map((block) => ({
      experiment: 'blocks' as const,
      figure: 'blocks',
      series: mode,
      x: String(block),
      run: {
        ...PLAIN,
        ...sized('D2', Math.min(BLOCK_URLS_MAX, urls.D2)),
        mode,
        machines: thesisFleet(1).map((spec) => ({ ...spec, inHand: block })),
      },
    })),
  )
}

function agents(scenario: Scenario): Cell[] {
  return scenario.dataSets.flatMap((dataSet) => {
    const cell = (count: number, perAgentDelay: boolean): Cell => ({
      experiment: 'agents',
      figure: `agents-${dataSet.toLowerCase()}`,
      series: perAgentDelay ? 'every agent its own delay (the thesis)' : 'one delay for the fleet',
      x: String(count),
      run: {
        ...PLAIN,
        ...sized(dataSet, scenario.urls[dataSet]),
        isDirect: count === 0,
        machines: thesisFleet(Math.max(1, count)),
        perAgentDelay,
      },
    })
    const fleetWide = scenario.agents.map((count) => cell(count, false))
    if (!scenario.perAgentDelay || dataSet !== 'D1') return fleetWide
    return [...fleetWide, ...scenario.agents.map((count) => cell(count, true))]
  })
}

function strategies(scenario: Scenario): Cell[] {
  const fleets = [
    { series: 'alike', machines: thesisFleet(THESIS_AGENTS.length) },
    { series: 'mixed', machines: mixedFleet() },
  ]
  return scenario.dataSets.flatMap((dataSet) =>
    fleets.flatMap(({ series, machines }) =>
      scenario.strategies.map((strategy) => ({
        experiment: 'strategies' as const,
        figure: `strategies-${dataSet.toLowerCase()}`,
        series,
        x: strategy,
        run: { ...PLAIN, ...sized(dataSet, scenario.urls[dataSet]), strategy, machines },
      })),
    ),
  )
}

/** Each machine alone; response times do not depend on who tells it what to fetch. */
function countries({ urls }: Scenario): Cell[] {
  return thesisFleet(THESIS_AGENTS.length).map((spec) => ({
    experiment: 'countries',
    figure: 'countries',
    series: 'simulated',
    x: spec.name,
    run: { ...PLAIN, ...sized('D3', urls.D3), isDirect: true, machines: [spec] },
  }))
}

function sized(dataSet: DataSet, urls: number): Pick<Run, 'dataSet' | 'urls'> {
  return { dataSet, urls }
}
