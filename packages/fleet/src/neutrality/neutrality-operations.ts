/** The operations of monitors that need nothing of other rooms, by name. */
import type { OperationTable } from '@minga/store'
import {
  addMonitor,
  listMonitors,
  monitorOf,
  runsOf,
  listObservations,
  stopMonitor,
} from './monitor-rows.ts'

export const neutralityOperations = {
  addMonitor,
  listMonitors,
  monitorOf,
  runsOf,
  listObservations,
  stopMonitor,
} satisfies OperationTable
