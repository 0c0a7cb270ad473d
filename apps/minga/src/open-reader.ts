/**
 * What commands that only read need of an archive. A running station is asked; a folder that no
 * station serves is read where it is, without starting one.
 */
import {
  openCurrent,
  type CaptureContent,
  type CaptureQuery,
  type CaptureRow,
  type ContentForm,
} from '@minga/coordinator'
import type { WatchView } from '@minga/protocol'
import { findStation, openApi, type Api } from './api.ts'
import { pagesOf } from './commands/archive/captures.ts'

export interface Reader {
  captures: (query: CaptureQuery) => Promise<CaptureRow[]>
  content: (query: ContentRequest) => Promise<CaptureContent>
  /** Newest first. */
  watches: (page: { before: number; limit: number }) => Promise<WatchView[]>
  close: () => Promise<void>
}

export interface ContentRequest {
  url: string
  /** Null: the newest. */
  at: number | null
  form: ContentForm
}

export async function openReader(data: string): Promise<Reader> {
  const station = await findStation(data)
  if (station !== null) return apiReader(station)
  const folder = process.env['MINGA_POSTGRES'] ? null : await openCurrent(data)
  if (folder === null) return apiReader(await openApi(data))
  return {
    captures: (query) => folder.captures(query),
    content: (query) => folder.content(query),
    watches: (page) => folder.watches(page),
    close: async () => folder.close(),
  }
}

function apiReader(api: Api): Reader {
  return {
    captures: pagesOf(api),
    content: ({ at, ...query }) => {
      const asked = new URLSearchParams({ ...query, ...(at === null ? {} : { at: String(at) }) })
      return api.read(`/captures/content?${asked.toString()}`)
    },
    watches: ({ before, limit }) =>
      api.get<WatchView[]>(`/watches?before=${before}&limit=${limit}`),
    close: () => api.close(),
  }
}
