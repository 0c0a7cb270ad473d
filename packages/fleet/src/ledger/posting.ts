/**
 * The one way money moves: lock the balances, see whether the posting is known, decide, write. In
 * this order, because
 * - on PostgreSQL two postings may want the same balance: the one that decides must hold it;
 * - a repeated posting must be recognised before a rule is asked that the first one has changed;
 * - a refusal comes before the first write, so a caller may catch it and continue.
 */
import type { Sql } from '@minga/store'
import { BadAmount, NotEnoughMoney, PostingIdTaken, UnbalancedPosting } from '../errors.ts'
import { mustStayPositive } from './accounts.ts'

export const POSTING_KINDS = [
  'top-up',
  'withdrawal',
  'reservation',
  'block',
  'cache',
  'refund',
  'close',
  'audit',
  'release',
  'forfeit',
  'compensation',
] as const
export type PostingKind = (typeof POSTING_KINDS)[number]

export interface Entry {
  account: string
  /** Positive: the account receives. */
  micros: number
  /** Served requests that this pays for; they move with the money. */
  requests?: number
}

export interface PostingHead {
  /** Made by the caller; the same id again changes nothing. */
  id: string
  at: number
  kind: PostingKind
  /** What it is about, for example a batch, an upload or a device. */
  reference: string
  note?: string | null
}

export interface Posting extends PostingHead {
  entries: readonly Entry[]
}

/** `repeated`: this id was booked before; `nothing`: there was nothing to move. */
export interface Posted {
  outcome: 'posted' | 'repeated' | 'nothing'
  /** What changed hands now; 0 unless `posted`. */
  micros: number
}

export interface Balance {
  account: string
  balance_micros: number
  requests: number
  entries: number
  booked_at: number
}

export type Balances = ReadonlyMap<string, Balance>

const COLUMNS = ['account', 'balance_micros', 'requests', 'entries', 'booked_at'] as const

/**
 * Holds the balances until the transaction ends. Everyone locks in the same order; a transaction
 * that posts several times names all accounts here first, or two could wait for each other (the
 * store then repeats one of them, a second later).
 */
export async function lockAccounts(sql: Sql, accounts: Iterable<string>): Promise<Balances> {
  const sorted = [...new Set(accounts)].toSorted()
  if (sorted.length === 0) return new Map()
  // A row that is not there cannot be locked.
  await sql.insertMany({
    table: 'ledger_balances',
    columns: COLUMNS,
    rows: sorted.map((account) => [account, 0, 0, 0, 0]),
    onConflict: 'ignore',
  })
  const rows = sql.dialect === 'postgres' ? await lockRows(sql, sorted) : await read(sql, sorted)
  return new Map(rows.map((row) => [row.account, row]))
}

function lockRows(sql: Sql, accounts: readonly string[]): Promise<Balance[]> {
  const marks = accounts.map(() => '?').join(', ')
  return sql.all(
    `SELECT ${COLUMNS.join(', ')} FROM ledger_balances WHERE account IN (${marks})
     ORDER BY account FOR UPDATE`,
    accounts,
  )
}

async function read(sql: Sql, accounts: readonly string[]): Promise<Balance[]> {
  const rows = await sql.selectMany<Balance>({
    table: 'ledger_balances',
    keys: ['account'],
    rows: accounts.map((account) => [account]),
    columns: COLUMNS,
  })
  return rows.filter((row) => row !== undefined)
}

export function post(sql: Sql, posting: Posting): Promise<Posted> {
  const { entries, ...head } = posting
  const accounts = entries.map(({ account }) => account)
  return postAfterReading(sql, { head, accounts, decide: () => entries })
}

