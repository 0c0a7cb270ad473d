/** What a proven owner decides about a host, in one transaction with the check of the proof. */
import { provenProof, ProofTooNarrow, type ProofMethod } from '@minga/fleet'
import {
  closeHosts,
  hostNameOf,
  hostRuleFor,
  openHosts,
  OWNER_SOURCE,
  slowHosts,
  type HostRule,
} from '@minga/frontier'
import type { Sql } from '@minga/store'
import { OPTED_OUT } from './proof-files.ts'

const REASON = "asked by the site's owner"

interface OwnerArgs {
  id: string
  secretHash: string
  now: number
}

export type OwnerWish =
  | { pattern: string; effect: 'stop' }
  | { pattern: string; effect: 'slow'; delayMs: number }

/** Slows or closes; whatever the owner had decided for the same pattern is replaced. */
export async function putOwnerRule(sql: Sql, args: OwnerArgs & { wish: OwnerWish }): Promise<void> {
  const { wish, now, id } = args
  const { pattern } = wish
  await requireCover(sql, args, pattern)
  const rule = { rules: [pattern], source: OWNER_SOURCE, reason: REASON, by: id, now }
  if (wish.effect === 'stop') await closeHosts(sql, { ...rule, code: OPTED_OUT })
  else await slowHosts(sql, { ...rule, delayMs: wish.delayMs })
}

export async function dropOwnerRule(
  sql: Sql,
  args: OwnerArgs & { pattern: string },
): Promise<void> {
  await requireCover(sql, args, args.pattern)
  await openHosts(sql, { rules: [args.pattern], source: OWNER_SOURCE, now: args.now })
}

/** The current controller of the host decides, whichever proof the former decision came from. */
async function requireCover(sql: Sql, args: OwnerArgs, pattern: string): Promise<void> {
  const { host, provenBy } = await provenProof(sql, { ...args, purpose: 'owner' })
  if (!patternsOf(host, provenBy).includes(pattern)) throw new ProofTooNarrow(pattern, host)
}

/** What a proof speaks for: a file for its host, DNS for the name and everything below it. */
export function patternsOf(host: string, provenBy: ProofMethod): string[] {
  if (provenBy === 'file') return [host]
  const name = hostNameOf(host)
  return [...new Set([host, name, `*.${name}`])]
}

export interface AskedDay {
  /** First millisecond of the day, UTC. */
  day: number
  responses: number
  errors: number
  bytes: number
}

export interface HostAccount {
  host: string
  days: AskedDay[]
  /** The owner's own decisions. */
  rules: HostRule[]
  /** Whether nothing may be fetched at all, whichever rule says so. */
  isClosed: boolean
  delayMs: number
}

const DAY_MS = 86_400_000
const DAYS = 30

/** What was asked of the host lately and what holds for it, for its owner's eyes. */
export async function accountForOwner(sql: Sql, args: OwnerArgs): Promise<HostAccount> {
  const { host, provenBy } = await provenProof(sql, { ...args, purpose: 'owner' })
  const days = await sql.all<AskedDay>(
    `SELECT (captured_at / ${DAY_MS}) * ${DAY_MS} AS day, COUNT(*) AS responses,
       COUNT(CASE WHEN status >= 400 THEN 1 END) AS errors,
       CAST(SUM(payload_bytes) AS BIGINT) AS bytes
     FROM captures WHERE host_id = (SELECT id FROM hosts WHERE name = ?) AND captured_at >= ?
     GROUP BY captured_at / ${DAY_MS} ORDER BY day DESC`,
    [host, args.now - DAYS * DAY_MS],
  )
  const rules: HostRule[] = []
  for (const pattern of patternsOf(host, provenBy)) {
    const rule = await sql.get<HostRule>(
      `SELECT pattern, source, effect, code, delay_ms AS "delayMs", reason, made_by AS "madeBy", since
       FROM host_rules WHERE pattern = ? AND source = ?`,
      [pattern, OWNER_SOURCE],
    )
    if (rule) rules.push(rule)
  }
  const { closed, delayMs } = await hostRuleFor(sql, { host })
  return { host, days, rules, isClosed: closed !== null, delayMs }
}
