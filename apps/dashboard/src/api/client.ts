/** Asks the station that served this page. */
import type { Capture, Collection, CollectionRequest, Host, Snapshot } from './api-types.ts'
import { readKey } from './key.ts'

/** What went wrong, in the station's own sentence when it gave one. */
export class ApiFailure extends Error {
  readonly code: string
  readonly status: number
  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

async function call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
  const key = readKey()
  let response: Response
  try {
    response = await fetch(`/api${path}`, {
      method,
      headers: {
        ...(method === 'POST' && key !== null ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  } catch {
    throw new ApiFailure(0, 'MINGA_STATION_UNREACHABLE', '')
  }
  if (!response.ok) throw failureOf(response.status, await response.text())
  return (await response.json()) as T
}

function failureOf(status: number, text: string): ApiFailure {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    return new ApiFailure(status, error.code, error.message)
  } catch {
    return new ApiFailure(status, 'MINGA_INTERNAL', '')
  }
}

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
