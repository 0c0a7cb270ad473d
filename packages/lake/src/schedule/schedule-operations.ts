/** The scheduler's operations by name, as the store runs them: each is one transaction. */
import type { OperationTable } from '@minga/store'
import { commitTask } from './commit-task.ts'
import {
  beatTasks,
  cancelQuery,
  failTask,
  keepLeases,
  returnTask,
  touchQuery,
} from './hold-leases.ts'
import { drainedWorkers, drainWorker, resumeWorker } from './drain-workers.ts'
import { leaseNow, leaseTask } from './lease-task.ts'
import { listTasks, stageBytes } from './list-tasks.ts'
import {
  forgetQueries,
  garbageOf,
  livingQueries,
  noteCollected,
  strayQueries,
} from './query-garbage.ts'
import { outputsOf, planOf, resultsOf } from './query-outputs.ts'
import { listQueries, statusOf } from './query-status.ts'
import { submitQuery } from './submit-query.ts'
import { endWorker, sweepTasks } from './sweep-tasks.ts'

export const scheduleOperations = {
  lakeSubmit: submitQuery,
  lakeLease: leaseTask,
  lakeLeaseNow: leaseNow,
  lakeBeat: beatTasks,
  lakeCommit: commitTask,
  lakeFail: failTask,
  lakeReturn: returnTask,
  lakeEndWorker: endWorker,
  lakeKeepLeases: keepLeases,
  lakeSweepTasks: sweepTasks,
  lakeCancel: cancelQuery,
  lakeTouch: touchQuery,
  lakeStatus: statusOf,
  lakeListQueries: listQueries,
  lakeOutputs: outputsOf,
  lakeResults: resultsOf,
  lakePlan: planOf,
  lakeGarbage: garbageOf,
  lakeCollected: noteCollected,
  lakeStrayQueries: strayQueries,
  lakeLivingQueries: livingQueries,
  lakeForgetQueries: forgetQueries,
  lakeListTasks: listTasks,
  lakeStageBytes: stageBytes,
  lakeDrain: drainWorker,
  lakeResume: resumeWorker,
  lakeDrained: drainedWorkers,
} satisfies OperationTable

export type ScheduleOperations = typeof scheduleOperations