/** For postings whose amounts depend on balances: `decide` sees them locked, and may refuse. */
export async function postAfterReading(
  sql: Sql,
  args: {
    head: PostingHead
    accounts: readonly string[]
    decide: (balances: Balances) => readonly Entry[]
  },
): Promise<Posted> {
  const { head, accounts, decide } = args
  const balances = await lockAccounts(sql, accounts)
  if (await isKnown(sql, head)) return { outcome: 'repeated', micros: 0 }
  const entries = merged(decide(balances))
  const micros = checked(head.id, entries, balances)
  if (entries.length === 0) return { outcome: 'nothing', micros: 0 }
  // Another transaction with this id and other accounts may have come first.
  if (!(await insertHead(sql, head))) {
    await isKnown(sql, head)
    return { outcome: 'repeated', micros: 0 }
  }
  await write(sql, { head, entries, balances })
  return { outcome: 'posted', micros }
}

async function isKnown(sql: Sql, head: PostingHead): Promise<boolean> {
  const recorded = await sql.get<{ kind: string; reference: string }>(
    'SELECT kind, reference FROM ledger_postings WHERE id = ?',
    [head.id],
  )
  if (recorded === undefined) return false
  // Swallowing another posting silently would lose money.
  if (recorded.kind !== head.kind || recorded.reference !== head.reference) {
    throw new PostingIdTaken(head.id, recorded)
  }
  return true
}

async function insertHead(sql: Sql, head: PostingHead): Promise<boolean> {
  const [isNew] = await sql.insertNew({
    table: 'ledger_postings',
    columns: ['id', 'at', 'kind', 'reference', 'note'],
    keys: ['id'],
    rows: [[head.id, head.at, head.kind, head.reference, head.note ?? null]],
  })
  return isNew === true
}

/** One entry per account; those that say nothing are left out. */
function merged(entries: readonly Entry[]): Required<Entry>[] {
  const byAccount = new Map<string, Required<Entry>>()
  for (const { account, micros, requests = 0 } of entries) {
    const entry = byAccount.get(account) ?? { account, micros: 0, requests: 0 }
    entry.micros += micros
    entry.requests += requests
    byAccount.set(account, entry)
  }
  return [...byAccount.values()].filter((entry) => entry.micros !== 0 || entry.requests !== 0)
}

/** Answers how much changes hands. */
function checked(id: string, entries: readonly Required<Entry>[], balances: Balances): number {
  let sum = 0n
  let received = 0
  for (const { account, micros } of entries) {
    const { balance_micros: balance } = balances.get(account)!
    const next = balance + micros
    if (!Number.isSafeInteger(micros) || !Number.isSafeInteger(next)) {
      throw BadAmount.balance(account)
    }
    if (micros < 0 && next < 0 && mustStayPositive(account)) {
      throw new NotEnoughMoney(account, { neededMicros: -micros, balanceMicros: balance })
    }
    sum += BigInt(micros)
    if (micros > 0) received += micros
  }
  if (sum !== 0n) throw new UnbalancedPosting(id, Number(sum))
  return received
}

async function write(
  sql: Sql,
  args: { head: PostingHead; entries: readonly Required<Entry>[]; balances: Balances },
): Promise<void> {
  const { head, balances } = args
  const booked = args.entries.map(({ account, micros, requests }) => {
    const before = balances.get(account)!
    return {
      account,
      micros,
      requests,
      balance: before.balance_micros + micros,
      requestsAfter: before.requests + requests,
      ordinal: before.entries + 1,
      at: Math.max(head.at, before.booked_at),
    }
  })
  await sql.insertMany({
    table: 'ledger_entries',
    columns: [
      'posting_id',
      'account',
      'amount_micros',
      'requests',
      'balance_micros',
      'ordinal',
      'booked_at',
    ],
    rows: booked.map((e) => [head.id, e.account, e.micros, e.requests, e.balance, e.ordinal, e.at]),
  })
  await sql.updateMany({
    table: 'ledger_balances',
    keys: ['account'],
    set: ['balance_micros', 'requests', 'entries', 'booked_at'],
    rows: booked.map((e) => [e.account, e.balance, e.requestsAfter, e.ordinal, e.at]),
  })
}
