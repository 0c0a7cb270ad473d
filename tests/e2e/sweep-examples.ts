/**
 * An address for every route of the page, with the ids of things that a station really has. The routes
 * themselves are asked of the router in the browser, so that a new screen cannot be forgotten.
 */
import type { Page } from 'playwright-core'
import { askStation, type Station } from './page-station.ts'

/** Of a filled station, one of each thing that has a screen of its own. */
export interface Things {
  collection: number
  device: string
  /** An address with several captures. */
  url: string
  /** Two versions of one site, `3/1`. */
  versions: readonly [before: string, after: string]
  watch: number
  query: string
  table: string
  batch: string
  loadTest: string
  monitor: string
  epoch: number
  wiki: string
  wikiPages: readonly { pageId: number; title: string }[]
  editor: string
}

type Example = (things: Things) => string

const query = (values: Record<string, string>): string => new URLSearchParams(values).toString()
const fixed =
  (path: string): Example =>
  () =>
    path

const EXAMPLES: Readonly<Record<string, Example>> = {
  '/collections/$id': ({ collection }) => `/collections/${collection}`,
  '/devices/$id': ({ device }) => `/devices/${device}`,
  '/archive/url': ({ url }) => `/archive/url?${query({ url })}`,
  '/archive/replay': ({ url }) => `/archive/replay?${query({ url })}`,
  '/archive/diff': ({ url }) => `/archive/diff?${query({ url })}`,
  '/archive/compare': ({ versions: [before, after] }) =>
    `/archive/compare?${query({ before, after })}`,
  '/versions/$id/$number': ({ versions }) => `/versions/${versions[1]}`,
  '/watches/$id': ({ watch }) => `/watches/${watch}`,
  '/watches/$id/compare': ({ watch }) => `/watches/${watch}/compare`,
  '/watches/$id/metrics': ({ watch }) => `/watches/${watch}/metrics`,
  '/queries/$id': (things) => `/queries/${things.query}`,
  '/tables/$name': ({ table }) => `/tables/${table}`,
  '/requests/$id': ({ batch }) => `/requests/${batch}`,
  '/load-tests/$id': ({ loadTest }) => `/load-tests/${loadTest}`,
  '/neutrality/$id': ({ monitor }) => `/neutrality/${monitor}`,
  '/placement/epochs/$epoch': ({ epoch }) => `/placement/epochs/${epoch}`,
  '/wikis/$wiki': ({ wiki }) => `/wikis/${wiki}`,
  '/wikis/$wiki/page': ({ wiki, wikiPages }) =>
    `/wikis/${wiki}/page?${query({ title: wikiPages[0]!.title })}`,
  '/wikis/$wiki/editor': ({ wiki, editor }) => `/wikis/${wiki}/editor?${query({ name: editor })}`,
  '/wikis/$wiki/compare': ({ wiki, wikiPages }) =>
    `/wikis/${wiki}/compare?${query({ pages: wikiPages.map(({ pageId }) => pageId).join(',') })}`,
}

/** All routes below the frame, as the router of the loaded page has them. */
export async function routesOf(page: Page): Promise<string[]> {
  const paths = await page.evaluate<string[]>('Object.keys(__TSR_ROUTER__.routesByPath)')
  return paths.filter((path) => path !== '').toSorted()
}

/** Null when the route has parameters and no values are known for them. */
export function exampleOf(route: string): Example | null {
  const example = EXAMPLES[route]
  if (example !== undefined) return example
  return route.includes('$') ? null : fixed(route)
}

/** Throws while something is missing, as it is until the demo has filled the station. */
export async function thingsOf(station: Station): Promise<Things> {
  const ask = <T>(path: string): Promise<T> => askStation<T>(station, path)
  const [collections, devices, watches, queries, batches, loadTests, monitors] = await Promise.all([
    ask<{ id: number; captures: number; spec: { kind: string } }[]>('/collections'),
    ask<{ id: string; name: string }[]>('/devices'),
    ask<{ id: number; url: string; subject: string; changes: number }[]>('/watches'),
    ask<{ id: string; state: string; kind: string }[]>('/queries'),
    ask<{ id: string }[]>('/batches'),
    ask<{ id: string }[]>('/load-tests'),
    ask<{ id: string }[]>('/neutrality'),
  ])
  const changed = watches
    .filter(({ subject, changes }) => subject === 'page' && changes > 0)
    .toSorted((a, b) => b.changes - a.changes)[0]!
  return {
    collection: collections
      .filter(({ spec }) => spec.kind === 'crawl')
      .toSorted((a, b) => b.captures - a.captures)[0]!.id,
    device: devices.find(({ name }) => name === 'joao-porto')!.id,
    url: changed.url,
    watch: changed.id,
    query: queries.find(({ state, kind }) => state === 'done' && kind === 'query')!.id,
    table: 'captures',
    batch: batches[0]!.id,
    loadTest: loadTests[0]!.id,
    monitor: monitors[0]!.id,
    ...(await versionsOf(ask)),
    ...(await epochOf(ask)),
    ...(await wikiOf(ask)),
  }
}

type Ask = <T>(path: string) => Promise<T>

async function versionsOf(ask: Ask): Promise<Pick<Things, 'versions'>> {
  const all = await ask<{ collectionId: number; number: number }[]>('/archive/versions?limit=50')
  const later = all.find(({ number }) => number > 1) ?? all[0]!
  const before = Math.max(1, later.number - 1)
  return {
    versions: [`${later.collectionId}/${before}`, `${later.collectionId}/${later.number}`],
  }
}

async function epochOf(ask: Ask): Promise<Pick<Things, 'epoch'>> {
  const { rows } = await ask<{ rows: { epoch: number }[] }>('/place/epochs')
  return { epoch: rows[0]!.epoch }
}

async function wikiOf(ask: Ask): Promise<Pick<Things, 'wiki' | 'wikiPages' | 'editor'>> {
  const { wikis } = await ask<{ wikis: { wiki: string }[] }>('/wikis/overview')
  const { wiki } = wikis[0]!
  const pages = await ask<{ rows: { pageId: number; title: string }[] }>(
    `/wikis/${wiki}/pages?page_size=3`,
  )
  const revisions = await ask<{ rows: { user: string }[] }>(
    `/wikis/${wiki}/revisions?pageId=${pages.rows[0]!.pageId}&page_size=1`,
  )
  return { wiki, wikiPages: pages.rows, editor: revisions.rows[0]!.user }
}
