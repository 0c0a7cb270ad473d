/** Reads as many agents as a strategy can need for a number of turns, and makes its chooser. */
import type { Sql } from '@minga/store'
import {
  FastestOf,
  FirstOf,
  isLessBusy,
  isLessServed,
  nearestCountry,
  NearestOf,
  type Chooser,
  type Turn,
} from './choose.ts'
import { expectations, mostHopeful } from './latencies.ts'
import { countriesOf, leastBusy, leastBusyIn, leastServed, readLoads, type Load } from './loads.ts'
import type { Strategy } from './settings.ts'

/** Candidates of each kind that `fastest` compares per region. */
const FASTEST_CANDIDATES = 32

/** n turns can only go to the first n agents of the order, so no more need be read. */
export async function chooserFor(
  sql: Sql,
  strategy: Strategy,
  turns: readonly Turn[],
): Promise<Chooser> {
  switch (strategy) {
    case 'democratic':
      return new FirstOf(await leastServed(sql, turns.length), isLessServed)
    case 'least-busy':
      return new FirstOf(await leastBusy(sql, turns.length), isLessBusy)
    case 'nearest':
      return new NearestOf(await nearby(sql, turns))
    case 'fastest':
      return fastestOf(sql, turns)
  }
}

/** Any of the turns may make any of these agents busier, so each country's first n are read. */
async function nearby(sql: Sql, turns: readonly Turn[]): Promise<Load[]> {
  const loads = new Map<string, Load>()
  const countries = await countriesOf(sql, 'ready = 1')
  const wanted = new Set<string | null>()
  for (const country of new Set(turns.map((turn) => turn.country)))
    wanted.add(nearestCountry(country, countries))
  for (const country of wanted) {
    const found =
      country === null
        ? await leastBusy(sql, turns.length)
        : await leastBusyIn(sql, country, turns.length)
    for (const load of found) loads.set(load.device, load)
  }
  return [...loads.values()]
}

async function fastestOf(sql: Sql, turns: readonly Turn[]): Promise<Chooser> {
  const loads = new Map<string, Load>()
  for (const load of await leastBusy(sql, FASTEST_CANDIDATES)) loads.set(load.device, load)
  const regions = [...new Set(turns.map(({ country }) => country))]
  const hopeful = new Set<string>()
  for (const region of regions) {
    for (const device of await mostHopeful(sql, region, FASTEST_CANDIDATES)) hopeful.add(device)
  }
  const more = [...hopeful].filter((device) => !loads.has(device))
  for (const load of await readLoads(sql, more)) {
    if (load.ready === 1) loads.set(load.device, load)
  }
  const list = [...loads.values()]
  return new FastestOf(list, await expectations(sql, list, regions))
}
