/** Appends to the audit log, in the transaction of the act, and reads it in its order. */
import { createHash } from 'node:crypto'
import {
  AUDIT_START,
  auditEntry,
  auditHash,
  type AuditDetails,
  type AuditEntry,
} from '@minga/protocol'
import type { Sql } from './sql.ts'

export type NewAuditEntry = Omit<AuditEntry, 'seq' | 'hash'>

/** Any number that no other advisory lock of this database has. */
const APPENDING = 5_236_059
/** A longer value is stored as its digest: the row that holds it in full is elsewhere. */
const VALUE_CHARS_MAX = 2_000

/**
 * The order of the chain is decided here: on PostgreSQL another transaction that appends waits until this one has
 * committed, and then reads this one's head. To be called last in an operation, so that the others wait no longer than
 * a commit; SQLite has one writer.
 */
export async function appendAudit(sql: Sql, entries: readonly NewAuditEntry[]): Promise<void> {
  if (entries.length === 0) return
  if (sql.dialect === 'postgres') await sql.all('SELECT pg_advisory_xact_lock(?)', [APPENDING])
  const last = await sql.get<{ seq: number; hash: string }>(
    'SELECT seq, hash FROM audit_log ORDER BY seq DESC LIMIT 1',
  )
  let { seq, hash } = last ?? { seq: 0, hash: AUDIT_START }
  const rows = entries.map((entry) => {
    seq++
    const plain = plainEntry({ seq, ...entry })
    hash = auditHash(plain, hash)
    const { at, actor, act, subject, details } = plain
    return [seq, at, actor, act, subject, JSON.stringify(details), hash]
  })
  const columns = ['seq', 'at', 'actor', 'act', 'subject', 'details', 'hash']
  await sql.insertMany({ table: 'audit_log', columns, rows })
}

/** As it can be read back: PostgreSQL stores no zero bytes, and no database halves of characters. */
function plainEntry(entry: Omit<AuditEntry, 'hash'>): Omit<AuditEntry, 'hash'> {
  const details = Object.entries(entry.details).map(([name, value]) => {
    return [name, typeof value === 'string' ? plainText(value) : value] as const
  })
  return { ...entry, subject: plainText(entry.subject), details: Object.fromEntries(details) }
}

function plainText(text: string): string {
  if (text.length > VALUE_CHARS_MAX) {
    return `sha256:${createHash('sha256').update(text).digest('hex')}`
  }
  return text.toWellFormed().replaceAll('\0', '�')
}

interface AuditRow extends Omit<AuditEntry, 'details'> {
  details: string
}

/** Oldest first. */
export async function readAudit(
  sql: Sql,
  { after, limit }: { after: number; limit: number },
): Promise<AuditEntry[]> {
  const rows = await sql.all<AuditRow>(
    `SELECT seq, at, actor, act, subject, details, hash FROM audit_log
     WHERE seq > ? ORDER BY seq LIMIT ?`,
    [after, limit],
  )
  return rows.map((row) => ({ ...row, details: detailsOf(row.details) }))
}

/** What was written past us need not be JSON; the chain then names the entry, and no reader fails. */
function detailsOf(text: string): AuditDetails {
  try {
    return auditEntry.shape.details.parse(JSON.parse(text))
  } catch {
    return { unreadable: text }
  }
}
