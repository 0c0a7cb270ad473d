/** What the page asks of the archive. */
import type {
  ArchivedMoment,
  ArchiveSearchPage,
  ArchiveSizes,
  ArchiveTextPage,
  ArchiveVersion,
  CalendarDay,
  CaptureDiff,
  CapturePage,
  CaptureRow,
  DocumentState,
  Favourite,
  NotArchivedView,
  PastSearch,
  ReplayAccess,
  Tombstone,
  VersionComparison,
} from '@minga/protocol'
import { ApiFailure, queryOf } from './call.ts'
import { station } from './station.ts'

export const SEARCH_KINDS = ['url', 'prefix', 'host', 'title', 'text'] as const
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

export const searchArchive = (
  { text, by, collectionId, type, status, from, to }: Search,
  after: string | null,
  limit: number,
): Promise<ArchiveSearchPage> =>
  station('GET /archive/search', {
    query: { q: text, by, collectionId, type, status, from, to, after, limit },
  })

export const searchTexts = (
  { text, collectionId, host, from, to }: Search,
  after: string | null,
  limit: number,
): Promise<ArchiveTextPage> =>
  station('GET /archive/text', {
    query: { q: text, collectionId, host, from, to, after, limit },
  })

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

export interface CapturesAsked {
  url?: string | undefined
  collectionId?: string | undefined
  text?: string | undefined
  type?: string | undefined
  status?: string | undefined
  kind?: string | undefined
  from?: number | undefined
  to?: number | undefined
  order?: 'newest' | 'oldest' | undefined
  after: string | null
  limit: number
}

export const readCaptures = (asked: CapturesAsked): Promise<CapturePage> =>
  station('GET /archive/captures', { query: { ...asked } })

export const readSizes = (collectionId: number | null): Promise<ArchiveSizes> =>
  station('GET /archive/sizes', { query: { collectionId } })

export const readTombstones = (url: string): Promise<Tombstone[]> =>
  station('GET /archive/tombstones', { query: { url } })

export const readCalendar = (url: string): Promise<CalendarDay[]> =>
  station('GET /archive/calendar', { query: { url } })

export const readVersions = (before: number | null, limit: number): Promise<ArchiveVersion[]> =>
  station('GET /archive/versions', { query: { before, limit } })

export const readVersion = (id: string, number: string): Promise<ArchiveVersion> =>
  station('GET /archive/versions/{collection}/{number}', { params: { collection: id, number } })

export const readDocuments = (
  version: { id: string; number: string },
  afterId: number | null,
  limit: number,
): Promise<CaptureRow[]> =>
  station('GET /archive/versions/{collection}/{number}/documents', {
    params: { collection: version.id, number: version.number },
    query: { afterId, limit },
  })

export interface Compared {
  before: string
  after: string
  states: readonly DocumentState[]
}

export const compareVersions = (
  { before, after, states }: Compared,
  cursor: string | null,
): Promise<VersionComparison> =>
  station('GET /archive/compare', { query: { before, after, states: states.join(), cursor } })

export interface DiffAsked {
  url: string
  before: string
  after: string
  /** Everything counts, watched or not. */
  raw: boolean
}

export const readDiff = ({ raw, ...captures }: DiffAsked): Promise<CaptureDiff> =>
  station('GET /captures/diff', { query: { ...captures, raw: raw || null } })

export const patchPath = ({ raw, ...captures }: DiffAsked): string =>
  `/captures/diff${queryOf({ ...captures, raw: raw || null, as: 'text' })}`

/** One capture as it is kept, below /api. */
export const recordPath = (url: string, at: number): string =>
  `/captures/record${queryOf({ url, at })}`

export const contentPath = (url: string, at: number, form: 'body' | 'headers'): string =>
  `/captures/content${queryOf({ url, at, form })}`

export const wholePath = (collectionId: number, as: 'wacz' | 'cdxj'): string =>
  `/archive/collections/${collectionId}/${as}`

export const readReplay = (collectionId: number): Promise<ReplayAccess> =>
  station('GET /archive/replay', { query: { collectionId } })

export const readFavourites = (): Promise<Favourite[]> => station('GET /archive/favourites')

export const keepFavourite = (url: string): Promise<Favourite[]> =>
  station('PUT /archive/favourites', { body: { url } })

export const dropFavourite = (url: string): Promise<Favourite[]> =>
  station('DELETE /archive/favourites', { query: { url } })

export const readSearches = (): Promise<PastSearch[]> => station('GET /archive/searches')

export const noteSearch = ({ text, by }: Search): Promise<PastSearch[]> =>
  station('POST /archive/searches', { body: { text, by } })

/** One of them, or all. */
export const dropSearches = (id: number | null): Promise<PastSearch[]> =>
  station('DELETE /archive/searches', { query: { id } })
