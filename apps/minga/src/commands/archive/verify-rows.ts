/** Step 2 of a check: every row of the captures table points at the record that it describes. */
import {
  cdxjTimestamp,
  parseDigest,
  parseHttpBlock,
  readRecordAt,
  sha256Label,
  type WarcRecord,
} from '@minga/archive'
import type { CaptureRow } from '@minga/coordinator'
import { join } from 'node:path'
import type { CaptureTable, Check } from './table.ts'
import { wrongReference, type RowProblem } from './verify-revisit.ts'

export interface CheckedRows {
  captures: number
  files: ReadonlySet<string>
}

export async function verifyRows(
  table: CaptureTable,
  check: Check,
  only: ReadonlySet<string> | null,
): Promise<CheckedRows> {
  const { facts, findings } = check
  const files = new Set<string>()
  let captures = 0
  for await (const row of table.captures()) {
    // A running station adds rows while we look; those of the moment we began are checked.
    if (row.id > facts.lastId) break
    if (only && !only.has(row.file)) continue
    captures++
    files.add(row.file)
    findings.progress(`${captures} of ${facts.captures} captures`)
    const problem = await problemOf(row, join(check.data, 'archive', row.file), table)
    if (!problem) continue
    const where = `The capture of ${row.url} of ${cdxjTimestamp(row.capturedAt)}`
    const message = `${where} ${problem.what}`
    const { file, offset } = row
    const { code, severity = 'error' } = problem
    await findings.add({ severity, file, offset, code, message })
  }
  return { captures, files }
}

async function problemOf(
  row: CaptureRow,
  path: string,
  table: CaptureTable,
): Promise<RowProblem | null> {
  let record: WarcRecord
  try {
    record = await readRecordAt(path, row.offset, row.length)
  } catch {
    return { code: 'capture-lost', what: 'cannot be read.' }
  }
  const differs = (what: string): RowProblem => ({ code: 'capture-differs', what })
  const url = record.headers.uri('WARC-Target-URI') ?? ''
  if (!isSameUrl(url, row.url)) return differs(`points at a record of ${url || 'no address'}.`)
  if (record.length !== row.length) return differs('has another length than its record.')
  if ((record.type === 'revisit') !== (row.kind === 'revisit')) {
    return differs(`is listed as a ${row.kind}, but its record is a ${record.type}.`)
  }
  const digest = digestOf(record)
  if (digest !== row.digest) {
    return differs(`is listed with ${row.digest}, but its record has ${digest}.`)
  }
  return row.kind === 'revisit' ? wrongReference(row, record, table) : null
}

/** Other tools write addresses in their own way; ours are as the URL standard writes them. */
function isSameUrl(inRecord: string, inTable: string): boolean {
  if (inRecord === inTable) return true
  const parsed = URL.parse(inRecord)
  if (!parsed) return false
  parsed.hash = ''
  return parsed.href.replace(/#$/, '') === inTable
}

/** What the record says, or the payload's own digest when it says nothing we understand. */
function digestOf(record: WarcRecord): string {
  const label = record.headers.get('WARC-Payload-Digest') ?? ''
  if (parseDigest(label) !== null) return label
  if (record.type === 'revisit') return '-'
  const http = record.type === 'resource' ? null : parseHttpBlock(record.block)
  return sha256Label([http?.body ?? record.block])
}
