/** The operations of load tests that need nothing of other rooms, by name. */
import type { OperationTable } from '@minga/store'
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
} satisfies OperationTable
