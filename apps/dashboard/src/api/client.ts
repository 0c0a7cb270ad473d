/** What the page asks about collections and captures. */
import type {
  AttentionList,
  CollectionCaptures,
  CollectionChange,
  CollectionCurve,
  CollectionFacets,
  CollectionHosts,
  CollectionPage,
  CollectionStart,
  CollectionStatus,
  CollectionTrailView,
  ExistingCollection,
  ScopePreview,
  SeedChecks,
  Sharing,
  SharingChange,
  ThroughputPoint,
} from '@minga/protocol'
import type { CollectionRequest, Snapshot } from './api-types.ts'
import { station } from './station.ts'

export const readSnapshot = (): Promise<Snapshot> => station('GET /snapshot')

/** What needs attention, as the station judges it. */
export const readAttention = (): Promise<AttentionList> => station('GET /attention')

export const readThroughput = (): Promise<ThroughputPoint[]> => station('GET /station/throughput')

/** What a list asks for, as its address says it; several words stand with commas between. */
export type ListWords = Record<string, string | number | null | undefined>

export const readCollections = (words: ListWords): Promise<CollectionPage> =>
  station('GET /collections/list', { query: words })

export const readCollection = (id: number): Promise<CollectionStatus> =>
  station('GET /collections/{id}', { params: { id } })

export const readCollectionHosts = (id: number, words: ListWords): Promise<CollectionHosts> =>
  station('GET /collections/{id}/hosts/list', { params: { id }, query: words })

export const readCollectionCaptures = (id: number, words: ListWords): Promise<CollectionCaptures> =>
  station('GET /collections/{id}/captures', { params: { id }, query: words })

export const readCurve = (id: number): Promise<CollectionCurve> =>
  station('GET /collections/{id}/curve', { params: { id } })

export const readFacets = (id: number): Promise<CollectionFacets> =>
  station('GET /collections/{id}/facets', { params: { id } })

export const readCollectionTrail = (id: number): Promise<CollectionTrailView[]> =>
  station('GET /collections/{id}/trail', { params: { id } })

export const startCollection = (request: CollectionStart): Promise<CollectionStatus> =>
  station('POST /collections', { body: request })

/** The collection that these seeds and this scope would continue. */
export const findExisting = (request: CollectionRequest): Promise<ExistingCollection> =>
  station('POST /collections/existing', { body: request })

export type Verb = 'pause' | 'resume' | 'stop' | 'cancel' | 'undo' | 'rerun'

export const actOnCollection = (id: number, verb: Verb): Promise<CollectionStatus> =>
  station(`POST /collections/{id}/${verb}`, { params: { id } })

export const discardCollection = (id: number): Promise<{ removed: number }> =>
  station('POST /collections/{id}/discard', { params: { id } })

export const changeCollection = (id: number, change: CollectionChange): Promise<CollectionStatus> =>
  station('PATCH /collections/{id}', { params: { id }, body: change })

export const readSharing = (id: number): Promise<Sharing> =>
  station('GET /collections/{id}/sharing', { params: { id } })

export const changeSharing = (id: number, change: SharingChange): Promise<Sharing> =>
  station('PATCH /collections/{id}/sharing', { params: { id }, body: change })

export interface PreviewQuestion {
  request: CollectionRequest
  urls: string[]
  page?: string
}

export const previewScope = (question: PreviewQuestion): Promise<ScopePreview> =>
  station('POST /collections/preview', { body: question })

export const checkSeeds = (seeds: string[]): Promise<SeedChecks> =>
  station('POST /collections/check', { body: { seeds } })
