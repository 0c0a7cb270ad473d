/** Everything of the lake that runs in the store; apart from the rest, which loads DuckDB. */
import { joinOperations } from '@minga/store'
import { leaderOperations } from './leader/leader-operations.ts'
import { scheduleOperations } from './schedule/schedule-operations.ts'
import { tableOperations } from './tables/table-operations.ts'

const acts = joinOperations(tableOperations, scheduleOperations)

/** What a leader may have done under its fence. */
export type LakeActs = typeof acts

export const lakeOperations = joinOperations(acts, leaderOperations(acts))

export type LakeOperations = typeof lakeOperations

export { applySegments } from './tables/apply-segments.ts'
