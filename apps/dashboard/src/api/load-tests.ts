/** What the page asks about load tests: made, started, stopped, reported. */
import type { LoadTestMessage, LoadTestReport, LoadTestView } from '@minga/protocol'
import { call, queryOf } from './call.ts'

/** Newest first, before this time. */
export const readLoadTests = (before: number | null, limit: number): Promise<LoadTestView[]> =>
  call('GET', `/load-tests${queryOf({ before, limit })}`)

export const readLoadTest = (id: string): Promise<LoadTestView> => call('GET', `/load-tests/${id}`)

export const makeLoadTest = (test: LoadTestMessage): Promise<LoadTestView> =>
  call('POST', '/load-tests', test)

/** Answers when the proof was looked at, which may take a minute. */
export const startLoadTest = (id: string): Promise<LoadTestView> =>
  call('POST', `/load-tests/${id}/start`, {})

export const abortLoadTest = (id: string): Promise<LoadTestView> =>
  call('POST', `/load-tests/${id}/abort`, {})

export const loadReportPath = (id: string, as: 'json' | 'text'): string =>
  `/load-tests/${id}/report${queryOf({ as })}`

export const readLoadReport = (id: string): Promise<LoadTestReport> =>
  call('GET', loadReportPath(id, 'json'))
