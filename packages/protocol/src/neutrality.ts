/** A request to the neutrality monitor: one list of addresses, seen from many places. */
import { z } from 'zod'

const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 24 * HOUR_MS
const DAY_S = 86_400

export const monitorMessage = z.object({
  name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^\P{Cc}*$/u, 'must not contain control characters'),
  urls: z.array(z.string().max(2_000)).min(1).max(500),
  by: z.enum(['country', 'network']).default('country'),
  /** Two confirm each other; a third confirms nothing more and costs the sites as much. */
  devicesPerPlace: z.number().int().min(1).max(5).default(2),
  /** Null: one run only. */
  everyMs: z.number().int().min(HOUR_MS).max(YEAR_MS).nullable().default(null),
  /** How long a run waits for its devices: each fetches at the pace that the sites allow. */
  patienceS: z.number().int().min(60).max(DAY_S).default(3_600),
})
export type MonitorMessage = z.infer<typeof monitorMessage>
