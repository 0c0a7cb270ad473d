/** What the page asks about placement: the map of hosts to agents, its epochs, and the federation. */
import type {
  FederationStatus,
  PlacedHostRow,
  PlaceEpoch,
  PlaceHostDistances,
  PlaceMove,
  PlacePage,
  PlaceState,
} from '@minga/protocol'
import { station } from './station.ts'

export const readPlaceState = (): Promise<PlaceState> => station('GET /place/state')

/** Newest first. */
export const readEpochs = (): Promise<PlaceEpoch[]> => station('GET /place/epochs')

export interface PlaceQuestion {
  text?: string | undefined
  sort?: string | undefined
  cursor?: string | null
  limit?: number
}

export const readMoves = (
  epoch: number,
  question: PlaceQuestion & { from?: string | undefined; to?: string | undefined },
): Promise<PlacePage<PlaceMove>> =>
  station('GET /place/epochs/{epoch}/moves', { params: { epoch }, query: { ...question } })

export const readPlacedHosts = (
  question: PlaceQuestion & { device?: string | undefined },
): Promise<PlacePage<PlacedHostRow>> => station('GET /place/hosts', { query: { ...question } })

export const readHostDistances = (host: string): Promise<PlaceHostDistances> =>
  station('GET /place/distances', { query: { host } })

export const planAnew = (): Promise<object> => station('POST /place/repartition', { body: {} })

export const setStrategy = (strategy: string): Promise<object> =>
  station('PATCH /settings', { body: { strategy } })

export const readFederation = (): Promise<FederationStatus> => station('GET /federation')
