/** Does the book add up? Reads every entry: for tests, reports and an operator's doubt. */
import type { Sql } from '@minga/store'
import { ACCOUNT_CLASSES, type AccountClass } from './accounts.ts'
import type { PostingKind } from './posting.ts'

/** What postings of one kind brought to accounts of one class, in sum. */
export interface Flow {
  kind: PostingKind
  accountClass: AccountClass
  micros: number
}

export interface TrialBalance {
  /** Both must be 0. */
  entriesMicros: number
  balancesMicros: number
  /** Accounts whose balance is not the sum of their entries: none. */
  wrongAccounts: string[]
  kinds: { kind: PostingKind; postings: number; movedMicros: number }[]
  flows: Flow[]
  credits: CreditCheck
  isTrue: boolean
}

export async function trialBalance(sql: Sql): Promise<TrialBalance> {
  const entriesMicros = await total(sql, 'SELECT sum(amount_micros) AS n FROM ledger_entries')
  const balancesMicros = await total(sql, 'SELECT sum(balance_micros) AS n FROM ledger_balances')
  const kinds = await readKinds(sql)
  const flows = await readFlows(sql)
  const wrongAccounts = await readWrongAccounts(sql)
  const credits = creditCheck(flows)
  const isTrue =
    entriesMicros === 0 && balancesMicros === 0 && wrongAccounts.length === 0 && credits.holds
  return { entriesMicros, balancesMicros, wrongAccounts, kinds, flows, credits, isTrue }
}

async function total(sql: Sql, text: string): Promise<number> {
  return (await sql.get<{ n: number | null }>(text))?.n ?? 0
}

/**
 * Turnover grows for ever and may leave the safe integers, where the store refuses to read: as
 * text it arrives, rounded. The sums that must be zero are exact.
 */
async function readKinds(sql: Sql): Promise<TrialBalance['kinds']> {
  const rows = await sql.all<{ kind: PostingKind; postings: number; moved: string }>(
    `SELECT p.kind AS kind, count(DISTINCT p.id) AS postings, CAST(coalesce(sum(
       CASE WHEN e.amount_micros > 0 THEN e.amount_micros END), 0) AS TEXT) AS moved
     FROM ledger_postings p JOIN ledger_entries e ON e.posting_id = p.id
     GROUP BY p.kind ORDER BY p.kind`,
  )
  return rows.map(({ kind, postings, moved }) => ({ kind, postings, movedMicros: Number(moved) }))
}

async function readFlows(sql: Sql): Promise<Flow[]> {
  const cases = ACCOUNT_CLASSES.map(
    (name) => `WHEN e.account = '${name}' OR e.account LIKE '${name}:%' THEN '${name}'`,
  )
  const rows = await sql.all<Omit<Flow, 'micros'> & { micros: string }>(
    `SELECT p.kind AS kind, CASE ${cases.join(' ')} END AS "accountClass",
       CAST(sum(e.amount_micros) AS TEXT) AS micros
     FROM ledger_entries e JOIN ledger_postings p ON p.id = e.posting_id
     GROUP BY 1, 2 ORDER BY 1, 2`,
  )
  return rows.map((row) => ({ ...row, micros: Number(row.micros) }))
}

async function readWrongAccounts(sql: Sql): Promise<string[]> {
  const rows = await sql.all<{ account: string }>(
    `SELECT b.account AS account FROM ledger_balances b
     LEFT JOIN ledger_entries e ON e.account = b.account
     GROUP BY b.account, b.balance_micros, b.requests, b.entries
     HAVING coalesce(sum(e.amount_micros), 0) <> b.balance_micros
       OR coalesce(sum(e.requests), 0) <> b.requests OR count(e.account) <> b.entries
     ORDER BY b.account`,
  )
  return rows.map(({ account }) => account)
}

export interface CreditCheck {
  chargesMicros: number
  feesMicros: number
  creditsMicros: number
  /** Volunteers were credited exactly what clients were charged, less the platform's fees. */
  holds: boolean
}

/** Of the kinds by which clients pay: nothing reaches anyone but the platform and volunteers. */
export function creditCheck(flows: readonly Flow[]): CreditCheck {
  const sumOf = (...classes: AccountClass[]): number =>
    flows
      .filter(({ kind, accountClass }) => isCharge(kind) && classes.includes(accountClass))
      .reduce((sum, { micros }) => sum + micros, 0)
  const chargesMicros = 0 - sumOf('reserve')
  const feesMicros = sumOf('platform')
  const creditsMicros = sumOf('held', 'volunteer')
  const holds = creditsMicros === chargesMicros - feesMicros
  return { chargesMicros, feesMicros, creditsMicros, holds }
}

const isCharge = (kind: PostingKind): boolean => kind === 'block' || kind === 'cache'
