/** Finds the revisits to check, and the one transaction that leads them to their response. */
import { faultPoint, type CaptureRow, type SupersededRecord } from '@minga/protocol'
import type { Sql, OperationTable } from '@minga/store'
import { CAPTURE_COLUMNS, originalOf } from '../captures/captures.ts'
import { writeFact } from '../../station/station-facts.ts'
import { STALE } from '../takedown/finish-takedowns.ts'

export interface RevisitQuery {
  afterId: number
  limit: number
  /** Null: of all. */
  collectionId: number | null
  /** Only those of which the table does not know what they refer to. */
  onlyUnresolved: boolean
}

export interface ListedRevisit {
  revisit: CaptureRow
  /** Where the tables find its payload; null when only its own record may tell. */
  original: CaptureRow | null
}

async function listRevisits(sql: Sql, query: RevisitQuery): Promise<ListedRevisit[]> {
  const { afterId, limit, collectionId, onlyUnresolved } = query
  const rows = await sql.all<CaptureRow>(
    `SELECT ${CAPTURE_COLUMNS} FROM captures c
     WHERE kind = 'revisit' AND id > ? ${onlyUnresolved ? 'AND record_id IS NULL' : ''}
       ${collectionId === null ? '' : 'AND collection_id = ?'} ORDER BY id LIMIT ?`,
    [afterId, ...(collectionId === null ? [] : [collectionId]), limit],
  )
  const listed: ListedRevisit[] = []
  for (const revisit of rows) listed.push({ revisit, original: await originalOf(sql, revisit) })
  return listed
}

/** A revisit that is to refer to a response. */
export interface Pointing {
  revisit: CaptureRow
  original: CaptureRow
  recordId: string
  /** Its record as it should have been written; null when it says so already. */
  member: Uint8Array | null
}

/** Returns how many records were written. What changed since the check is left alone. */
async function pointRevisits(
  sql: Sql,
  { pointings }: { pointings: readonly Pointing[] },
): Promise<number> {
  const current: Pointing[] = []
  for (const one of pointings) if (await isCurrent(sql, one)) current.push(one)
  const written = current.filter(({ member }) => member !== null)
  if (written.length > 0) await moveRecords(sql, written)
  faultPoint('repair:before-commit')
  await sql.updateMany({
    table: 'captures',
    keys: ['id'],
    set: ['record_id'],
    rows: current.flatMap(({ revisit, original, recordId }) => [
      [revisit.id, recordId],
      [original.id, recordId],
    ]),
  })
  await namePayloads(sql, current)
  return written.length
}

/** Both are where they were, and no takedown of either was requested. */
async function isCurrent(sql: Sql, { revisit, original }: Pointing): Promise<boolean> {
  for (const { id, kind, file, offset } of [revisit, original]) {
    const row = await sql.get(
      `SELECT 1 FROM captures c WHERE id = ? AND kind = ? AND file = ? AND offset_bytes = ?
         AND NOT EXISTS (SELECT 1 FROM takedowns t
           WHERE t.file = c.file AND t.offset_bytes = c.offset_bytes)`,
      [id, kind, file, offset],
    )
    if (!row) return false
  }
  return true
}

/** Bytes and rows in one transaction: a row leads to a whole record, whichever process is killed. */
async function moveRecords(sql: Sql, written: readonly Pointing[]): Promise<void> {
  const location = await sql.append(
    'archive',
    written.map(({ member }) => member!),
  )
  let offset = location.offset
  const moved = written.map(({ revisit, member }) => {
    const row = [revisit.id, location.file, offset, member!.length]
    offset += member!.length
    return row
  })
  await sql.insertMany({
    table: 'superseded_records',
    columns: ['file', 'offset_bytes', 'length_bytes', 'capture_id'],
    rows: written.map(({ revisit: { file, offset: at, length, id } }) => [file, at, length, id]),
  })
  await sql.updateMany({
    table: 'captures',
    keys: ['id'],
    set: ['file', 'offset_bytes', 'length_bytes'],
    rows: moved,
  })
  await writeFact(sql, { name: 'indexed', value: STALE })
}

export interface NamedRecord {
  original: CaptureRow
  recordId: string
}

/** What a response is called, once that was read from its file. */
async function nameRecords(sql: Sql, { named }: { named: readonly NamedRecord[] }): Promise<void> {
  await sql.updateMany({
    table: 'captures',
    keys: ['id', 'file', 'offset_bytes'],
    set: ['record_id'],
    rows: named.map(({ original: { id, file, offset }, recordId }) => [id, file, offset, recordId]),
  })
  await namePayloads(sql, named)
}

async function namePayloads(sql: Sql, named: readonly NamedRecord[]): Promise<void> {
  await sql.updateMany({
    table: 'payloads',
    keys: ['digest', 'url', 'captured_at'],
    set: ['record_id'],
    rows: named.map(({ original: { digest, url, capturedAt }, recordId }) => {
      return [digest, url, capturedAt, recordId]
    }),
  })
}

export interface Unnamed {
  /** Null when every response has its name and no further query is needed. */
  originals: CaptureRow[] | null
}

/** Responses of an older version that captures with these payloads are about to refer to. */
async function unnamedOriginals(
  sql: Sql,
  { captures }: { captures: readonly Pick<CaptureRow, 'url' | 'digest'>[] },
): Promise<Unnamed> {
  const some = `SELECT 1 FROM captures WHERE kind = 'response' AND record_id IS NULL LIMIT 1`
  if (!(await sql.get(some))) return { originals: null }
  const originals = new Map<number, CaptureRow>()
  for (const { url, digest } of captures) {
    const original = await originalOf(sql, { url, digest, recordId: null })
    if (original && original.recordId === null) originals.set(original.id, original)
  }
  return { originals: [...originals.values()] }
}

/** Former records of repaired captures, in the order of their files. */
async function supersededRecords(sql: Sql): Promise<SupersededRecord[]> {
  return sql.all<SupersededRecord>(
    `SELECT file, offset_bytes AS "offset", length_bytes AS "length" FROM superseded_records
     ORDER BY file, offset_bytes`,
  )
}

export const repairOperations = {
  listRevisits,
  nameRecords,
  pointRevisits,
  supersededRecords,
  unnamedOriginals,
} satisfies OperationTable

export type RepairOperations = typeof repairOperations
