/**
 * Which second opinions are paid. Whoever chooses what is fetched must not earn by what it costs the platform: a client
 * with a site and friends among the volunteers can have robots.txt files, redirects and refusals fetched in any number,
 * and pays for none of them. So a second opinion is paid only where the first result is one that a client pays for.
 */
import { isFailure, isLasting, isUnfetched, type AuditKind, type PageFacts } from '@minga/fleet'
import { isRedirect } from '@minga/frontier'
import type { Sql } from '@minga/store'
import type { Prices } from '../requests/paid-requests.ts'

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
  // A server in trouble proves nothing, and anybody can claim one.
  if (page === null || !isLasting(page.status)) return false
  const audit = await sql.get<AuditRow>(
    `SELECT a.kind, a.host_id AS "hostId", a.hash, a.subject, a.deposit_micros AS deposit,
       CASE WHEN c.identity = 'requests' THEN 1 ELSE 0 END AS "isRequest"
     FROM audits a LEFT JOIN collections c ON c.id = a.collection_id WHERE a.id = ?`,
    [id],
  )
  if (audit === undefined) return false
  // Canaries are drawn from results that clients pay for.
  if (audit.kind === 'canary') return true
  if (audit.subject === null || isWorthless(JSON.parse(audit.subject) as PageFacts, page)) {
    return false
  }
  // The client's deposit is kept, or it was right.
  if (audit.kind === 'complaint') return audit.deposit > 0
  return audit.isRequest === 1 && (await isCharged(sql, { ...audit, id, prices }))
}

/** No client pays for such a result, nor for a refusal that another device contradicts: that page is fetched again. */
function isWorthless({ status }: PageFacts, page: PageFacts): boolean {
  if (isUnfetched(status) || isRedirect(status)) return true
  return isFailure(status) && !isFailure(page.status)
}

/** Somebody still waits for the page, or paid when it was delivered without waiting any longer. */
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
