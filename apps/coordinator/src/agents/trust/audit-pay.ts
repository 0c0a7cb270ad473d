/** Which second opinions are paid: those on results that a client pays for, and canaries. */
import { mayBePaid, type AuditKind, type PageFacts } from '@minga/fleet'
import type { Sql } from '@minga/store'
import type { Prices } from '../../clients/paid-requests.ts'

interface AuditRow {
  kind: AuditKind
  hostId: number
  hash: number
  subject: string | null
  deposit: number
  isRequest: number
}

export interface Answer {
  /** Id of the audit. */
  id: string
  page: PageFacts | null
  prices: Prices
}

/** To be asked before the verdict is carried out: by that the waiting requests end. */
export async function isPaidAnswer(sql: Sql, { id, page, prices }: Answer): Promise<boolean> {
  if (page === null) return false
  const audit = await sql.get<AuditRow>(
    `SELECT a.kind, a.host_id AS "hostId", a.hash, a.subject, a.deposit_micros AS deposit,
       CASE WHEN c.identity = 'requests' THEN 1 ELSE 0 END AS "isRequest"
     FROM audits a LEFT JOIN collections c ON c.id = a.collection_id WHERE a.id = ?`,
    [id],
  )
  if (audit === undefined) return false
  // The subject of a canary is its answer; canaries follow results that clients pay for.
  const known = audit.kind === 'canary' ? page : parseFacts(audit.subject)
  if (known === null) return false
  if (!mayBePaid({ isRobots: audit.hash === 0, status: known.status }, page)) return false
  if (audit.kind === 'canary') return true
  // The client's deposit is kept, or it was right.
  if (audit.kind === 'complaint') return audit.deposit > 0
  return audit.isRequest === 1 && (await isCharged(sql, { ...audit, id, prices }))
}

const parseFacts = (text: string | null): PageFacts | null =>
  text === null ? null : (JSON.parse(text) as PageFacts)

/** A client still waits for the page, or paid when it was delivered at the end of the wait. */
async function isCharged(
  sql: Sql,
  { hostId, hash, id, prices }: AuditRow & Omit<Answer, 'page'>,
): Promise<boolean> {
  const waits = await sql.get(
    'SELECT 1 AS one FROM requests WHERE outcome IS NULL AND hash = ? AND host_id = ? LIMIT 1',
    [hash, hostId],
  )
  if (waits !== undefined) return true
  const posting = `${deliveryId(id)} ${prices.platformShareBps}`
  const paid = await sql.get('SELECT 1 AS one FROM ledger_postings WHERE id = ?', [posting])
  return paid !== undefined
}

/** Names what is paid for a delivery that waited for its audit. */
export const deliveryId = (auditId: string): string => `delivery ${auditId}`
