/** The door of this folder: options in, finished texts out. `minga simulate revisit` knows no more. */
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { BadPolicyFile, POLICY_NAMES, policyIn, policyNamed, type Policy } from '@minga/forecast'
import { REGIMES, regimeTraces, type Regime } from './regimes.ts'
import { tableOf } from './report.ts'
import { compare, type Progress } from './simulate-revisit.ts'
import { tracesOf, type Trace } from './trace.ts'
import { oraclePolicy } from './oracle.ts'
import type { Interval } from './bootstrap.ts'

export interface RevisitOptions {
  /** The text of a trace file; null: the regime. */
  trace: string | null
  regime: string
  urls: number
  days: number
  budget: number
  /** Empty: all. */
  policies: readonly string[]
  seed: number
}

export interface RevisitOutput {
  text: string
  json: string
  svg: string
}

export const regimeNames: readonly string[] = REGIMES

export async function revisitSimulation(
  options: RevisitOptions,
  onProgress?: Progress,
): Promise<RevisitOutput> {
  const { budget, seed } = options
  const names = options.policies.length > 0 ? options.policies : [...POLICY_NAMES, 'oracle']
  const policies = await Promise.all(names.map(policyOf))
  const traces = tracesFor(options)
  const { rows } = compare({ traces, policies, budget, seed }, onProgress)
  const changes = traces.reduce((sum, trace) => sum + trace.changes.length, 0)
  const source = options.trace === null ? options.regime : 'trace'
  const title = `${source}: ${traces.length} URLs, ${changes} changes, ${budget} visits per URL and day, seed ${seed}`
  return {
    text: `${title}\n${tableOf(rows)}`,
    json: JSON.stringify({ source, urls: traces.length, changes, budget, seed, policies: rows }),
    svg: barPlot(
      title,
      rows.map(({ name, weightedVersions, intervals }) => ({
        name,
        value: weightedVersions,
        interval: intervals.weightedVersions,
      })),
    ),
  }
}

function tracesFor({ trace, regime, urls, days, seed }: RevisitOptions): Trace[] {
  return trace === null ? regimeTraces(regime as Regime, { urls, days, seed }) : tracesOf(trace)
}

const FILE = /\.[cm]?[jt]s$/

/** A policy by its name, or from a file that exports one by default. */
export async function policyOf(name: string): Promise<Policy> {
  if (name === oraclePolicy.name) return oraclePolicy
  return FILE.test(name) ? loadPolicy(name) : policyNamed(name, ['oracle', './mine.ts'])
}

async function loadPolicy(path: string): Promise<Policy> {
  let loaded: { default?: unknown }
  try {
    loaded = (await import(pathToFileURL(resolve(path)).href)) as { default?: unknown }
  } catch (cause) {
    throw new BadPolicyFile(path, 'cannot be loaded', { cause })
  }
  return policyIn(path, loaded)
}

interface Bar {
  name: string
  value: number
  interval: Interval
}

const WIDTH = 760
const ROW = 24
const TOP = 48
const LEFT = 190
const RIGHT = 90

/** Weighted versions per policy as horizontal bars with their intervals, in one SVG text. */
function barPlot(title: string, bars: readonly Bar[]): string {
  const height = TOP + ROW * bars.length + 16
  const most = Math.max(...bars.map(({ interval, value }) => Math.max(interval[1], value)), 1)
  const x = (value: number): number =>
    Math.round(10 * (LEFT + (value / most) * (WIDTH - LEFT - RIGHT))) / 10
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${safe(title)}">`,
    STYLE,
    `<rect class="page" width="${WIDTH}" height="${height}"/>`,
    `<text class="title" x="12" y="24">${safe(title)}</text>`,
    ...bars.flatMap((bar, i) => barLines(bar, TOP + ROW * i, x)),
    '</svg>',
    '',
  ].join('\n')
}

function barLines({ name, value, interval }: Bar, y: number, x: (v: number) => number): string[] {
  const middle = y + ROW / 2 - 3
  const [low, high] = [x(interval[0]), x(interval[1])]
  return [
    `<text x="${LEFT - 8}" y="${middle + 4}" text-anchor="end">${safe(name)}</text>`,
    `<rect class="bar" x="${LEFT}" y="${y}" width="${Math.max(0, x(value) - LEFT).toFixed(1)}" height="${ROW - 6}"/>`,
    `<line class="whisker" x1="${low}" y1="${middle}" x2="${high}" y2="${middle}"/>`,
    `<text x="${high + 6}" y="${middle + 4}">${value.toFixed(0)}</text>`,
  ]
}

const STYLE = `<style>
text { font: 13px system-ui, sans-serif; fill: #222 } .title { font-weight: 600 }
.page { fill: #fff } .bar { fill: #0072b2 } .whisker { stroke: #d55e00; stroke-width: 2 }
@media (prefers-color-scheme: dark) { text { fill: #ddd } .page { fill: #16181c }
.bar { fill: #56b4e9 } .whisker { stroke: #e69f00 } }
</style>`

function safe(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
