/** What taking down runs in the store. */
import type { OperationTable } from '@minga/store'
import { finishTakedowns } from './finish-takedowns.ts'
import { hiddenRevisions, wikiCaptures } from '../../wiki/hidden-revisions-rows.ts'
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
  hiddenRevisions,
  listTakedowns,
  openTakedowns,
  placeTakedowns,
  takedownPlan,
  tombstoneOf,
  wikiCaptures,
} satisfies OperationTable
