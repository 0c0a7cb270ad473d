/** The registrar's and the members' operations by name, as the store runs them. */
import type { Sql, OperationTable } from '@minga/store'
import { claimHosts } from './claim-hosts.ts'
import { hostOwner, knownOwners } from '../host-owner.ts'
import { mapSince, readLoads } from './map-rows.ts'
import { moveHosts, placedHosts } from './move-hosts.ts'
import {
  admitStation,
  dismissStation,
  inviteStation,
  loseStation,
  renewStation,
} from './membership.ts'
import { learnDomains, mergeKnown, promoteStation, rewindMap } from './promotion.ts'
import { reassignHosts, reawaitHosts } from './reassign-hosts.ts'
import { federationOpenEnds, federationStanding, hasHosts, readFacts } from '../station-rows.ts'

export const registrarOperations = {
  admitStation,
  claimHosts,
  dismissStation,
  federationFacts: (sql: Sql): ReturnType<typeof readFacts> => readFacts(sql),
  federationOpenEnds,
  federationStanding: (sql: Sql): ReturnType<typeof federationStanding> => federationStanding(sql),
  hasHosts: (sql: Sql, { station }: { station: string }): Promise<boolean> =>
    hasHosts(sql, station),
  hostOwner,
  inviteStation,
  knownOwners,
  learnDomains,
  loseStation,
  mapSince,
  mergeKnown,
  moveHosts,
  placedHosts,
  placedLoads: async (sql: Sql): Promise<[string, number][]> => [...(await readLoads(sql))],
  promoteStation,
  reassignHosts,
  reawaitHosts,
  renewStation,
  rewindMap,
} satisfies OperationTable
