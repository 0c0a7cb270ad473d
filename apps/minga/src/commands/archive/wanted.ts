/** What an export was asked for. */
import type { CaptureRow } from '@minga/coordinator'
import type { Api } from '../../api.ts'
import { capturesOf, pagesOf } from './captures.ts'

export interface ExportOptions {
  data: string
  wacz: string
  urlPrefix?: string
  collection?: number
  title?: string
  json?: boolean
}

export interface ExportJob {
  api: Api
  data: string
  options: ExportOptions
  /** On the disk of the result; gone when the export ends. */
  temporary: string
}

/** Files, their index and a last id: captures after it came too late for this export. */
export interface ExportSource {
  warcFiles: string[]
  cdxjPath: string
  lastId: number
}

/** The captures that an export is about, up to a moment. */
export async function* wantedCaptures(
  { api, options }: Pick<ExportJob, 'api' | 'options'>,
  lastId: number,
): AsyncGenerator<CaptureRow> {
  const { collection, urlPrefix = '' } = options
  const query = collection === undefined ? {} : { collectionId: collection }
  for await (const row of capturesOf(pagesOf(api), query)) {
    if (row.id > lastId) return
    if (row.url.startsWith(urlPrefix)) yield row
  }
}
