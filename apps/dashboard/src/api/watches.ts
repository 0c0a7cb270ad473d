/** What the page asks about watches: what is watched, how, and what was found. */
import type {
  ForecastView,
  NoticeView,
  SignalView,
  TrailView,
  VisitView,
  WatchCategoryView,
  WatchChanges,
  WatchDetail,
  WatchGroupView,
  WatchRequest,
  WatchView,
} from '@minga/protocol'
import { call, queryOf } from './call.ts'

export interface WatchFilter {
  search: string
  /** A code, `none`, or empty for all. */
  category: string
  /** Empty: all. */
  state: '' | 'active' | 'inactive' | 'running'
}

const filterQuery = ({ search, category, state }: WatchFilter) => ({
  search: search === '' ? null : search,
  category: category === '' ? null : category,
  state: state === '' ? null : state,
})

/** Newest first, before this number. */
export const readWatches = (
  filter: WatchFilter,
  before: number | null,
  limit: number,
): Promise<WatchView[]> =>
  call('GET', `/watches${queryOf({ ...filterQuery(filter), before, limit })}`)

export const EXPORTS = ['opml', 'csv', 'json'] as const
type Format = (typeof EXPORTS)[number]

export const exportPath = (filter: WatchFilter, as: Format): string =>
  `/watches/export${queryOf({ ...filterQuery(filter), as })}`

export interface Imported {
  added: number[]
  skipped: number
  problems: { line: number; code: string; message: string }[]
}

export const importWatches = (as: string, text: string): Promise<Imported> =>
  call('POST', '/watches/import', { as, text })

export const GROUPINGS = ['category', 'owner', 'subject'] as const
export type Grouping = (typeof GROUPINGS)[number]

export const readWatchCounts = (by: Grouping): Promise<WatchGroupView[]> =>
  call('GET', `/watches/groups${queryOf({ by })}`)

export const makeWatch = (request: WatchRequest): Promise<WatchDetail> =>
  call('POST', '/watches', request)

export const readWatch = (id: string): Promise<WatchDetail> => call('GET', `/watches/${id}`)

export const changeWatch = (id: number, changes: WatchChanges): Promise<WatchDetail> =>
  call('PATCH', `/watches/${id}`, changes)

export const turnWatch = (id: number, verb: 'pause' | 'resume' | 'undo'): Promise<WatchDetail> =>
  call('POST', `/watches/${id}/${verb}`, {})

export const removeWatch = (id: number, withCaptures: boolean): Promise<unknown> =>
  call('DELETE', `/watches/${id}${queryOf({ withCaptures })}`)

export const readNextVisits = (id: string, limit: number): Promise<ForecastView[]> =>
  call('GET', `/watches/${id}/forecast${queryOf({ limit })}`)

export const readVisits = (id: string, limit: number): Promise<(VisitView & { id: number })[]> =>
  call('GET', `/watches/${id}/visits${queryOf({ limit })}`)

export const readTrail = (id: string, limit: number): Promise<TrailView[]> =>
  call('GET', `/watches/${id}/trail${queryOf({ limit })}`)

export const readNotices = (
  id: string,
  limit: number,
): Promise<{ signals: SignalView[]; notices: NoticeView[] }> =>
  call('GET', `/watches/${id}/notices${queryOf({ limit })}`)

export const readWatchCategories = (): Promise<WatchCategoryView[]> =>
  call('GET', '/watches/categories')

export const addWatchCategory = (code: number, name: string): Promise<unknown> =>
  call('POST', '/watches/categories', { code, name })

export const renameWatchCategory = (code: number, name: string): Promise<unknown> =>
  call('PATCH', `/watches/categories/${code}`, { name })

export const removeWatchCategory = (code: number): Promise<unknown> =>
  call('DELETE', `/watches/categories/${code}`)
