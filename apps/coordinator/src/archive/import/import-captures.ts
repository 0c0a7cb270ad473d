/** Indexing the captures of an imported file, step by step, each step in one transaction. */
import { hostIdsOf, urlHash } from '@minga/frontier'
import { hostKeyOf } from '@minga/net'
import type { Sql } from '@minga/store'
import { insertCaptures, type NewCapture } from '../captures/captures.ts'
import { readFact, writeFact } from '../../station/station-facts.ts'

/** The capture data that a record contains. */
export type ImportedCapture = Pick<
  NewCapture,
  | 'url'
  | 'capturedAt'
  | 'kind'
  | 'status'
  | 'mime'
  | 'digest'
  | 'payloadBytes'
  | 'offset'
  | 'length'
  | 'recordId'
>

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
  await index(sql, step.file, captures)
  const upTo = captures.at(-1)?.offset ?? after
  await writeFact(sql, { name, value: step.total === null ? String(upTo) : `done ${step.total}` })
}

async function index(sql: Sql, file: string, captures: ImportedCapture[]): Promise<void> {
  const ids = await hostIdsOf(
    sql,
    captures.map(({ url }) => hostKeyOf(url)),
  )
  const rows = captures.map((capture) => ({
    ...capture,
    ...OF_NO_CRAWL,
    hostId: ids.get(hostKeyOf(capture.url))!,
    hash: urlHash(capture.url),
    file,
  }))
  await insertCaptures(sql, rows)
}

/**
 * Imported captures were not fetched by this station: they are stored, and never answer a client's
 * request.
 */
const OF_NO_CRAWL = {
  collectionId: 0,
  title: null,
  etag: null,
  lastModified: null,
  device: null,
  verified: 0 as const,
}

/** How many captures of a file were indexed, or null when that is not finished. */
export async function importedTotal(sql: Sql, args: { file: string }): Promise<number | null> {
  const note = await readFact(sql, { name: `import:${args.file}` })
  return note?.startsWith('done') ? Number(note.slice('done '.length)) : null
}
