/** Answers in the form that the caller wants, with what helps caches and programs that page. */
import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { csvLines, type ExportColumn, type ExportRow, type Revisions } from '@minga/wiki'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ChosenWiki } from './fields.ts'

type Form = 'json' | 'ndjson' | 'csv'

const TYPES: Record<Form, string> = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
}

/** What was asked for by name wins over what the program says it takes. */
export function formOf({ headers }: FastifyRequest, format: unknown): Form {
  if (format === 'json' || format === 'ndjson' || format === 'csv') return format
  const accept = headers.accept ?? ''
  if (/application\/(x-)?ndjson/.test(accept)) return 'ndjson'
  return accept.includes('text/csv') ? 'csv' : 'json'
}

export interface Table {
  columns: readonly ExportColumn[]
  rows: readonly Readonly<Record<string, unknown>>[]
}

/** `asJson` where an answer in JSON is more than its rows. */
export function sendTable(
  reply: FastifyReply,
  form: Form,
  { columns, rows }: Table,
  asJson?: unknown,
): FastifyReply {
  void reply.type(TYPES[form])
  if (form === 'csv') {
    return reply.send(Readable.from(csvLines(columns, rows as readonly ExportRow[])))
  }
  const plain = rows.map((row) => plainRow(columns, row))
  if (form === 'json') return reply.send(JSON.stringify(asJson ?? plain))
  return reply.send(plain.map((row) => `${JSON.stringify(row)}\n`).join(''))
}

export function plainRow(
  columns: Table['columns'],
  row: Readonly<Record<string, unknown>>,
): object {
  return Object.fromEntries(columns.map(({ name, kind }) => [name, plainValue(kind, row[name])]))
}

function plainValue(kind: ExportColumn['kind'], value: unknown): unknown {
  if (kind === 'time' && typeof value === 'number') return new Date(value).toISOString()
  return value ?? null
}

/** The same as long as nothing of these wikis changed and the same is asked for. */
export async function tagOf(
  revisions: Revisions,
  wikis: readonly ChosenWiki[],
  asked: readonly string[],
): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(asked))
  for (const { key, language } of wikis) {
    hash.update(JSON.stringify([key, language, await revisions.versionOf(key)]))
  }
  return `W/"${hash.digest('base64url').slice(0, 22)}"`
}

export function isKnown({ headers }: FastifyRequest, tag: string): boolean {
  const known = (headers['if-none-match'] ?? '').split(',').map((one) => one.trim())
  return known.includes(tag) || known.includes('*')
}

/** Parameters that this address does not have change nothing; the answer names them. */
export function tellIgnored(reply: FastifyReply, names: readonly string[]): void {
  if (names.length === 0) return
  // Headers are ASCII, and names are anything.
  const list = names.map((name) => encodeURIComponent(name).slice(0, 200)).join(', ')
  void reply.header('x-ignored-parameters', list)
  void reply.header('warning', `299 - "Parameters without a meaning here: ${list}"`)
}
