import { clientsSince, sweepClientDays } from './client-days.ts'
import {
  decideFlag,
  listFlags,
  openFlags,
  raiseFlags,
  restrictionsOf,
  takeUntoldFlags,
} from './flags.ts'

export const abuseOperations = {
  clientsSince,
  decideFlag,
  listFlags,
  openFlags,
  raiseFlags,
  restrictionsOf,
  sweepClientDays,
  takeUntoldFlags,
}
