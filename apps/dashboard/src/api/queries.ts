/** What the page asks about queries, tables, uploads and SQL. */
import type {
  FileSummary,
  ImportMessage,
  ImportPreview,
  InputSource,
  PreviewMessage,
  QueryMessage,
  QueryPlanView,
  QueryQuestion,
  QueryView,
  ResultFormat,
  SavedMessage,
  SavedView,
  SqlAnswer,
  SqlLimitsView,
  TableVersionView,
  TableView,
  UploadView,
} from '@minga/protocol'
import { ask, queryOf } from './call.ts'
import { station } from './station.ts'
import { callerHeaders } from './key.ts'

export interface ShippedParameter {
  type: 'text' | 'integer' | 'number'
  default: string | number
  about: string
}

/** A query as it is written; what it does with its rows is the station's business. */
export interface WrittenQuery {
  name: string
  about: string
  inputs: Record<string, { table: string } | { columns: Record<string, unknown> }>
  parameters?: Record<string, ShippedParameter>
  output: { columns: string[] }
}

export const readShipped = (): Promise<WrittenQuery[]> => station('GET /queries/shipped')

export interface QueriesPage {
  state: string | null
  before: number | null
  limit: number
}

/** Newest first. */
export const readQueries = (page: QueriesPage): Promise<QueryView[]> =>
  station('GET /queries', { query: { ...page } })

export const readQuery = (id: string): Promise<QueryView> =>
  station('GET /queries/{id}', { params: { id } })

export const readPlan = (id: string): Promise<QueryPlanView> =>
  station('GET /queries/{id}/plan', { params: { id } })

export const explainQuestion = (question: QueryQuestion): Promise<QueryPlanView> =>
  station('POST /queries/explain', { body: question })

export const sendQuestion = (message: QueryMessage): Promise<QueryView> =>
  station('POST /queries', { body: message })

export const cancelQuery = (id: string): Promise<QueryView> =>
  station('POST /queries/{id}/cancel', { params: { id }, body: {} })

/** The same question once more, as a new query. */
export const askAgain = (id: string): Promise<QueryView> =>
  station('POST /queries/{id}/again', { params: { id }, body: {} })

/** In the order of the file. */
export const readResultRows = (id: string, name: string, limit: number): Promise<TableRows> =>
  station('GET /queries/{id}/results/{name}/rows', { params: { id, name }, query: { limit } })

export const readTables = (): Promise<TableView[]> => station('GET /tables')

export const readTable = (name: string): Promise<TableView> =>
  station('GET /tables/{name}', { params: { name } })

export const readVersions = (name: string): Promise<TableVersionView[]> =>
  station('GET /tables/{name}/versions', { params: { name } })

export interface TableRows {
  columns: { name: string; type: string }[]
  rows: unknown[][]
}

export const readTableRows = (
  name: string,
  page: { version: number | null; limit: number },
): Promise<TableRows> => station('GET /tables/{name}/rows', { params: { name }, query: page })

/** `reasons`: of all of them. */
export const readRejects = (
  name: string,
  limit: number,
): Promise<TableRows & { reasons: Record<string, number> }> =>
  station('GET /tables/{name}/rejects', { params: { name }, query: { limit } })

export const dropTable = (name: string): Promise<unknown> =>
  station('DELETE /tables/{name}', { params: { name } })

export const compactTable = (name: string): Promise<{ query: QueryView | null }> =>
  station('POST /tables/{name}/compact', { params: { name }, body: {} })

export const importTable = (name: string, message: ImportMessage): Promise<QueryView> =>
  station('POST /tables/{name}/import', { params: { name }, body: message })

export const lookAtInput = (input: InputSource): Promise<FileSummary> =>
  station('POST /inputs/look', { body: { input } })

export const previewImport = (message: PreviewMessage): Promise<ImportPreview> =>
  station('POST /tables/preview', { body: message })

export const readSqlLimits = (): Promise<SqlLimitsView> => station('GET /sql/limits')

export async function askSql(sql: string, signal: AbortSignal): Promise<SqlAnswer> {
  const response = await ask('POST', '/sql', { body: { sql, format: 'json' }, signal })
  return (await response.json()) as SqlAnswer
}

export async function askSqlFile(sql: string, format: ResultFormat): Promise<Blob> {
  return (await ask('POST', '/sql', { body: { sql, format } })).blob()
}

export const readSaved = (): Promise<SavedView[]> => station('GET /saved-queries')

export const readOneSaved = (id: string): Promise<SavedView> =>
  station('GET /saved-queries/{id}', { params: { id } })

export const addSaved = (saved: SavedMessage): Promise<SavedView> =>
  station('POST /saved-queries', { body: saved })

export const changeSaved = (id: number, saved: Partial<SavedMessage>): Promise<SavedView> =>
  station('PATCH /saved-queries/{id}', { params: { id }, body: saved })

export const removeSaved = (id: number): Promise<SavedView> =>
  station('DELETE /saved-queries/{id}', { params: { id } })

export const restoreSaved = (id: number): Promise<SavedView> =>
  station('POST /saved-queries/{id}/restore', { params: { id }, body: {} })

export const beginUpload = (name: string, bytes: number): Promise<UploadView> =>
  station('POST /inputs', { body: { name, bytes } })

export const readUpload = (id: string): Promise<UploadView> =>
  station('GET /inputs/{id}', { params: { id } })

export const finishUpload = (id: string): Promise<UploadView> =>
  station('POST /inputs/{id}/finish', { params: { id }, body: {} })

export interface UploadPart {
  offset: number
  bytes: Uint8Array<ArrayBuffer>
  /** Of the part. */
  digest: string
  signal: AbortSignal
}

/** A part as it is; how much has arrived after it, or null when it was not taken. */
export async function sendPart(
  id: string,
  { offset, bytes, digest, signal }: UploadPart,
): Promise<number | null> {
  try {
    const response = await fetch(`/api/inputs/${id}${queryOf({ offset })}`, {
      method: 'PUT',
      headers: {
        'content-type': 'application/octet-stream',
        'x-minga-digest': digest,
        ...callerHeaders(),
      },
      body: bytes,
      signal,
    })
    if (!response.ok) return null
    return ((await response.json()) as UploadView).received
  } catch {
    signal.throwIfAborted()
    return null
  }
}
