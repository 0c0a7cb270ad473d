/** Writes a plan as the next epoch of the map: page by page, then one row that makes it hold. */
import type { MapFacts } from '@minga/frontier'
import type { Plan, PlanInput } from '@minga/partition'
import { faultPoint } from '@minga/protocol'
import type { Calls } from '@minga/store'
import { movesOf, storyOf } from './map-story.ts'
import type { Operations } from '../../station/station-operations.ts'

/** Some ten milliseconds of the store's thread. */
const PAGE_ROWS = 2_000

export interface PlannedMap {
  /** Names this run of a coordinator. */
  writer: string
  now: number
  input: PlanInput
  plan: Plan
  reason: string
  why: string
}

/** The epoch, and how many hosts have another device than before. */
export async function writeMap(
  store: Calls<Operations>,
  map: PlannedMap,
): Promise<{ epoch: number; changed: number }> {
  const { writer, now } = map
  const epoch = await store.call('beginMap', { writer, now })
  const claim = { epoch, writer }
  await tidied(store, claim)
  const rows = changedRows(map)
  for (let at = 0; at < rows.length; at += PAGE_ROWS) {
    await store.call('writeMapPage', { ...claim, rows: rows.slice(at, at + PAGE_ROWS) })
    faultPoint('map:page-written')
  }
  const moves = movesOf(map.input, map.plan)
  for (let at = 0; at < moves.length; at += PAGE_ROWS) {
    await store.call('writeMoves', { ...claim, moves: moves.slice(at, at + PAGE_ROWS) })
  }
  await store.call('publishMap', { ...claim, now, facts: factsOf(map) })
  await tidied(store, null)
  return { epoch, changed: rows.length }
}

async function tidied(
  store: Calls<Operations>,
  claim: { epoch: number; writer: string } | null,
): Promise<void> {
  const page = { claim, atMost: PAGE_ROWS }
  while ((await store.call('tidyMap', page)) > 0);
}

export function changedRows({
  input,
  plan,
}: Pick<PlannedMap, 'input' | 'plan'>): [host: string, device: string][] {
  const rows: [string, string][] = []
  for (const [host, name] of input.graph.names.entries()) {
    const device = plan.parts[plan.partOf[host]!]!.name
    if (input.previous?.get(name) !== device) rows.push([name, device])
  }
  return rows
}

function factsOf({ input, plan, reason, why }: PlannedMap): MapFacts {
  const pages = plan.pages.reduce((sum, count) => sum + count, 0)
  return {
    reason,
    why,
    way: plan.way,
    hosts: input.graph.names.length,
    pages,
    movedPages: plan.movedPages,
    exchangeShare: plan.exchangeShare,
    imbalance: plan.imbalance,
    latencyMs: input.latency === undefined ? null : plan.latencyMs / Math.max(1, pages),
    story: storyOf(input, plan),
    parts: plan.parts.map(({ name, capacity }, part) => ({
      device: name,
      capacity,
      hosts: plan.hosts[part]!,
      pages: plan.pages[part]!,
    })),
  }
}
