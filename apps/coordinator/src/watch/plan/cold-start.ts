/**
 * What is believed of a URL at its first visit: what the archive already holds of it, imported or
 * gathered by others, and before that what pages like it do (same pattern, same host, same category).
 */
import {
  decodePriorTree,
  encodeBelief,
  encodePriorTree,
  learnPrior,
  newBelief,
  newPriorTree,
  toPriorKey,
  priorFor,
  trainFromCaptures,
  type Belief,
  type PriorTree,
} from '@minga/forecast'
import type { Sql } from '@minga/store'
import { readFact, writeFact } from '../../station/station-facts.ts'
import type { ForecastRow, WatchRow } from './forecast-rows.ts'

const PRIORS_FACT = 'visitPriors'
/** Older captures say little of today's rate: forgetting would drop them anyway. */
const CAPTURES_MAX = 1_000

interface Visited {
  forecast: ForecastRow
  watch: WatchRow
}

/** With a belief each, where one had none. */
export async function withBeliefs<V extends Visited>(
  sql: Sql,
  visited: readonly V[],
): Promise<V[]> {
  if (visited.every(({ forecast }) => forecast.belief !== null)) return [...visited]
  const priors = await readPriors(sql)
  const ready: V[] = []
  for (const each of visited) {
    const { forecast, watch } = each
    if (forecast.belief !== null) {
      ready.push(each)
      continue
    }
    const belief = newBelief(priorFor(priors, toPriorKey(forecast.url, watch.settings.category)))
    // Archived digests count noise as change: the rate starts a little high, and visits correct it.
    trainFromCaptures(belief, await archived(sql, forecast))
    ready.push({ ...each, forecast: { ...forecast, belief: encodeBelief(belief) } })
  }
  return ready
}

function archived(
  sql: Sql,
  { host_id, hash, url }: ForecastRow,
): Promise<{ at: number; digest: string }[]> {
  return sql.all(
    `SELECT captured_at AS at, digest FROM captures
     WHERE host_id = ? AND hash = ? AND url = ? AND status IN (200, 304)
     ORDER BY captured_at DESC LIMIT ?`,
    [host_id, hash, url, CAPTURES_MAX],
  )
}

export async function readPriors(sql: Sql): Promise<PriorTree> {
  const stored = await readFact(sql, { name: PRIORS_FACT })
  return stored === null ? newPriorTree() : decodePriorTree(Buffer.from(stored, 'base64'))
}

export interface Kin {
  url: string
  category: number | null
  belief: Belief
}

/**
 * Computed from a fair sample of all watches, from scratch each time, so that removed watches no
 * longer contribute.
 */
export async function keepPriors(sql: Sql, sample: Iterable<Kin>): Promise<void> {
  const tree = newPriorTree()
  for (const { url, category, belief } of sample)
    learnPrior(tree, toPriorKey(url, category), belief)
  const value = Buffer.from(encodePriorTree(tree)).toString('base64')
  await writeFact(sql, { name: PRIORS_FACT, value })
}
