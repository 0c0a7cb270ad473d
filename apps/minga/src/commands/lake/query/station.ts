/** The station that answers a query: one that was named, one that serves the folder, or our own for this run. */
import { availableParallelism } from 'node:os'
import { remoteApi } from '../../../api.ts'
import { reached, reachStation, type ReachedStation } from '../../../reach-station.ts'
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
    return reached(remoteApi({ ...options, station: options.station }))
  }
  const { data, postgres } = options
  return reachStation({
    data,
    ...(postgres === undefined ? {} : { postgres }),
    agents: 0,
    ...(work === null ? {} : { workers: { own: availableParallelism(), ...work } }),
  })
}
