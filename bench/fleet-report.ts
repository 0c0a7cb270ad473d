/** The tables of the fleet. */
import type { IdleRun, LoadRun } from './fleet-load.ts'
import { AGENT_COUNTS, type DataSet, type OverheadRun } from './fleet-overhead.ts'
import { figure, markdownTable, median, medianWithSpread, quantile } from './report.ts'

const MICROS = 1_000_000
const MB = 1_000_000

function resultsPerUpload({ uploads }: LoadRun): number {
  return uploads.reduce((sum, { accepted }) => sum + accepted, 0) / uploads.length
}

export function loadTable(runs: readonly LoadRun[]): string {
  const of = (read: (run: LoadRun) => number): string => medianWithSpread(runs.map(read))
  const withCheck = (run: LoadRun): number =>
    run.cpuMicrosPerRequest + MICROS * run.checkSecondsPerResult
  const asks = runs.flatMap((run) => run.asks.map(({ ms }) => ms))
  const row = (what: string, measured: string, target = '–'): Record<string, string> => ({
    what,
    measured,
    target,
  })
  return markdownTable([
    row(
      'coordinator CPU per request, µs',
      of((run) => run.cpuMicrosPerRequest),
      '≤ 120',
    ),
    row('and with every record read again (strangers), µs', of(withCheck)),
    row(
      'requests/s, agents and client on the same cores',
      of((run) => run.requestsPerSecond),
      '10,000',
    ),
    row(
      `answer to an ask (${figure(asks.length)} of all runs), p50 ms`,
      figure(quantile(asks, 0.5)),
    ),
    row('answer to an ask, p99 ms', figure(quantile(asks, 0.99))),
    row('results per upload', of(resultsPerUpload), '≥ 64'),
    row(
      'bytes per result as archived',
      of((run) => run.memberBytes),
    ),
  ])
}

export function idleTable(runs: readonly IdleRun[], agents: number): string {
  const of = (read: (run: IdleRun) => number): string => medianWithSpread(runs.map(read))
  const peak = (run: IdleRun): number => Math.round(run.rssPeakBytes / MB)
  return markdownTable([
    {
      agents: figure(agents),
      'enrolled in s': of((run) => run.enrolSeconds),
      'peak MB': of(peak),
      'MB before': of((run) => Math.round(run.rssBeforeBytes / MB)),
      'beats/s': of((run) => run.beats / run.seconds),
      'asks/s': of((run) => run.asks / run.seconds),
      'slowest beat ms': of((run) => Math.round(run.slowestBeatMs)),
      failures: of((run) => run.failures),
      'cores used': of((run) => run.cpuShare),
    },
  ])
}

export function overheadTable(results: ReadonlyMap<DataSet, readonly OverheadRun[]>): string {
  return markdownTable(
    [...results].map(([{ name, what }, runs]) => {
      const direct = median(runs.map((run) => run.direct))
      const cells = AGENT_COUNTS.map((count, i) => {
        const rate = median(runs.map((run) => run.minga[i]!))
        const title = count === 1 ? '1 agent' : `${count} agents`
        return [title, `${figure(rate)} (${figure(rate / direct)}×)`]
      })
      return {
        list: `${name}: ${what}`,
        'direct loop': figure(direct),
        ...Object.fromEntries(cells),
      }
    }),
  )
}
