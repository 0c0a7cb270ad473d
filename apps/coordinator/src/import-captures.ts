/** Indexing the captures of an imported file, step by step, each step in one transaction. */
import { hostIdsOf, urlHash } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql, Value } from '@minga/store'
import { readFact, writeFact } from './station-facts.ts'

export interface ImportedCapture {
  url: string
  capturedAt: number
  kind: 'response' | 'revisit'
  status: number
  mime: string
  digest: string
  payloadBytes: number
  offset: number
  length: number
}

export interface ImportStep {
  file: string
  /** In file order, from the first or from anywhere: those of earlier steps are passed over. */
  captures: ImportedCapture[]
  /** With the last step: how many captures the file has. */
  total: number | null
}

/**
 * Rows and the note of how far we got move together: a step that is repeated after a crash adds
 * nothing twice. The payload table is left alone: it makes later captures into references, and a
 * stranger's file may name digests that its bytes do not have.
 */
export async function importCaptures(sql: Sql, step: ImportStep): Promise<void> {
  const name = `import:${step.file}`
  const note = await readFact(sql, { name })
  if (note?.startsWith('done')) return
  const after = Number(note ?? -1)
  const captures = step.captures.filter(({ offset }) => offset > after)
  await insertCaptures(sql, step.file, captures)
  const upTo = captures.at(-1)?.offset ?? after
  await writeFact(sql, { name, value: step.total === null ? String(upTo) : `done ${step.total}` })
}

async function insertCaptures(sql: Sql, file: string, captures: ImportedCapture[]): Promise<void> {
  const ids = await hostIdsOf(
    sql,
    captures.map(({ url }) => hostKeyOf(url)),
  )
  const rows = captures.map((capture): Value[] => [
    0,
    ids.get(hostKeyOf(capture.url))!,
    urlHash(capture.url),
    capture.url,
    capture.capturedAt,
    capture.kind,
    capture.status,
    capture.mime,
    capture.digest,
    capture.payloadBytes,
    file,
    capture.offset,
    capture.length,
  ])
  await sql.insertMany({ table: 'captures', columns: IMPORT_COLUMNS, rows })
}

/** How many captures of a file were indexed, or null when that is not finished. */
export async function importedTotal(sql: Sql, args: { file: string }): Promise<number | null> {
  const note = await readFact(sql, { name: `import:${args.file}` })
  return note?.startsWith('done') ? Number(note.slice('done '.length)) : null
}

const IMPORT_COLUMNS = [
  'collection_id',
  'host_id',
  'hash',
  'url',
  'captured_at',
  'kind',
  'status',
  'mime',
  'digest',
  'payload_bytes',
  'file',
  'offset_bytes',
  'length_bytes',
]
