/** What a load test changes in several rooms at once: its own row and the clocks of its site. */
import {
  beatLoadTest,
  claimLoadTest,
  loadTestOf,
  LoadTestRefused,
  LoadTestShared,
  type LoadResult,
  type LoadTestRow,
} from '@minga/fleet'
import { neighboursOf, findHostTarget, holdHost } from '@minga/frontier'
import type { Sql } from '@minga/store'

/**
 * From this transaction on ordinary work leaves the site alone. An address that other registrable
 * domains are known to live on refuses the test: their owners have proven nothing.
 */
export async function startLoadTest(
  sql: Sql,
  args: { id: string; owner: string | null; now: number } & { address: string; restUntil: number },
): Promise<LoadTestRow> {
  const { address, now } = args
  const { host } = await loadTestOf(sql, args)
  const { closedCode, isHeld } = await findHostTarget(sql, { host, now })
  if (closedCode !== null) throw LoadTestRefused.closed(host, closedCode)
  if (isHeld) throw LoadTestRefused.elsewhere(host)
  const neighbours = await neighboursOf(sql, { host, address })
  if (neighbours.length > 0) throw new LoadTestShared(host, neighbours)
  const test = await claimLoadTest(sql, args)
  await holdHost(sql, { host, address, until: args.restUntil })
  return test
}

export interface HoldLoadTestArgs {
  id: string
  host: string
  address: string
  state: 'preparing' | 'running'
  result: LoadResult | null
  restUntil: number
  now: number
}

export interface HeldLoadTest {
  /** A stop was requested, the site was closed, or the test counts as over. */
  isToStop: boolean
  /** Requests from before the test are still out. */
  isOut: boolean
}

/** Twice a second while a test lasts. */
export async function holdLoadTest(sql: Sql, args: HoldLoadTestArgs): Promise<HeldLoadTest> {
  const { host, address, restUntil, now } = args
  const { isToStop } = await beatLoadTest(sql, args)
  const { closedCode, isHeld } = await findHostTarget(sql, { host, now })
  const { isOut } = await holdHost(sql, { host, address, until: restUntil })
  return { isToStop: isToStop || closedCode !== null || isHeld, isOut }
}
