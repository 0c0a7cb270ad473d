/** The operations of load tests that need nothing of other rooms, by name. */
import {
  addLoadTest,
  askLoadAbort,
  endLoadTest,
  listLoadTests,
  loadMachines,
  loadTestOf,
  setLoadTests,
  startableLoadTest,
  sweepLoadTests,
  takesLoadTests,
} from './load-test-rows.ts'

export const loadTestOperations = {
  addLoadTest,
  askLoadAbort,
  endLoadTest,
  listLoadTests,
  loadMachines,
  loadTestOf,
  setLoadTests,
  startableLoadTest,
  sweepLoadTests,
  takesLoadTests,
}
