/** The report as text for people, as CSV for programs, and as figures. */
import { short } from './findings.ts'
import type { Correlation, FleetReport, Row } from './fleet-report.ts'
import type { Estimate } from './statistics.ts'
import { svgPlot, type Plot } from './svg-plot.ts'

type Align = 'left' | 'right'

export function textOf(report: FleetReport): string {
  const parts: string[] = []
  for (const [figure, rows] of Map.groupBy(report.rows, (row) => row.figure)) {
    const first = rows[0]!
    parts.push(
      `${titleOf(first)} (${first.dataSet}, ${first.urls} addresses, ${first.makespanS.n} seeds)`,
    )
    parts.push(figure === 'countries' ? correlationTable(report.correlations) : rowTable(rows))
  }
  parts.push(`What it shows:\n${report.findings.map((finding) => `  ${finding}`).join('\n')}`)
  return `${parts.join('\n')}\n`
}

function rowTable(rows: readonly Row[]): string {
  return table(
    [
      'series',
      xNameOf(rows[0]!),
      'time s',
      '95 % s',
      'reply s',
      'p50',
      'p95',
      'p99',
      'station s',
      'MB',
      'failed',
      'stale',
      'rest ms',
    ],
    rows.map((row) => [
      row.series,
      row.x,
      withInterval(row.makespanS),
      withInterval(row.mostS),
      withInterval(row.replyMeanS),
      withInterval(row.replyP50S),
      withInterval(row.replyP95S),
      withInterval(row.replyP99S),
      withInterval(row.stationBusyS),
      withInterval(row.uploadedMb),
      withInterval(row.failed),
      withInterval(row.stale),
      row.leastGapMs.toFixed(0),
    ]),
  )
}

function correlationTable(correlations: readonly Correlation[]): string {
  return table(
    ['agent', 'printed τ', 'printed p', 'τ-b of Table 5.1', 'S', 'p', 'simulated τ-b', 'p'],
    correlations.map(({ agent, printed, fromTable, tau, p }) => [
      agent,
      printed.tau.toFixed(3),
      printed.p.toPrecision(3),
      fromTable.tauB.toFixed(3),
      String(fromTable.s),
      fromTable.p.toPrecision(3),
      tau === null ? '–' : withInterval(tau),
      p === null ? '–' : withInterval(p),
    ]),
  )
}

function withInterval({ mean, halfWidth }: Estimate): string {
  return `${short(mean)} ± ${short(halfWidth)}`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)))
  const alignOf = (i: number): Align => (i === 0 ? 'left' : 'right')
  const line = (row: readonly string[]): string =>
    row
      .map((text, i) =>
        alignOf(i) === 'left' ? text.padEnd(widths[i]!) : text.padStart(widths[i]!),
      )
      .join('  ')
  return `${[head, ...rows].map((row) => `  ${line(row)}`).join('\n')}\n`
}

const TITLES = {
  threads: 'Threads of one machine fetching directly',
  blocks: 'Requests in hand of one agent',
  agents: 'Agents (0: one machine fetching directly)',
  strategies: 'Strategies with seven agents',
  countries: 'Response time against distance',
} as const

const X_NAMES = {
  threads: 'threads',
  blocks: 'block',
  agents: 'agents',
  strategies: 'strategy',
  countries: 'agent',
} as const

const titleOf = ({ experiment }: Row): string => TITLES[experiment]
const xNameOf = ({ experiment }: Row): string => X_NAMES[experiment]

const ESTIMATES = [
  'makespanS',
  'mostS',
  'replyMeanS',
  'replyP50S',
  'replyP95S',
  'replyP99S',
  'stationBusyS',
  'uploadedMb',
  'failed',
  'stale',
] as const

/** One line per row; every figure with half the width of its 95 % interval. */
export function csvOf({ rows, seeds }: FleetReport): string {
  const names = ESTIMATES.flatMap((name) => [name, `${name}_95`])
  const head = [
    'experiment',
    'figure',
    'series',
    'x',
    'dataSet',
    'urls',
    'seeds',
    ...names,
    'leastGapMs',
    'peakPerHost',
  ]
  const lines = rows.map((row) => [
    row.experiment,
    row.figure,
    `"${row.series}"`,
    row.x,
    row.dataSet,
    row.urls,
    seeds.length,
    ...ESTIMATES.flatMap((name) => [row[name].mean, row[name].halfWidth]),
    row.leastGapMs,
    row.peakPerHost,
  ])
  return `${[head, ...lines].map((line) => line.join(',')).join('\n')}\n`
}

/** What is plotted of each experiment in addition to the time until all is done. */
const MORE: Record<Row['experiment'], { suffix: string; yLabel: string; of: Estimated } | null> = {
  threads: null,
  blocks: {
    suffix: 'reply',
    yLabel: 'seconds until one reply (mean)',
    of: (row) => row.replyMeanS,
  },
  agents: { suffix: 'most', yLabel: 'seconds until 95 % is done', of: (row) => row.mostS },
  strategies: { suffix: 'most', yLabel: 'seconds until 95 % is done', of: (row) => row.mostS },
  countries: null,
}

type Estimated = (row: Row) => Estimate

/** File names without ending, and their drawings. */
export function figuresOf(report: FleetReport): { name: string; svg: string }[] {
  const plots = [...Map.groupBy(report.rows, (row) => row.figure)].flatMap(([name, rows]) => {
    if (name === 'countries') return [{ name, plot: correlationPlot(report.correlations) }]
    const yLabel = 'seconds until all is done'
    const time = { name, plot: plotOf(rows, { yLabel, of: (row) => row.makespanS }) }
    const more = MORE[rows[0]!.experiment]
    return more === null
      ? [time]
      : [time, { name: `${name}-${more.suffix}`, plot: plotOf(rows, more) }]
  })
  return plots.map(({ name, plot }) => ({ name, svg: svgPlot(plot) }))
}

function plotOf(rows: readonly Row[], { yLabel, of }: { yLabel: string; of: Estimated }): Plot {
  const first = rows[0]!
  return {
    title: `${titleOf(first)}: ${first.dataSet}, ${first.urls} addresses`,
    xLabel: xNameOf(first),
    yLabel,
    xs: [...new Set(rows.map(({ x }) => x))],
    isLine: first.experiment !== 'strategies',
    series: [...Map.groupBy(rows, ({ series }) => series)].map(([name, list]) => ({
      name,
      points: list.map((row) => ({ x: row.x, ...of(row) })),
    })),
  }
}

function correlationPlot(correlations: readonly Correlation[]): Plot {
  const exact = (mean: number): Estimate => ({ mean, halfWidth: NaN, n: 1 })
  const points = (of: (one: Correlation) => Estimate | null): Plot['series'][number]['points'] =>
    correlations.flatMap((one) => {
      const value = of(one)
      return value === null ? [] : [{ x: one.agent, ...value }]
    })
  return {
    title: 'Kendall’s τ of response time against distance',
    xLabel: 'agent',
    yLabel: 'τ',
    xs: correlations.map(({ agent }) => agent),
    isLine: false,
    series: [
      { name: 'Table 5.2 as printed', points: points(({ printed }) => exact(printed.tau)) },
      {
        name: 'Table 5.1, our distances',
        points: points(({ fromTable }) => exact(fromTable.tauB)),
      },
      { name: 'simulated', points: points(({ tau }) => tau) },
    ],
  }
}
