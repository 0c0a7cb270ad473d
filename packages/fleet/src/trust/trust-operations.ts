import type { OperationTable } from '@minga/store'
import { complain } from './complain.ts'
import { blockDevice, expelDevice, releaseDevice } from './devices-standing.ts'

export const trustOperations = {
  blockDevice,
  complain,
  expelDevice,
  releaseDevice,
} satisfies OperationTable
