import type { OperationTable } from '@minga/store'
import { clientsSince, sweepClientDays } from './client-days.ts'
import { findFlags } from './find-flags.ts'
import { decideFlag, openFlags, raiseFlags, restrictionsOf, claimUnreportedFlags } from './flags.ts'

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
