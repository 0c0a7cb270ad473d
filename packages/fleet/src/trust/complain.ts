/**
 * Complaints of clients. Each has a page fetched again at the platform's cost, so a result can be complained of once,
 * a client that was wrong pays for the fetch by its deposit, and so many a day are accepted.
 */
import type { Sql } from '@minga/store'
import { TooManyComplaints } from '../errors.ts'
import { clientAccount } from '../ledger/accounts.ts'
import { payDeposit } from '../ledger/deposits.ts'
import { lockAccounts } from '../ledger/posting.ts'
import { openAudits } from './audit-rows.ts'
import { placeOf, type AuditPlace } from './choose-audits.ts'
import { drawAuditor, listAuditors } from './draw-auditor.ts'
import { lockedTrust, writeLog } from './trust-rows.ts'
import type { PageFacts } from './verdict.ts'

/** Complaints go before all other audits. */
const COMPLAINT_PRIORITY = 0
const DAY_MS = 86_400_000

export interface ComplainArgs extends AuditPlace {
  /** Id of the audit, made by the caller. */
  readonly id: string
  readonly who: string
  readonly note: string | null
  readonly captureId: number
  readonly device: string
  readonly page: PageFacts
  readonly earlier: PageFacts | null
  readonly receivedAt: number
  /** Names the result of which the client complains; the same name is never used for another one. */
  readonly result: string
  readonly depositMicros: number
  /** How far below zero the client's balance may fall; null: without a limit. */
  readonly creditLimitMicros: number | null
  /** Complaints of one client in a day (UTC); null: any number. */
  readonly perDayMax: number | null
  readonly now: number
}

/** The device is audited more until the complaint is settled. */
export async function complain(sql: Sql, args: ComplainArgs): Promise<{ isNew: boolean }> {
  // Two complaints about one capture, or of one client, must see each other: both rows are locked first.
  const trust = await lockedTrust(sql, args.device)
  await lockAccounts(sql, [clientAccount(args.who)])
  if (await wasComplainedOf(sql, args.captureId)) return { isNew: false }
  await refuseTooMany(sql, args)
  const { who: client, depositMicros: micros, creditLimitMicros, now: at } = args
  const deposit = { client, name: `complaint ${args.result}`, micros }
  await payDeposit(sql, { ...deposit, creditLimitMicros, at })
  const name = { id: args.id, kind: 'complaint' } as const
  const auditors = await listAuditors(sql, trust, args)
  await openAudits(sql, [
    {
      ...placeOf(args),
      ...name,
      drawn: drawAuditor(auditors, { ...name, draws: 0 }),
      priority: COMPLAINT_PRIORITY,
      device: trust.device,
      owner: trust.owner,
      network: trust.network,
      receivedAt: args.receivedAt,
      subject: args.page,
      earlier: args.earlier,
      auditorPage: null,
      waitUntil: null,
      deposit,
      now: at,
    },
  ])
  const { device, note } = args
  await sql.run('UPDATE device_trust SET complaints = complaints + 1 WHERE device = ?', [device])
  await writeLog(sql, { at, device, who: client, action: 'complaint', reason: args.url, note })
  return { isNew: true }
}

async function wasComplainedOf(sql: Sql, captureId: number): Promise<boolean> {
  const found = await sql.get(
    `SELECT 1 AS found FROM audits WHERE kind = 'complaint' AND capture_id = ? LIMIT 1`,
    [captureId],
  )
  return found !== undefined
}

async function refuseTooMany(sql: Sql, { who, perDayMax, now }: ComplainArgs): Promise<void> {
  if (perDayMax === null) return
  const today = now - (now % DAY_MS)
  const row = await sql.get<{ n: number }>(
    `SELECT COUNT(*) AS n FROM audits WHERE kind = 'complaint' AND client = ? AND opened_at >= ?`,
    [who, today],
  )
  if (row!.n >= perDayMax) throw new TooManyComplaints(perDayMax)
}
