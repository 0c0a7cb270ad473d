/** What the page asks about queries, tables, uploads and SQL. */
import type { FileSummary, InputSource, ResultFormat, SqlAnswer, UploadView } from '@minga/protocol'
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

export const lookAtInput = (input: InputSource): Promise<FileSummary> =>
  station('POST /inputs/look', { body: { input } })

export async function askSql(sql: string, signal: AbortSignal): Promise<SqlAnswer> {
  const response = await ask('POST', '/sql', { body: { sql, format: 'json' }, signal })
  return (await response.json()) as SqlAnswer
}

export async function askSqlFile(sql: string, format: ResultFormat): Promise<Blob> {
  return (await ask('POST', '/sql', { body: { sql, format } })).blob()
}

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
