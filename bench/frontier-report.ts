/** The options and the result of a run of the frontier, and the table of several runs. */
import type { Answering } from './frontier-load.ts'
import { figure, markdownTable, medianWithSpread } from './report.ts'

export type Engine = 'sqlite' | 'postgres'

export interface FrontierOrder {
  engine: Engine
  urls: number
  hosts: number
  answering: Answering
  /** Afterwards go on to this many URLs; 0: do not. */
  grow: number
}

export interface Phase {
  what: string
  urls: number
  seconds: number
  cpuSeconds: number
  /** Highest resident memory sampled while it ran. */
  rssBytes: number
}

const MB = 1_000_000

/** Phases of one name are one row, in the order in which the names first came. */
export function frontierTable(phases: readonly Phase[]): string {
  const byName = [...Map.groupBy(phases, ({ what }) => what)]
  return markdownTable(
    byName.map(([what, same]) => ({
      what,
      runs: figure(same.length),
      URLs: medianWithSpread(same.map(({ urls }) => urls)),
      'URLs/s': medianWithSpread(same.map(({ urls, seconds }) => urls / seconds)),
      'URLs per CPU second': medianWithSpread(
        same.map(({ urls, cpuSeconds }) => urls / cpuSeconds),
      ),
      'peak MB': figure(Math.round(Math.max(...same.map(({ rssBytes }) => rssBytes)) / MB)),
    })),
  )
}
