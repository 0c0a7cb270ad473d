/**
 * Steps 6 and 7 inside one transaction: check fences, append bytes, index them, end the
 * requests, move the clocks, queue what was found. Either all of it is durable or none.
 */
import { acceptResults, settle, type Accepted } from '@minga/frontier'
import type { GuardPolicy } from '@minga/net'
import { faultPoint, type Result } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { extract } from './extract.ts'
import { keepCaptures } from './keep-captures.ts'

/** What one result's page points at, filtered by scope and by what is known to be seen. */
export interface FoundLinks {
  /** Index of the result in the batch. */
  result: number
  links: string[]
  embeds: string[]
  sitemaps: string[]
  redirect: { url: string; isInScope: boolean } | null
}

export interface IngestArgs {
  results: Result[]
  found: FoundLinks[]
  members: Uint8Array
  now: number
  /** Found URLs that the address guard refuses, with the code of the refusal. */
  refusals: Record<string, string>
  guard: GuardPolicy
}

export interface IngestAnswer {
  accepted: number
  stale: number
  /** Positions of the results all of whose links the seen-set knows now; a stale one's are lost. */
  learnt: number[]
  /** Collections whose scope grew because a seed was redirected. */
  grown: number[]
}

export async function ingest(sql: Sql, args: IngestArgs): Promise<IngestAnswer> {
  const { accepted, stale } = await acceptResults(sql, args)
  faultPoint('ingest:before-append')
  const duplicates = await keepCaptures(sql, {
    accepted,
    results: args.results,
    members: args.members,
  })
  faultPoint('ingest:after-append')
  await settle(sql, { accepted, now: args.now, duplicates })
  const { learnt, grown } = await extract(sql, {
    accepted,
    ...args,
    positions: positionsOf(args.results),
  })
  faultPoint('ingest:before-commit')
  return { accepted: accepted.length, stale, learnt, grown }
}

export type Positions = ReadonlyMap<Accepted['result'], number>

function positionsOf(results: readonly Result[]): Positions {
  return new Map(results.map((result, i) => [result, i]))
}
