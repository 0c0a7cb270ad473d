/** Captures that may not be kept any more: what is asked for, and what stays to be said of them. */
import { z } from 'zod'

const REASON_CHARS_MAX = 2_000
const URLS_MAX = 1_000

export const takedownRequest = z.object({
  urls: z.array(z.string().min(1)).min(1).max(URLS_MAX),
  /** 'one': the only version there is; 'at': the newest not after `at`; 'prefix': the URLs are beginnings. */
  versions: z.enum(['one', 'at', 'all', 'prefix']).default('one'),
  at: z.number().int().nullable().default(null),
  reason: z
    .string()
    .trim()
    .min(1)
    .max(REASON_CHARS_MAX)
    // PostgreSQL takes no NUL.
    .transform((text) => text.replaceAll('\0', '')),
  /** The same bytes from the same address are refused when they come again. */
  block: z.boolean().default(false),
  /** Only say what would go. */
  dryRun: z.boolean().default(false),
})

export type TakedownRequest = z.input<typeof takedownRequest>

/** One capture that goes. */
export interface TakedownCapture {
  url: string
  capturedAt: number
  kind: string
  digest: string
  file: string
}

export interface TakedownAnswer {
  captures: TakedownCapture[]
  dryRun: boolean
}

/** What stays of a capture that was taken down. */
export interface TakedownView extends TakedownCapture {
  id: number
  reason: string
  by: string
  isBlocked: boolean
  state: 'asked' | 'done'
  askedAt: number
  doneAt: number | null
}
