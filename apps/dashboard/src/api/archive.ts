/** What the page asks of the archive. */
import type {
  ArchivedMoment,
  ArchiveSearchPage,
  ArchiveVersion,
  CalendarDay,
  CaptureDiff,
  CaptureRow,
  DocumentState,
  Favourite,
  NotArchivedView,
  PastSearch,
  ReplayAccess,
  VersionComparison,
} from '@minga/protocol'
import { ApiFailure, call, queryOf } from './call.ts'

export const SEARCH_KINDS = ['url', 'prefix', 'host', 'title'] as const
export type SearchKind = (typeof SEARCH_KINDS)[number]

export const DOCUMENT_STATES = [
  'added',
  'removed',
  'changed',
  'unchanged',
] as const satisfies readonly DocumentState[]

export interface Search {
  text: string
  by: SearchKind
  /** Null: of all collections. */
  collectionId: number | null
}

export const searchArchive = (
  { text, by, collectionId }: Search,
  after: string | null,
  limit: number,
): Promise<ArchiveSearchPage> =>
  call('GET', `/archive/search${queryOf({ q: text, by, collectionId, after, limit })}`)

/** The capture nearest to a moment, or what there is instead. */
export async function readMoment(
  url: string,
  at: number | null,
): Promise<{ found: ArchivedMoment } | { missing: NotArchivedView }> {
  try {
    return { found: await call('GET', `/archive/moment${queryOf({ url, at })}`) }
  } catch (error) {
    const isMissing = error instanceof ApiFailure && error.code === 'MINGA_NO_SUCH_CAPTURE'
    if (isMissing) return { missing: error.body as NotArchivedView }
    throw error
  }
}

export const readCapturesOf = (url: string, limit: number): Promise<CaptureRow[]> =>
  call('GET', `/captures${queryOf({ url, newest: true, limit })}`)

export const readCalendar = (url: string): Promise<CalendarDay[]> =>
  call('GET', `/archive/calendar${queryOf({ url })}`)

export const readVersions = (before: number | null, limit: number): Promise<ArchiveVersion[]> =>
  call('GET', `/archive/versions${queryOf({ before, limit })}`)

export const readVersion = (id: string, number: string): Promise<ArchiveVersion> =>
  call('GET', `/archive/versions/${id}/${number}`)

export const readDocuments = (
  version: { id: string; number: string },
  afterId: number | null,
  limit: number,
): Promise<CaptureRow[]> =>
  call(
    'GET',
    `/archive/versions/${version.id}/${version.number}/documents${queryOf({ afterId, limit })}`,
  )

export interface Compared {
  before: string
  after: string
  states: readonly DocumentState[]
}

export const compareVersions = (
  { before, after, states }: Compared,
  cursor: string | null,
): Promise<VersionComparison> =>
  call('GET', `/archive/compare${queryOf({ before, after, states: states.join(), cursor })}`)

export interface DiffAsked {
  url: string
  before: string
  after: string
  /** Everything counts, watched or not. */
  raw: boolean
}

export const readDiff = ({ raw, ...captures }: DiffAsked): Promise<CaptureDiff> =>
  call('GET', `/captures/diff${queryOf({ ...captures, raw: raw || null })}`)

export const readReplay = (): Promise<ReplayAccess> => call('GET', '/archive/replay')

export const readFavourites = (): Promise<Favourite[]> => call('GET', '/archive/favourites')

export const keepFavourite = (url: string): Promise<Favourite[]> =>
  call('PUT', '/archive/favourites', { url })

export const dropFavourite = (url: string): Promise<Favourite[]> =>
  call('DELETE', `/archive/favourites${queryOf({ url })}`)

export const readSearches = (): Promise<PastSearch[]> => call('GET', '/archive/searches')

export const noteSearch = ({ text, by }: Search): Promise<PastSearch[]> =>
  call('POST', '/archive/searches', { text, by })

/** One of them, or all. */
export const dropSearches = (id: number | null): Promise<PastSearch[]> =>
  call('DELETE', `/archive/searches${queryOf({ id })}`)
