/** What taking down runs in the store. */
import type { OperationTable } from '@minga/store'
import { finishTakedowns } from './finish-takedowns.ts'
import {
  askTakedown,
  listTakedowns,
  openTakedowns,
  placeTakedowns,
  takedownPlan,
  tombstoneOf,
} from './takedown-rows.ts'

export const takedownOperations = {
  askTakedown,
  finishTakedowns,
  listTakedowns,
  openTakedowns,
  placeTakedowns,
  takedownPlan,
  tombstoneOf,
} satisfies OperationTable
