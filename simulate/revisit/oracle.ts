/**
 * The oracle knows every URL's mean rate, though not the moments, and maximises distinct weighted
 * versions with it. A policy that senses bursts or seasons may catch more than it does.
 */
import { priced, versionsAt, type Policy } from '@minga/forecast'
import type { Trace } from './trace.ts'

const LEAST_PER_DAY = 1e-6

export const oraclePolicy: Policy = priced({
  name: 'oracle',
  visitsAt: versionsAt,
  rate: (known) => known.state as number,
  remember: (known) => known.state,
})

/** What only the oracle knows. */
export function oracleState({ rate }: Trace): number {
  return Math.max(rate, LEAST_PER_DAY)
}
