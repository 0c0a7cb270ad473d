/** What the page asks about watches: what is watched, how, and what was found. */
import type { VisitView } from '@minga/protocol'
import { queryOf } from './call.ts'
import type { Operations } from './station-api.ts'

/** What the page's list asks for; what is undefined is not asked. */
export interface WatchListAsked {
  search?: string | undefined
  category?: string | undefined
  state?: string | undefined
  subject?: string | undefined
  trouble?: string | undefined
  group?: string | undefined
  sort: string
  descending: boolean
  after: string | null
  limit: number
}

export const EXPORTS = ['opml', 'csv', 'json'] as const
type Format = (typeof EXPORTS)[number]

export const exportPath = (as: Format): string => `/watches/export${queryOf({ as })}`

export type WatchFile = Operations['POST /watches/import']['body']['as']

export const GROUPINGS = ['category', 'owner', 'subject'] as const
export type Grouping = (typeof GROUPINGS)[number]

export type ListedVisit = VisitView & { id: number }
