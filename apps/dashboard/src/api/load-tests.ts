/** What the page asks about load tests: made, started, stopped, reported. */
import type { LoadError, LoadTestMessage, LoadTestState } from '@minga/protocol'
import { call, queryOf } from './call.ts'

/** When the site counts as bearing its visitors. */
export interface Criterion {
  p95Ms: number
  errorRate: number
}

export interface LoadStep {
  visitors: number
  requests: number
  perSecond: number
  bytes: number
  errors: Partial<Record<LoadError, number>>
  errorRate: number
  p50Ms: number | null
  p90Ms: number | null
  p95Ms: number | null
  p99Ms: number | null
  doesBear: boolean
  /** A ceiling kept visitors waiting: more of them would have changed nothing. */
  isHeldBack: boolean
}

export interface LoadTest {
  id: string
  host: string
  state: LoadTestState
  reason: string | null
  plan: {
    urls: string[]
    visitorsMax: number
    stepMs: number
    thinkMs: number
    answerMsMax: number
    bears: Criterion
    ceilings: Criterion & { requestsPerSecond: number; bytes: number; durationMs: number }
  }
  /** While it is not started. */
  proof: {
    file: { path: string; content: string }
    /** Null where the host is an address. */
    dns: { name: string; type: 'TXT'; value: string } | null
    provenAt: number | null
  } | null
  createdAt: number
  startedAt: number | null
  endedAt: number | null
  /** Of the last few seconds, while it runs. */
  live: { visitors: number; perSecond: number; p95Ms: number | null; errorRate: number } | null
  steps: LoadStep[]
}

export interface Capacity {
  visitors: number
  isAtLeast: boolean
  low: number
  high: number | null
}

export interface LoadReport extends Omit<LoadTest, 'proof' | 'live'> {
  capacity: Capacity | null
  notes: string[]
  machines: { asked: number; joined: number; lost: number } | null
  totals: { requests: number; bytes: number } | null
}

/** Newest first, before this time. Whether one that waits is proven is not looked at for a list. */
export const readLoadTests = (before: number | null, limit: number): Promise<LoadTest[]> =>
  call('GET', `/load-tests${queryOf({ before, limit })}`)

export const readLoadTest = (id: string): Promise<LoadTest> => call('GET', `/load-tests/${id}`)

export const makeLoadTest = (test: LoadTestMessage): Promise<LoadTest> =>
  call('POST', '/load-tests', test)

/** Answers when the proof was looked at, which may take a minute. */
export const startLoadTest = (id: string): Promise<LoadTest> =>
  call('POST', `/load-tests/${id}/start`, {})

export const abortLoadTest = (id: string): Promise<LoadTest> =>
  call('POST', `/load-tests/${id}/abort`, {})

export const loadReportPath = (id: string, as: 'json' | 'text'): string =>
  `/load-tests/${id}/report${queryOf({ as })}`

export const readLoadReport = (id: string): Promise<LoadReport> =>
  call('GET', loadReportPath(id, 'json'))
