/** Sentences that the numbers carry, and none that they do not. */
import type { Correlation, Row } from './fleet-report.ts'
import { estimate, type Estimate } from './statistics.ts'

export function findingsOf(rows: readonly Row[], correlations: readonly Correlation[]): string[] {
  return [
    ...agentFindings(rows),
    ...strategyFindings(rows),
    ...politenessFindings(rows),
    ...correlationFindings(correlations),
  ]
}

/** Surely less: seed by seed, under the same weather, the mean difference's interval is below 0. */
function isSurelyLess(a: Row, b: Row): boolean {
  const { mean, halfWidth } = estimate(a.makespans.map((value, i) => value - b.makespans[i]!))
  return mean + halfWidth < 0
}

function agentFindings(rows: readonly Row[]): string[] {
  const figures = Map.groupBy(
    rows.filter(({ experiment }) => experiment === 'agents'),
    ({ dataSet, series }) => `${dataSet}, ${series}`,
  )
  return [...figures].flatMap(([name, list]) => {
    const direct = list.find(({ x }) => x === '0')
    if (!direct) return []
    const first = list.find((row) => row.x !== '0' && isSurelyLess(row, direct))
    const base = `the direct machine's ${secondsOf(direct.makespanS)}`
    return first === undefined
      ? [`${name}: no number of agents surely beats ${base}.`]
      : [`${name}: ${first.x} agents beat ${base} with ${secondsOf(first.makespanS)}.`]
  })
}

function strategyFindings(rows: readonly Row[]): string[] {
  const fleets = Map.groupBy(
    rows.filter(({ experiment }) => experiment === 'strategies'),
    ({ dataSet, series }) => `${dataSet}, ${series} agents`,
  )
  return [...fleets].map(([name, list]) => {
    const order = list.toSorted((a, b) => a.makespanS.mean - b.makespanS.mean)
    const steps = order.map((row, i) => {
      const next = order[i + 1]
      const sign = next === undefined ? '' : isSurelyLess(row, next) ? ' <' : ' ≈'
      return `${row.x} ${secondsOf(row.makespanS)}${sign}`
    })
    return `${name}: ${steps.join(' ')}.`
  })
}

function politenessFindings(rows: readonly Row[]): string[] {
  const crowded = rows.filter(({ peakPerHost }) => peakPerHost > 1)
  if (crowded.length === 0)
    return ['No host ever saw two requests at once or was left less than its pause.']
  const lost = crowded.filter(({ stale }) => stale.mean > 0).length
  const most = Math.max(...crowded.map(({ peakPerHost }) => peakPerHost))
  return [
    `In ${crowded.length} of ${rows.length} rows a host saw up to ${most} requests at once; in ${lost} of ` +
      'them leases of slow agents were ended while their requests were under way.',
  ]
}

function correlationFindings(correlations: readonly Correlation[]): string[] {
  return correlations.map(({ agent, printed, fromTable }) => {
    const differs = Math.abs(fromTable.tauB - printed.tau)
    const verdict =
      differs < 0.0006 ? 'as printed' : `printed ${printed.tau}, ${differs.toFixed(3)} apart`
    const weak = fromTable.p >= 0.05 ? '; not significant' : ''
    return `${agent}: τ-b ${fromTable.tauB.toFixed(3)}, p ${fromTable.p.toPrecision(3)} (${verdict})${weak}.`
  })
}

function secondsOf({ mean, halfWidth }: Estimate): string {
  return `${short(mean)} ± ${short(halfWidth)} s`
}

/** Three digits that count. */
export function short(value: number): string {
  if (!Number.isFinite(value)) return '–'
  const size = Math.abs(value)
  if (size >= 100) return value.toFixed(0)
  if (size >= 10) return value.toFixed(1)
  return size >= 1 || size === 0 ? value.toFixed(2) : value.toPrecision(2)
}
