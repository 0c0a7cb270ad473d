/** What the page asks about load tests: made, started, stopped, reported. */
import type { LoadTestReport } from '@minga/protocol'
import { call, queryOf } from './call.ts'

export const loadReportPath = (id: string, as: 'json' | 'text'): string =>
  `/load-tests/${id}/report${queryOf({ as })}`

export const readLoadReport = (id: string): Promise<LoadTestReport> =>
  call('GET', loadReportPath(id, 'json'))
