/** What the page asks of the neutrality monitor: lists that are watched, and what was found. */
import type { MonitorMessage, MonitorReport, MonitorVerdict, MonitorView } from '@minga/protocol'
import { call, queryOf } from './call.ts'
import { station } from './station.ts'

export const VERDICTS = [
  'same',
  'differs',
  'varies',
  'too-few',
] as const satisfies readonly MonitorVerdict[]

/** Newest first, before this time. */
export const readMonitors = (before: number | null, limit: number): Promise<MonitorView[]> =>
  station('GET /neutrality', { query: { before, limit } })

export const readMonitor = (id: string): Promise<MonitorView> =>
  station('GET /neutrality/{id}', { params: { id } })

export const makeMonitor = (monitor: MonitorMessage): Promise<MonitorView> =>
  station('POST /neutrality', { body: monitor })

export const stopMonitor = (id: string): Promise<MonitorView> =>
  station('POST /neutrality/{id}/stop', { params: { id }, body: {} })

export const monitorReportPath = (
  id: string,
  asked: { as: 'json' | 'csv' | 'text'; run: number | null },
): string => `/neutrality/${id}/report${queryOf(asked)}`

/** Of this run, or of the last one that has ended. */
export const readMonitorReport = (id: string, run: number | null): Promise<MonitorReport> =>
  call('GET', monitorReportPath(id, { as: 'json', run }))
