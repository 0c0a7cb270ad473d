/** The operations of visits by name, as the store runs them: each is one transaction. */
import type { OperationTable } from '@minga/store'
import { makeAllDue, queueDueVisits, roundState } from './due-visits.ts'
import { orderHarvest, steerHarvest, advanceHarvests } from './harvests.ts'
import { loadPoliciesInStore } from '../plan/live-policies.ts'
import { replanVisits } from '../plan/replan.ts'
import { retimeUrls, retimeVisits } from '../plan/retime-visits.ts'
import { findUpcomingVisits, plannedUpcoming } from '../plan/upcoming-visits.ts'
import { endStrayVisits } from './stray-visits.ts'
import { watchVersions } from '../../archive/visit-versions.ts'
import { visitFacts } from './visit-facts.ts'
import { whatIf } from '../plan/what-if.ts'

export const visitOperations = {
  loadPoliciesInStore,
  endStrayVisits,
  findUpcomingVisits,
  makeAllDue,
  orderHarvest,
  plannedUpcoming,
  queueDueVisits,
  replanVisits,
  retimePlaces: retimeUrls,
  retimeVisits,
  roundState,
  steerHarvest,
  advanceHarvests,
  visitFacts,
  watchVersions,
  whatIf,
} satisfies OperationTable
