/** One run: a data set, a fleet or a direct machine, and a seed. */
import type { Strategy } from '@minga/frontier'
import type { Sql } from '@minga/store'
import { Agent, type Mode } from './agent.ts'
import { hostsOf, type DataSet } from './data-sets.ts'
import { DirectMachine } from './direct.ts'
import { Events } from './events.ts'
import { Machine, type MachineSpec } from './machine.ts'
import { Station, type World } from './station.ts'
import { quantile } from './statistics.ts'
import { Web } from './web.ts'

export interface Run {
  dataSet: DataSet
  urls: number
  seed: number
  /** The direct machine, or the agents of a fleet. */
  machines: MachineSpec[]
  isDirect: boolean
  strategy: Strategy
  mode: Mode
  /**
   * The thesis's rule: every agent keeps the delay for itself, so k agents hit a site k times as
   * often. Minga has no such setting; the site gets one name, address and clock per agent instead.
   */
  perAgentDelay: boolean
}

export interface RunResult {
  makespanS: number
  /** When 95 % of the addresses had ended: without the few slowest, which decide short runs. */
  mostS: number
  /** From a page's lease to its result on the station's disk; fetching time alone if direct. */
  replyS: { mean: number; p50: number; p95: number; p99: number }
  failed: number
  stale: number
  /** Requests that each machine fetched, robots.txt included, by its name. */
  fetched: Record<string, number>
  stationBusyS: number
  uploadedMb: number
  leastGapMs: number
  peakPerHost: number
  /** Mean response time by country of Table 5.1, in its order; null where there was none. */
  measuredS: (number | null)[]
}

const ROWS = 20

export async function simulateRun(sql: Sql, run: Run): Promise<RunResult> {
  const clocks = run.perAgentDelay ? run.machines.length : 1
  const web = new Web(hostsOf(run.dataSet, { urls: run.urls, seed: run.seed, clocks }), run.seed)
  const world = { events: new Events(), web }
  const outcome = run.isDirect ? await runDirect(run, world) : await runFleet(sql, run, world)
  const sorted = outcome.repliesMs.toSorted((a, b) => a - b).map((ms) => ms / 1_000)
  return {
    makespanS: world.events.nowMs / 1_000,
    mostS: quantile(outcome.endsMs, 0.95) / 1_000,
    replyS: {
      mean: sorted.reduce((sum, s) => sum + s, 0) / sorted.length,
      p50: quantile(sorted, 0.5),
      p95: quantile(sorted, 0.95),
      p99: quantile(sorted, 0.99),
    },
    ...outcome.figures,
    ...web.politeness(),
    measuredS: Array.from({ length: ROWS }, (_, row) => {
      const measured = web.measuredS.get(row)
      return measured === undefined ? null : measured.sum / measured.n
    }),
  }
}

interface Outcome {
  repliesMs: number[]
  /** In order of time. */
  endsMs: number[]
  figures: Pick<RunResult, 'failed' | 'stale' | 'fetched' | 'stationBusyS' | 'uploadedMb'>
}

async function runDirect({ machines, urls }: Run, world: World): Promise<Outcome> {
  const [spec] = machines
  const direct = new DirectMachine(new Machine(spec!, world), world)
  direct.start()
  await world.events.run()
  const { failed, repliesMs, endsMs } = direct
  const fetched = { [spec!.name]: urls }
  return {
    repliesMs,
    endsMs,
    figures: { failed, stale: 0, fetched, stationBusyS: 0, uploadedMb: 0 },
  }
}

async function runFleet(sql: Sql, run: Run, world: World): Promise<Outcome> {
  const station = new Station(sql, world)
  await station.open(run.strategy, run.machines)
  const { mode } = run
  const agents = run.machines.map(
    (spec) => new Agent(new Machine(spec, world), { station, ...world, mode }),
  )
  station.keepWatch(agents)
  for (const agent of agents) agent.start()
  await world.events.run()
  const left = await station.left()
  if (left > 0) throw new Error(`The simulated fleet came to a stand with ${left} URLs left.`)
  return {
    repliesMs: station.repliesMs,
    endsMs: station.endsMs,
    figures: {
      failed: await station.failed(),
      stale: station.stale,
      fetched: Object.fromEntries(agents.map((agent) => [agent.name, agent.progress()])),
      stationBusyS: station.busyMs / 1_000,
      uploadedMb: station.bytes / 1_000_000,
    },
  }
}
