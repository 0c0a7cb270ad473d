/** The operations of monitors that need nothing of other rooms, by name. */
import {
  addMonitor,
  listMonitors,
  monitorOf,
  runsOf,
  sightingsOf,
  stopMonitor,
} from './monitor-rows.ts'

export const neutralityOperations = {
  addMonitor,
  listMonitors,
  monitorOf,
  runsOf,
  sightingsOf,
  stopMonitor,
}
