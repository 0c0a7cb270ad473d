/** Everything of the lake that runs in the store; apart from the rest, which loads DuckDB. */
import { leaderOperations } from './leader/leader-operations.ts'
import { scheduleOperations } from './schedule/schedule-operations.ts'
import { tableOperations } from './tables/table-operations.ts'

const acts = { ...tableOperations, ...scheduleOperations }

export const lakeOperations = { ...acts, ...leaderOperations(acts) }

export { applySegments } from './tables/apply-segments.ts'
