/**
 * Who audits is drawn by the station when the audit opens. If devices chose audits themselves, the one that asks most
 * often would audit most, and two friends would meet as often as they like. A drawn device that does not accept in
 * time, or cannot fetch the page, is replaced by another draw.
 */
import type { Sql } from '@minga/store'
import { ownersOfMany } from '../devices/owner-limits.ts'
import type { Audit, AuditKind } from './audit-rows.ts'
import { mayAudit, type Auditor, type Party } from './eligible.ts'
import { PROVEN_AGREEMENTS_MIN } from './reputation.ts'
import { drawByAudit } from './selection.ts'
import { checkerOf, listTrust } from './trust-rows.ts'

/** A device that was silent for longer will not come in time. */
const GONE_MS = 300_000
/** Idle agents ask every few seconds; a third of the time that a delivery waits for its audit. */
export const DRAWN_MS = 20_000
/** Afterwards the station's own devices are drawn, where there are any: a pair of friends that lets time pass until the
 * draw falls on one of them must not have many draws. */
const FREE_DRAWS_MAX = 2

/** Devices that may audit the subject now, always in the same order. */
export async function listAuditors(
  sql: Sql,
  subject: Party,
  { now }: { now: number },
): Promise<Auditor[]> {
  const seen = await listTrust(
    sql,
    `WHERE state = 'active' AND seen_at >= ?
       AND (is_trusted = 1 OR (owner <> ? AND network <> ? AND agreements >= ?)) ORDER BY device`,
    [now - GONE_MS, subject.owner, subject.network, PROVEN_AGREEMENTS_MIN],
  )
  const fit = seen.map(checkerOf).filter((checker) => mayAudit(subject, checker))
  const many = await ownersOfMany(
    sql,
    fit.map(({ owner }) => owner),
  )
  return fit.map((checker) => {
    const { device, owner, isTrusted } = checker
    const isAlone = isTrusted || many.has(owner)
    return { ...checker, party: isAlone ? `device ${device}` : `owner ${owner}` }
  })
}

interface Draw {
  readonly id: string
  readonly kind: AuditKind
  /** How often was drawn before. */
  readonly draws: number
  /** The device on which the last draw fell: another is preferred. */
  readonly last?: string | null
}

/**
 * Null when no device may audit. First the owner is drawn and then one of its devices: twenty
 * devices of one owner meet a friend no more often than one does.
 */
export function drawAuditor(auditors: readonly Auditor[], draw: Draw): string | null {
  const own = auditors.filter(({ isTrusted }) => isTrusted)
  // A client could complain of a friend's forgery to have another friend confirm it.
  const isOwn = draw.kind === 'complaint' || draw.draws >= FREE_DRAWS_MAX
  const fit = isOwn && own.length > 0 ? own : auditors
  const last = auditors.find(({ device }) => device === draw.last)?.party
  const others = fit.filter(({ party }) => party !== last)
  const parties = Map.groupBy(others.length > 0 ? others : fit, ({ party }) => party)
  const devices = pick([...parties.values()], drawByAudit(draw.id, `auditor ${draw.draws}`)) ?? []
  return pick(devices, drawByAudit(draw.id, `device ${draw.draws}`))?.device ?? null
}

const pick = <T>(list: readonly T[], drawn: number): T | undefined =>
  list[Math.floor(drawn * list.length)]

export async function redraw(sql: Sql, audit: Audit, { now }: { now: number }): Promise<void> {
  const auditors = await listAuditors(sql, audit, { now })
  const drawn = drawAuditor(auditors, { ...audit, last: audit.drawn })
  await sql.run(
    'UPDATE audits SET drawn = ?, drawn_until = ?, draws = draws + 1, out_to = NULL WHERE id = ?',
    [drawn, now + DRAWN_MS, audit.id],
  )
}
