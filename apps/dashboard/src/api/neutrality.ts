/** What the page asks of the neutrality monitor: lists that are watched, and what was found. */
import type { MonitorReport, MonitorVerdict } from '@minga/protocol'
import { call, queryOf } from './call.ts'

export const VERDICTS = [
  'same',
  'differs',
  'varies',
  'too-few',
] as const satisfies readonly MonitorVerdict[]

export const monitorReportPath = (
  id: string,
  asked: { as: 'json' | 'csv' | 'text'; run: number | null },
): string => `/neutrality/${id}/report${queryOf(asked)}`

/** Of this run, or of the last one that has ended. */
export const readMonitorReport = (id: string, run: number | null): Promise<MonitorReport> =>
  call('GET', monitorReportPath(id, { as: 'json', run }))
