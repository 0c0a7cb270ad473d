/** The operations of watching by name, as the store runs them: each is one transaction. */
import { makeAllDue, queueDueVisits } from './due-visits.ts'
import { orderHarvest, steerHarvest, tendHarvests } from './harvests.ts'
import { replanVisits, retimeVisits } from './replan.ts'
import { roundState } from './rounds.ts'
import { endStrayVisits } from './stray-visits.ts'
import { watchVersions } from './versions.ts'
import { visitFacts } from './visit-facts.ts'

export const watchingOperations = {
  endStrayVisits,
  makeAllDue,
  orderHarvest,
  queueDueVisits,
  replanVisits,
  retimeVisits,
  roundState,
  steerHarvest,
  tendHarvests,
  visitFacts,
  watchVersions,
}
