/** What the page asks about placement: the map of hosts to agents, its epochs, and the federation. */
import type {
  FederationStatus,
  PlacedHostRow,
  PlacementEpoch,
  PlacementEpochRow,
  PlacedHostDistances,
  PlacementMove,
  PlacementState,
  SortedPage,
} from '@minga/protocol'
import type { SortedQuery } from '../components/list/sorted-pages.ts'
import { station } from './station.ts'

export const readPlaceState = (): Promise<PlacementState> => station('GET /place/state')

export const findEpochs = (query: SortedQuery): Promise<SortedPage<PlacementEpochRow>> =>
  station('GET /place/epochs', { query })

/** With its parts and what its plan weighed. */
export const readEpoch = (epoch: number): Promise<PlacementEpoch> =>
  station('GET /place/epochs/{epoch}', { params: { epoch } })

export const findMoves = (epoch: number, query: SortedQuery): Promise<SortedPage<PlacementMove>> =>
  station('GET /place/epochs/{epoch}/moves', { params: { epoch }, query })

export const findPlacedHosts = (query: SortedQuery): Promise<SortedPage<PlacedHostRow>> =>
  station('GET /place/hosts', { query })

export const readHostDistances = (host: string): Promise<PlacedHostDistances> =>
  station('GET /place/distances', { query: { host } })

export const replanNow = (): Promise<object> => station('POST /place/repartition', { body: {} })

export const setStrategy = (strategy: string): Promise<object> =>
  station('PATCH /settings', { body: { strategy } })

export const readFederation = (): Promise<FederationStatus> => station('GET /federation')
