/** What the page asks about watches: what is watched, how, and what was found. */
import type { VisitView } from '@minga/protocol'
import { queryOf } from './call.ts'

export const EXPORTS = ['opml', 'csv', 'json'] as const
type Format = (typeof EXPORTS)[number]

export const exportPath = (as: Format): string => `/watches/export${queryOf({ as })}`

export type ListedVisit = VisitView & { id: number }
