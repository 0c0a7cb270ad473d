/** What the page asks about watches: what is watched, how, and what was found. */
import type {
  ForecastView,
  NoiseRegionView,
  NoticeView,
  SignalView,
  TrailView,
  VisitView,
  WatchCategoryView,
  WatchChanges,
  WatchDetail,
  WatchGroupView,
  WatchListPage,
  WatchRequest,
} from '@minga/protocol'
import { queryOf } from './call.ts'
import type { Operations } from './station-api.ts'
import { station } from './station.ts'

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

export const readWatchList = (asked: WatchListAsked): Promise<WatchListPage> =>
  station('GET /watches/list', { query: { ...asked } })

/** Marks their changes as seen by the user who asks. */
export const markSeen = (ids: readonly number[]): Promise<unknown> =>
  station('POST /watches/seen', { body: { ids } })

/** Everything of these watches is due now. */
export const visitNow = (ids: readonly number[]): Promise<{ due: number }> =>
  station('POST /watches/run', { body: { ids } })

export const setNextVisit = (id: number, at: number): Promise<WatchDetail> =>
  station('POST /watches/{id}/next-visit', { params: { id }, body: { at } })

export const EXPORTS = ['opml', 'csv', 'json'] as const
type Format = (typeof EXPORTS)[number]

export const exportPath = (as: Format): string => `/watches/export${queryOf({ as })}`

export interface Imported {
  added: number[]
  skipped: number
  problems: { line: number; code: string; message: string }[]
}

export type WatchFile = Operations['POST /watches/import']['body']['as']

export const importWatches = (as: WatchFile, text: string): Promise<Imported> =>
  station('POST /watches/import', { body: { as, text } })

export const GROUPINGS = ['category', 'owner', 'subject'] as const
export type Grouping = (typeof GROUPINGS)[number]

export const readWatchCounts = (by: Grouping): Promise<WatchGroupView[]> =>
  station('GET /watches/groups', { query: { by } })

export const makeWatch = (request: WatchRequest): Promise<WatchDetail> =>
  station('POST /watches', { body: request })

export const readWatch = (id: string): Promise<WatchDetail> =>
  station('GET /watches/{id}', { params: { id } })

export const changeWatch = (id: number, changes: WatchChanges): Promise<WatchDetail> =>
  station('PATCH /watches/{id}', { params: { id }, body: changes })

export const turnWatch = (id: number, verb: 'pause' | 'resume' | 'undo'): Promise<WatchDetail> =>
  station(`POST /watches/{id}/${verb}`, { params: { id } })

export const removeWatch = (id: number, withCaptures: boolean): Promise<unknown> =>
  station('DELETE /watches/{id}', { params: { id }, query: { withCaptures } })

export const readNextVisits = (id: string, limit: number): Promise<ForecastView[]> =>
  station('GET /watches/{id}/forecast', { params: { id }, query: { limit } })

export const readNoise = (id: number): Promise<NoiseRegionView[]> =>
  station('GET /watches/{id}/noise', { params: { id } })

/** "Not noise": what differs there is a change from now on. */
export const restoreNoise = (id: number, { url, region }: NoiseRegionView) =>
  station('POST /watches/{id}/noise/restore', { params: { id }, body: { url, region } })

export const forgetNoise = (id: number) =>
  station('POST /watches/{id}/noise/forget', { params: { id } })

export type ListedVisit = VisitView & { id: number }

/** Newest first, before this number. */
export const readVisits = (
  id: string,
  before: number | string | null,
  limit: number,
): Promise<ListedVisit[]> =>
  station('GET /watches/{id}/visits', { params: { id }, query: { before, limit } })

/** The newest ones, without those to feeds and sitemaps. */
export const readPageVisits = (id: string, limit: number): Promise<ListedVisit[]> =>
  station('GET /watches/{id}/visits', { params: { id }, query: { limit, of: 'pages' } })

export const readTrail = (id: string, limit: number): Promise<TrailView[]> =>
  station('GET /watches/{id}/trail', { params: { id }, query: { limit } })

export const readNotices = (
  id: string,
  limit: number,
): Promise<{ signals: SignalView[]; notices: NoticeView[] }> =>
  station('GET /watches/{id}/notices', { params: { id }, query: { limit } })

export const readWatchCategories = (): Promise<WatchCategoryView[]> =>
  station('GET /watches/categories')

export const addWatchCategory = (code: number, name: string): Promise<unknown> =>
  station('POST /watches/categories', { body: { code, name } })

export const renameWatchCategory = (code: number, name: string): Promise<unknown> =>
  station('PATCH /watches/categories/{code}', { params: { code }, body: { name } })

export const removeWatchCategory = (code: number): Promise<unknown> =>
  station('DELETE /watches/categories/{code}', { params: { code } })
