/** The report as text for people and as CSV for programs. */
import { short } from '../fleet/findings.ts'
import type { Estimate } from '../fleet/statistics.ts'
import type { PartitionReport, PlacementRow, Row } from './report.ts'
import type { Figure } from './trend-judges.ts'
import type { Trend } from './trends.ts'

export function textOf(report: PartitionReport): string {
  const { scale, rows, seeds, pages, placements, trends } = report
  const parts = [
    `${pages.toLocaleString('en')} pages, ${seeds.length} seeds; figures are means ± half of their 95 % intervals.`,
  ]
  const groups = Map.groupBy(rows, ({ unit, weather, politeness }) =>
    weather === 'calm' && unit === 'host' ? `Pauses: ${politeness}` : 'Polite to addresses',
  )
  for (const [title, group] of groups) parts.push(`${title}\n${rowTable(group)}`)
  if (placements.length > 0)
    parts.push(`Placements by formula, and when a robot joins\n${placementTable(placements)}`)
  parts.push(violationLine(rows))
  if (trends.some(({ holds }) => holds !== null)) {
    const note = scale < 1 ? ' (made for a scale of 1; with few hosts per robot T2 is harder)' : ''
    parts.push(`Trends of the thesis${note}\n${trendLines(trends)}`)
  }
  return `${parts.join('\n')}\n`
}

function rowTable(rows: readonly Row[]): string {
  return table(
    [
      'allocator',
      'robots',
      'pauses',
      'unit',
      'weather',
      'days',
      '90 %',
      '99 %',
      'against hash',
      'exchanged',
      'against hash',
      'rtt ms',
      'imbalance',
      'idle',
      'URLs/msg',
      'moved',
    ],
    rows.map((row) => [
      nameOf(row),
      String(row.k),
      row.politeness,
      row.unit,
      row.weather,
      shown(row.makespanDays),
      shown(row.to90Days),
      shown(row.to99Days),
      perCent(row.makespanAgainstHash),
      perCent(row.exchangeShare),
      perCent(row.exchangeAgainstHash),
      shown(row.rttMs),
      short(row.imbalance.mean),
      short(row.idleTail.mean),
      short(row.urlsPerMessage.mean),
      perCent(row.movedShare),
    ]),
  )
}

/** With the source of distances where it looks at any but round trips. */
export function nameOf({ allocator, source }: Pick<Row, 'allocator' | 'source'>): string {
  return source === 'rtt' ? allocator : `${allocator} (${source})`
}

function placementTable(placements: readonly PlacementRow[]): string {
  return table(
    [
      'allocator',
      'robots',
      'exchanged',
      'download s',
      'exchange s',
      'redistribution s',
      'moved',
      'exchanged after',
    ],
    placements.map((row) => [
      row.allocator,
      String(row.k),
      perCent(row.exchangeShare),
      shown(row.downloadS),
      shown(row.exchangeS),
      shown(row.redistributionS),
      perCent(row.movedShare),
      perCent(row.exchangeShareAfter),
    ]),
  )
}

/** Politeness that is owed and was not kept: of hosts always, of addresses where they are the unit. */
function violationsOf(rows: readonly Row[]): number {
  return rows.reduce(
    (sum, { unit, hostViolations, addressViolations }) =>
      sum + hostViolations + (unit === 'address' ? addressViolations : 0),
    0,
  )
}

function violationLine(rows: readonly Row[]): string {
  const count = violationsOf(rows)
  return count === 0
    ? 'No server was asked before its pause was over or by two robots at once.\n'
    : `${count} requests came too early.\n`
}

function trendLines(trends: readonly Trend[]): string {
  return trends
    .flatMap(({ name, isMust, claim, figures, holds }) => [
      `  ${name.padEnd(3)} ${isMust ? 'must  ' : 'should'} ${verdict(holds, isMust)}  ${claim}`,
      ...figures.map((figure) => `        ${figureLine(figure)}`),
    ])
    .join('\n')
}

function verdict(holds: boolean | null, isMust: boolean): string {
  if (holds === null) return 'not run'
  if (holds) return 'holds  '
  return isMust ? 'MISSED ' : 'outside'
}

function figureLine({ what, value, band, isShare, holds }: Figure): string {
  const one = (mean: number): string => (isShare ? `${short(100 * mean)} %` : short(mean))
  const shownValue = isShare ? perCent(value) : shown(value)
  return `${what}: ${shownValue} (band ${one(band[0])} to ${one(band[1])}${holds ? '' : '; outside'})`
}

function shown({ mean, halfWidth }: Estimate): string {
  return Number.isNaN(halfWidth) ? short(mean) : `${short(mean)} ± ${short(halfWidth)}`
}

function perCent(value: Estimate | null): string {
  if (value === null) return '–'
  const { mean, halfWidth } = value
  const interval = Number.isNaN(halfWidth) ? '' : ` ± ${short(100 * halfWidth)}`
  return `${short(100 * mean)}${interval} %`
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)))
  const line = (row: readonly string[]): string =>
    row.map((text, i) => (i === 0 ? text.padEnd(widths[i]!) : text.padStart(widths[i]!))).join('  ')
  return `${[head, ...rows].map((row) => `  ${line(row)}`).join('\n')}\n`
}

const CELL = ['allocator', 'politeness', 'source', 'k', 'unit', 'weather'] as const
const ESTIMATES = [
  'makespanDays',
  'to90Days',
  'to99Days',
  'makespanAgainstHash',
  'exchangeShare',
  'exchangeAgainstHash',
  'rttMs',
  'rttAgainstHash',
  'urlsPerMessage',
  'imbalance',
  'idleTail',
  'movedShare',
] as const
const COUNTS = ['failed', 'hostViolations', 'addressViolations'] as const

/** One line per row; every figure with half the width of its 95 % interval. */
export function csvOf({ rows, seeds, pages }: PartitionReport): string {
  const names = ESTIMATES.flatMap((name) => [name, `${name}_95`])
  const head = [...CELL, 'pages', 'seeds', ...names, ...COUNTS]
  const lines = rows.map((row) => [
    ...CELL.map((name) => row[name]),
    pages,
    seeds.length,
    ...ESTIMATES.flatMap((name) => [row[name]?.mean ?? '', row[name]?.halfWidth ?? '']),
    ...COUNTS.map((name) => row[name]),
  ])
  return csv([head, ...lines])
}

const PLACEMENT_ESTIMATES = [
  'exchangeShare',
  'downloadS',
  'exchangeS',
  'redistributionS',
  'movedShare',
  'exchangeShareAfter',
] as const

export function placementsCsvOf({ placements, seeds }: PartitionReport): string {
  const head = [
    'allocator',
    'k',
    'seeds',
    ...PLACEMENT_ESTIMATES.flatMap((name) => [name, `${name}_95`]),
  ]
  const lines = placements.map((row) => [
    row.allocator,
    row.k,
    seeds.length,
    ...PLACEMENT_ESTIMATES.flatMap((name) => [row[name].mean, row[name].halfWidth]),
  ])
  return csv([head, ...lines])
}

function csv(lines: readonly (readonly (string | number)[])[]): string {
  return `${lines.map((line) => line.join(',')).join('\n')}\n`
}
