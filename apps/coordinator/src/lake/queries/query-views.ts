/** What clients see of a query. */
import type { QueryStatus, QuerySummary } from '@minga/lake'
import type {
  importMessage,
  queryQuestion,
  QueryState,
  QueryView,
  ResultFormat,
} from '@minga/protocol'
import type { z } from 'zod'

export type Question = z.output<typeof queryQuestion>
export type Import = z.output<typeof importMessage>

/** What is stored of a query in addition to its plan. */
export interface Asked {
  queries: string[]
  format: ResultFormat
  /** Ids of uploads that it reads: they stay while it runs. */
  uploads: string[]
  /** Whole, so that it can be asked again. */
  question?: Question
  /** The same of an import. */
  imported?: Import
}

interface Result {
  query: string
  columns: string[]
  file: { rows: number; bytes: number } | null
}

/** Of a summary, what only a whole status tells is left empty. */
export function queryView(
  summary: QuerySummary & Partial<QueryStatus>,
  results: readonly Result[],
): QueryView {
  const { id, kind, owner, tasks, rowsRead, bytesRead, error, ...status } = summary
  const { etaMs = null, rejects = {}, stages = [] } = status
  const { format } = status.ask as Asked
  return {
    id,
    number: status.number,
    kind,
    owner,
    queries: (status.ask as Asked).queries,
    state: stateOf(summary),
    askedAt: status.madeAt,
    endedAt: status.endedAt,
    tasks: { done: tasks.done, running: tasks.running, total: tasks.total },
    rowsRead,
    bytesRead,
    bytesTotal: status.bytesTotal,
    etaMs,
    stages: stages.map(({ id: stage, about, done, running, total, rows }) => ({
      id: stage,
      about,
      done,
      running,
      total,
      rows,
    })),
    rejects,
    error: error && {
      code: error.code,
      message: error.message,
      stage: error.stage ?? null,
      sql: error.sql ?? null,
    },
    results: results.map(({ query: name, columns, file }) => ({
      name,
      columns,
      format,
      rows: file?.rows ?? null,
      bytes: file?.bytes ?? null,
    })),
  }
}

function stateOf({ state, why }: QuerySummary): QueryState {
  return state === 'cancelled' && why === 'abandoned' ? 'abandoned' : state
}
