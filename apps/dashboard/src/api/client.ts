/** What the page asks about collections and captures. */
import type { Capture, Collection, CollectionRequest, Host, Snapshot } from './api-types.ts'
import { call } from './call.ts'

export const readSnapshot = (): Promise<Snapshot> => call('GET', '/snapshot')

export const readHosts = (id: number): Promise<Host[]> => call('GET', `/collections/${id}/hosts`)

export const readNewestCaptures = (collectionId: number, limit: number): Promise<Capture[]> =>
  call('GET', `/captures?collectionId=${collectionId}&newest=true&limit=${limit}`)

/** Captures with ids from `afterId` + 1 on, at most `limit`, oldest first. */
export const readCapturesAfter = (afterId: number, limit: number): Promise<Capture[]> =>
  call('GET', `/captures?afterId=${afterId}&limit=${limit}`)

export const startCollection = (request: CollectionRequest): Promise<Collection> =>
  call('POST', '/collections', request)

export type Verb = 'pause' | 'resume' | 'cancel'

export const changeCollection = (id: number, verb: Verb): Promise<Collection> =>
  call('POST', `/collections/${id}/${verb}`)
