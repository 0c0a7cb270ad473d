/** Who may read a collection, a table or anything else that has an owner. */
import { z } from 'zod'

/**
 * For its owner and those it is shared with; for all readers of the station; for everyone, without
 * a log-in.
 */
export const VISIBILITIES = ['private', 'shared', 'public'] as const
export type Visibility = (typeof VISIBILITIES)[number]

export interface Sharing {
  /** Null: the station's own. */
  owner: string | null
  visibility: Visibility
  /** Names of accounts that read it also when it is private. */
  sharedWith: string[]
}

/** What is not named stays. */
export const sharingChange = z.strictObject({
  visibility: z.enum(VISIBILITIES).optional(),
  sharedWith: z.array(z.string().min(1).max(100)).max(100).optional(),
})
export type SharingChange = z.infer<typeof sharingChange>
