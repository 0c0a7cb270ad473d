/** A client's money: it comes in, is set aside for a batch, and what was not used goes back. */
import type { Sql } from '@minga/store'
import { NoBudget, NotEnoughMoney, NotPayable } from '../errors.ts'
import { clientAccount, mayBePaidOut, OUTSIDE, PLATFORM, reserveAccount } from './accounts.ts'
import { requireMicros, sumMicros } from './amount.ts'
import { post, postAfterReading, type Entry, type Posted } from './posting.ts'

export interface TopUpArgs {
  id: string
  at: number
  client: string
  micros: number
  note?: string | null
}

export async function topUp(sql: Sql, args: TopUpArgs): Promise<Posted> {
  const { client, micros, ...head } = args
  requireMicros('The amount', micros)
  return post(sql, {
    ...head,
    kind: 'top-up',
    reference: client,
    entries: [
      { account: OUTSIDE, micros: -micros },
      { account: clientAccount(client), micros },
    ],
  })
}

export interface WithdrawArgs {
  id: string
  at: number
  /** A client's, a volunteer's or the platform's, by its full name. */
  account: string
  micros: number
  note?: string | null
}

/** Pays out what an account really has: credit is for batches, not for cash. */
export async function withdraw(sql: Sql, args: WithdrawArgs): Promise<Posted> {
  const { account, micros, ...head } = args
  requireMicros('The amount', micros)
  if (!mayBePaidOut(account)) throw new NotPayable(account)
  return postAfterReading(sql, {
    head: { ...head, kind: 'withdrawal', reference: account },
    accounts: [account, OUTSIDE],
    decide: (balances) => {
      const balanceMicros = balances.get(account)!.balance_micros
      if (micros > 0 && balanceMicros < micros) {
        throw new NotEnoughMoney(account, { neededMicros: micros, balanceMicros })
      }
      return [
        { account, micros: -micros },
        { account: OUTSIDE, micros },
      ]
    },
  })
}

export interface ReserveArgs {
  id: string
  at: number
  client: string
  batch: string
  micros: number
  /** How far below zero the client's balance may fall; null: as far as it likes. */
  creditLimitMicros: number | null
  note?: string | null
}

/** The balance is read under its lock: of two batches that race for the last money, one gets it. */
export async function reserve(sql: Sql, args: ReserveArgs): Promise<Posted> {
  const { client, batch, micros, creditLimitMicros, ...head } = args
  requireMicros('The reservation', micros)
  if (creditLimitMicros !== null) requireMicros('The credit limit', creditLimitMicros)
  const from = clientAccount(client)
  const to = reserveAccount(batch)
  return postAfterReading(sql, {
    head: { ...head, kind: 'reservation', reference: batch },
    accounts: [from, to],
    decide: (balances) => {
      const availableMicros = balances.get(from)!.balance_micros + (creditLimitMicros ?? Infinity)
      // A batch that costs nothing passes even when the limit was lowered below the balance.
      if (micros > 0 && micros > availableMicros) {
        throw new NoBudget({ neededMicros: micros, availableMicros })
      }
      return [
        { account: from, micros: -micros },
        { account: to, micros },
      ]
    },
  })
}

export interface RefundArgs {
  id: string
  at: number
  reference: string
  refunds: readonly { batch: string; client: string; micros: number }[]
  note?: string | null
}

/** Requests that failed, were denied or cancelled cost nothing. */
export async function refund(sql: Sql, args: RefundArgs): Promise<Posted> {
  const { refunds, ...head } = args
  sumMicros('A refund', microsOf(refunds))
  const entries = refunds.flatMap(({ batch, client, micros }): Entry[] => [
    { account: reserveAccount(batch), micros: -micros },
    { account: clientAccount(client), micros },
  ])
  return post(sql, { ...head, kind: 'refund', entries })
}

export interface CloseBatchArgs {
  id: string
  at: number
  batch: string
  client: string
  note?: string | null
}

/** The batch has ended: whatever is left in its reserve goes back. */
export async function closeBatch(sql: Sql, args: CloseBatchArgs): Promise<Posted> {
  const { batch, client, ...head } = args
  const from = reserveAccount(batch)
  const to = clientAccount(client)
  return postAfterReading(sql, {
    head: { ...head, kind: 'close', reference: batch },
    accounts: [from, to],
    decide: (balances) => {
      const micros = balances.get(from)!.balance_micros
      return [
        { account: from, micros: -micros },
        { account: to, micros },
      ]
    },
  })
}

export interface CompensateArgs {
  id: string
  at: number
  reference: string
  /** To the reserve while the batch is open, so that the request can be paid again. */
  payments: readonly { batch: string; client: string; isOpen: boolean; micros: number }[]
  note?: string | null
}

/** A client paid for a capture that proved to be a lie: the platform, which keeps what the liar
 * forfeits, pays the whole price back. */
export async function compensate(sql: Sql, args: CompensateArgs): Promise<Posted> {
  const { payments, ...head } = args
  const total = sumMicros('A compensation', microsOf(payments))
  const entries = payments.map(({ batch, client, isOpen, micros }): Entry => ({
    account: isOpen ? reserveAccount(batch) : clientAccount(client),
    micros,
  }))
  entries.push({ account: PLATFORM, micros: -total })
  return post(sql, { ...head, kind: 'compensation', entries })
}

function microsOf(rows: readonly { micros: number }[]): number[] {
  return rows.map(({ micros }) => micros)
}
