/** What the page asks about clients' requests. */

import type { BatchView, ResultLine } from '@minga/protocol'
export const BATCH_STATES = [
  'filling',
  'running',
  'ended',
  'cancelled',
] as const satisfies readonly BatchView['state'][]

export const OUTCOMES = [
  'captured',
  'failed',
  'denied',
  'cancelled',
] as const satisfies readonly ResultLine['outcome'][]
