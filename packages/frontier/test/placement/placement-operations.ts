/**
 * The operations of this room's tests, and some for those of placement, loaded into the store's
 * thread: results are settled without bytes, and query plans are returned.
 */
import type { Result } from '@minga/protocol'
import type { OperationTable, Row, Sql } from '@minga/store'
import { acceptResults } from '../../src/settle/accept.ts'
import { lease, type LeaseArgs } from '../../src/lease/lease.ts'
import { operations as ofStation } from '../contract-operations.ts'
import { settle } from '../../src/settle/settle.ts'
import { chooserFor } from '../../src/placement/candidates.ts'
import type { Turn } from '../../src/placement/choose.ts'
import { noteOutcomes } from '../../src/placement/outcomes.ts'
import type { Strategy } from '../../src/placement/settings.ts'

async function complete(
  sql: Sql,
  { device, results, now }: { device: string; results: Result[]; now: number },
): Promise<number> {
  const items = results.map((result) => ({ result }))
  const { accepted } = await acceptResults(sql, { items, now })
  await settle(sql, { accepted, now, duplicates: new Map() })
  await noteOutcomes(sql, { device, accepted })
  return accepted.length
}

/** Chooses for many turns, several times over; answers how many choices were made. */
async function chooseMany(
  sql: Sql,
  args: { strategy: Strategy; turns: Turn[]; rounds: number },
): Promise<number> {
  let choices = 0
  for (let round = 0; round < args.rounds; round++) {
    const chooser = await chooserFor(sql, args.strategy, args.turns)
    for (const turn of args.turns) if (chooser.choose(turn) !== null) choices++
  }
  return choices
}

/** Leases, and answers how the database would find what the lease looked up about whom. */
async function plansOfLease(sql: Sql, args: LeaseArgs): Promise<{ text: string; plan: string }[]> {
  const asked: { text: string; params: Row }[] = []
  const spy = new Proxy(sql, {
    get(target, name: keyof Sql) {
      if (name !== 'all' && name !== 'get') return bound(target, name)
      return (text: string, params: Row = []) => {
        asked.push({ text, params })
        return target[name](text, params)
      }
    },
  })
  await lease(spy, args)
  const explain = sql.dialect === 'sqlite' ? 'EXPLAIN QUERY PLAN' : 'EXPLAIN'
  const plans: { text: string; plan: string }[] = []
  for (const { text, params } of asked) {
    if (!/FROM (agent_|collection_hosts)/.test(text)) continue
    const rows = await sql.all<Record<string, string>>(`${explain} ${text}`, params)
    plans.push({ text, plan: rows.map((row) => row['detail'] ?? row['QUERY PLAN']).join('\n') })
  }
  return plans
}

function bound(target: Sql, name: keyof Sql): unknown {
  const value: unknown = target[name]
  return typeof value === 'function' ? value.bind(target) : value
}

export const operations = {
  ...ofStation,
  complete,
  chooseMany,
  plansOfLease,
} satisfies OperationTable

export type PlacementOperations = typeof operations

export { blobSeries } from '../contract-operations.ts'
