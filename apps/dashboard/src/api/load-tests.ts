/** What the page asks about load tests: made, started, stopped, reported. */
import type { LoadTestMessage, LoadTestReport, LoadTestView } from '@minga/protocol'
import { call, queryOf } from './call.ts'
import { station } from './station.ts'

/** Newest first, before this time. */
export const readLoadTests = (before: number | null, limit: number): Promise<LoadTestView[]> =>
  station('GET /load-tests', { query: { before, limit } })

export const readLoadTest = (id: string): Promise<LoadTestView> =>
  station('GET /load-tests/{id}', { params: { id } })

export const makeLoadTest = (test: LoadTestMessage): Promise<LoadTestView> =>
  station('POST /load-tests', { body: test })

/** Answers when the proof was looked at, which may take a minute. */
export const startLoadTest = (id: string): Promise<LoadTestView> =>
  station('POST /load-tests/{id}/start', { params: { id }, body: {} })

export const abortLoadTest = (id: string): Promise<LoadTestView> =>
  station('POST /load-tests/{id}/abort', { params: { id }, body: {} })

export const loadReportPath = (id: string, as: 'json' | 'text'): string =>
  `/load-tests/${id}/report${queryOf({ as })}`

export const readLoadReport = (id: string): Promise<LoadTestReport> =>
  call('GET', loadReportPath(id, 'json'))
