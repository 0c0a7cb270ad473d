/** What the page asks of the neutrality monitor: lists that are watched, and what was found. */
import type { MonitorMessage } from '@minga/protocol'
import { call, queryOf } from './call.ts'

export interface RunView {
  no: number
  startedAt: number
  endedAt: number | null
  /** Of an ended run. */
  deviations: number | null
}

export interface Monitor {
  id: string
  name: string
  urls: string[]
  by: 'country' | 'network'
  devicesPerPlace: number
  /** Null: one run only, or stopped. */
  everyMs: number | null
  /** How long a run waits for its devices. */
  runMs: number
  createdAt: number
  nextRunAt: number | null
  runs: number
  /** The latest runs, oldest first; empty in a list. */
  history: RunView[]
}

export interface PlaceFlag {
  url: string
  place: string
  kind: string
  isConfirmed: boolean
  /** What is seen there, in the station's words. */
  says: string
  /** What most places see. */
  consensus: string | null
  /** The run since which it was found without a break. */
  sinceRun: number
}

export const VERDICTS = ['same', 'differs', 'varies', 'too-few'] as const
export type Verdict = (typeof VERDICTS)[number]

export interface UrlFinding {
  url: string
  verdict: Verdict
  consensus: string | null
  places: number
}

export interface MonitorReport {
  /** Null when no run has ended yet. */
  run: RunView | null
  flags: PlaceFlag[]
  findings: UrlFinding[]
}

/** Newest first, before this time. */
export const readMonitors = (before: number | null, limit: number): Promise<Monitor[]> =>
  call('GET', `/neutrality${queryOf({ before, limit })}`)

export const readMonitor = (id: string): Promise<Monitor> => call('GET', `/neutrality/${id}`)

export const makeMonitor = (monitor: MonitorMessage): Promise<Monitor> =>
  call('POST', '/neutrality', monitor)

export const stopMonitor = (id: string): Promise<Monitor> =>
  call('POST', `/neutrality/${id}/stop`, {})

export const monitorReportPath = (
  id: string,
  asked: { as: 'json' | 'csv' | 'text'; run: number | null },
): string => `/neutrality/${id}/report${queryOf(asked)}`

/** Of this run, or of the last one that has ended. */
export const readMonitorReport = (id: string, run: number | null): Promise<MonitorReport> =>
  call('GET', monitorReportPath(id, { as: 'json', run }))
