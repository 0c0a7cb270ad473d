/** The operations of watching by name, as the store runs them: each is one transaction. */
import type { OperationTable } from '@minga/store'
import { makeAllDue, queueDueVisits } from './due-visits.ts'
import { orderHarvest, steerHarvest, tendHarvests } from './harvests.ts'
import { loadPoliciesInStore } from '../plan/live-policies.ts'
import { replanVisits } from '../plan/replan.ts'
import { retimePlaces, retimeVisits } from '../plan/retime-visits.ts'
import { roundState } from './rounds.ts'
import { findSoonVisits, plannedSoon } from '../plan/soon-visits.ts'
import { endStrayVisits } from './stray-visits.ts'
import { watchVersions } from '../../archive/visit-versions.ts'
import { visitFacts } from './visit-facts.ts'
import { whatIf } from '../plan/what-if.ts'

export const watchingOperations = {
  loadPoliciesInStore,
  endStrayVisits,
  findSoonVisits,
  makeAllDue,
  orderHarvest,
  plannedSoon,
  queueDueVisits,
  replanVisits,
  retimePlaces,
  retimeVisits,
  roundState,
  steerHarvest,
  tendHarvests,
  visitFacts,
  watchVersions,
  whatIf,
} satisfies OperationTable
