/** What the page asks of the archive. */
import type {
  ArchivedMoment,
  ArchiveSearchPage,
  ArchiveTextPage,
  CaptureDiff,
  DocumentState,
  NotArchivedView,
  PastSearch,
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

export const noteSearch = ({ text, by }: Search): Promise<PastSearch[]> =>
  station('POST /archive/searches', { body: { text, by } })
