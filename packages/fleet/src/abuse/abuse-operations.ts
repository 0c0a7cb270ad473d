import type { OperationTable } from '@minga/store'
import { clientsSince, sweepClientDays } from './client-days.ts'
import {
  claimUnreportedFlags,
  decideFlag,
  findFlags,
  openFlags,
  raiseFlags,
  restrictionsOf,
} from './flags.ts'

export const abuseOperations = {
  clientsSince,
  decideFlag,
  findFlags,
  openFlags,
  raiseFlags,
  restrictionsOf,
  sweepClientDays,
  claimUnreportedFlags,
} satisfies OperationTable
