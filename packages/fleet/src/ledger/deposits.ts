/** Deposits of complaints: set aside while the result is checked, then returned or kept by the platform. */
import type { Sql } from '@minga/store'
import { PLATFORM, reserveAccount } from './accounts.ts'
import { refund, reserve } from './budget.ts'
import { post, type Posted } from './posting.ts'

export interface Deposit {
  readonly client: string
  /** Names the complaint, and the reserve that holds its money. */
  readonly name: string
  readonly micros: number
}

/** Throws NoBudget when the client does not have it. */
export function payDeposit(
  sql: Sql,
  args: Deposit & { creditLimitMicros: number | null; at: number },
): Promise<Posted> {
  const { client, name, micros, creditLimitMicros, at } = args
  const id = `deposit ${name}`
  return reserve(sql, { id, at, client, batch: name, micros, creditLimitMicros })
}

export function endDeposit(
  sql: Sql,
  args: Deposit & { isKept: boolean; at: number },
): Promise<Posted> {
  const { client, name, micros, isKept, at } = args
  const head = { id: `deposit end ${name}`, at, reference: name }
  if (!isKept) return refund(sql, { ...head, refunds: [{ batch: name, client, micros }] })
  return post(sql, {
    ...head,
    kind: 'forfeit',
    note: 'The result of which the client complained was right.',
    entries: [
      { account: reserveAccount(name), micros: -micros },
      { account: PLATFORM, micros },
    ],
  })
}
