/** Reads as many agents as a strategy can need for a number of turns, and makes its chooser. */
import type { Sql } from '@minga/store'
import {
  FastestOf,
  FirstOf,
  isLessBusy,
  isLessServed,
  MappedTo,
  nearestCountry,
  NearestOf,
  type Chooser,
  type Turn,
} from './choose.ts'
import { currentEpoch, mappedDevices } from './agent-map.ts'
import { expectations, mostHopeful } from './latencies.ts'
import {
  countriesOf,
  firstReady,
  leastBusy,
  leastBusyIn,
  leastServed,
  readLoads,
  type Load,
} from './loads.ts'
import type { Strategy } from './settings.ts'

/** Candidates of each kind that `fastest` compares per region. */
const FASTEST_CANDIDATES = 32

/** Agents among whom names decide about hosts without a part. With more, the others get hosts by the map, which
 * is seconds away; drawing lots for thousands would hold up every lease. */
const DRAWING_MAX = 128

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
    case 'partitioned':
      return mappedTo(sql, turns)
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

async function mappedTo(sql: Sql, turns: readonly Turn[]): Promise<Chooser> {
  const devices = await mappedDevices(
    sql,
    turns.map(({ hostId }) => hostId),
  )
  const loads = new Map<string, Load>()
  for (const load of await readLoads(sql, [...new Set(devices.filter((one) => one !== null))])) {
    if (load.ready === 1) loads.set(load.device, load)
  }
  const owners = new Map<number, Load>()
  for (const [i, device] of devices.entries()) {
    const load = device === null ? undefined : loads.get(device)
    if (load !== undefined) owners.set(turns[i]!.hostId, load)
  }
  if (owners.size === turns.length) return new MappedTo(owners, [])
  // The same object for the same agent: what it is given must be counted once.
  const ready = (await firstReady(sql, DRAWING_MAX)).map((load) => loads.get(load.device) ?? load)
  return new MappedTo(owners, await weighed(sql, ready))
}

/** By the capacity that the map knows of them; who came since counts as much as any. */
async function weighed(
  sql: Sql,
  ready: readonly Load[],
): Promise<{ load: Load; weight: number }[]> {
  const epoch = await currentEpoch(sql)
  const parts = await sql.selectMany<{ capacity: number }>({
    table: 'place_map_parts',
    keys: ['epoch', 'device'],
    rows: ready.map(({ device }) => [epoch, device]),
    columns: ['capacity'],
  })
  return ready.map((load, i) => ({ load, weight: parts[i]?.capacity || 1 }))
}
