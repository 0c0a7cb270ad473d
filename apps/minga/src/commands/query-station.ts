/** The station that answers a query: one that was named, one that serves the folder, or our own for this run. */
import { availableParallelism } from 'node:os'
import { httpApi } from '../api.ts'
import { BadOption } from '../errors.ts'
import { reached, reachStation, type ReachedStation } from '../reach-station.ts'
import type { QueryOptions } from './query.ts'

export interface Wanted {
  workers?: number
  memoryMb?: number
}

/** `work`: workers are needed, for something is to be computed. */
export async function reachQueries(
  options: QueryOptions,
  work: Wanted | null,
): Promise<ReachedStation> {
  if (options.station !== undefined) {
    if (options.key === undefined) {
      throw new BadOption('--station', 'a --key (or MINGA_KEY) beside it', 'none')
    }
    return reached(httpApi(options.station.replace(/\/+$/, ''), options.key))
  }
  const { data, postgres } = options
  return reachStation({
    data,
    ...(postgres === undefined ? {} : { postgres }),
    agents: 0,
    ...(work === null ? {} : { workers: { own: availableParallelism(), ...work } }),
  })
}
