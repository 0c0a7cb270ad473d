/** What the page asks of the archive. */
import type { ArchivedMoment, NotArchivedView } from '@minga/protocol'
import { ApiFailure } from './call.ts'
import { station } from './station.ts'

export const SEARCH_KINDS = ['url', 'prefix', 'host', 'title', 'text'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

export interface Search {
  text: string
  by: SearchKind
  /** Null: of all collections. */
  collectionId: number | null
  /** Of texts only. */
  host?: string | undefined
  /** What at least one capture of an address is. */
  type?: string | undefined
  status?: string | undefined
  /** In milliseconds, both included. */
  from?: number | undefined
  to?: number | undefined
}

export const CAPTURE_TYPES = ['page', 'image', 'style', 'script', 'data', 'media', 'other'] as const

export const STATUSES = ['2', '3', '4', '5'] as const

/** The capture nearest to a moment, or what there is instead. */
export async function readMoment(
  url: string,
  at: number | null,
): Promise<{ found: ArchivedMoment } | { missing: NotArchivedView }> {
  try {
    return { found: await station('GET /archive/moment', { query: { url, at } }) }
  } catch (error) {
    const isMissing = error instanceof ApiFailure && error.code === 'MINGA_NO_SUCH_CAPTURE'
    if (isMissing) return { missing: error.body as NotArchivedView }
    throw error
  }
}

export const wholePath = (collectionId: number, as: 'wacz' | 'cdxj'): string =>
  `/archive/collections/${collectionId}/${as}`
