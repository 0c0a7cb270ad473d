/** A whole station whose store holds hand-made histories, and calls of its `/api/v1`. */
import type { OutgoingHttpHeaders } from 'node:http'
import { oracleHistory } from '@minga/testkit'
import { encodeBatch, type Page, type Revision, type SiteInfo } from '@minga/wiki'
import { TOKENS, type StationChanges, type TestStation } from '../../station-fixture.ts'
import { openWikiStation } from '../wiki-fixture.ts'

export interface KeptHistory {
  site: SiteInfo
  page: Page
  revisions: readonly Revision[]
}

export interface V1Said {
  status: number
  headers: OutgoingHttpHeaders
  text: string
  /** Of an answer in JSON. */
  body: unknown
}

/** As an extraction would have left it. */
export async function keep(station: TestStation, history: KeptHistory): Promise<string> {
  const { site, page, revisions } = history
  const now = station.clock.now()
  const { wikiId, key } = await station.store.call('wikiRegister', { site, source: 'api', now })
  const note = { ...page, state: 'complete', source: 'api', extractedAt: now } as const
  await station.store.call('wikiNotePages', { wikiId, pages: [note], now })
  const batches = [encodeBatch([...revisions], { source: 'api', seenAt: now })]
  await station.store.call('wikiAddBatches', { wikiId, batches, now })
  return key
}

export async function oracleStation(changes: StationChanges = {}): Promise<TestStation> {
  const station = await openWikiStation(changes)
  await keep(station, oracleHistory())
  return station
}

/** A second wiki, of another language, with a page of its own. */
export function otherHistory(): KeptHistory {
  const { site, page, revisions } = oracleHistory()
  const base = 'https://es.wiki.example/wiki/Portada'
  return {
    site: { ...site, name: 'Otra', dbName: 'eswiki', base, language: 'es', apiUrl: null },
    page: { ...page, title: 'Asedio' },
    revisions: revisions.slice(0, 3),
  }
}

interface Asking {
  method?: 'GET' | 'POST' | 'PATCH'
  payload?: object
  headers?: Record<string, string>
}

export async function v1(
  station: TestStation,
  path: string,
  { method = 'GET', payload, headers = {} }: Asking = {},
): Promise<V1Said> {
  const answer = await station.app.inject({
    method,
    url: `/api/v1${path}`,
    headers: { host: 'localhost', authorization: `Bearer ${TOKENS.apiKey}`, ...headers },
    ...(payload === undefined ? {} : { payload }),
  })
  const isJson = String(answer.headers['content-type']).includes('application/json')
  return {
    status: answer.statusCode,
    headers: answer.headers,
    text: answer.payload,
    body: isJson ? JSON.parse(answer.payload) : null,
  }
}

export async function rowsOf(
  station: TestStation,
  path: string,
): Promise<Record<string, unknown>[]> {
  const { status, body, text } = await v1(station, path)
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`)
  return body as Record<string, unknown>[]
}
