/**
 * The station's API as the command line uses it. When a station serves the data folder it is
 * called over HTTP; otherwise the folder is opened and the same API runs inside this process.
 */
import type { WikiFolder } from '@minga/coordinator/wiki-folder'
import { readStationFile, STOPPED_PID } from '@minga/coordinator/station-file'
import { Reported, StationGone } from './errors.ts'
import { mailSettings } from './options.ts'
import { patientRequest } from './patient-request.ts'

export interface Api {
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  patch<T>(path: string, body: unknown): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  remove<T>(path: string): Promise<T>
  /** The raw answer, for contents; of a POST where there is something to send. */
  read(path: string, body?: unknown): Promise<{ body: Buffer; headers: Record<string, string> }>
  /** The answer of a GET piece by piece: for what may be larger than memory, or take hours. */
  stream(path: string): Promise<AsyncIterable<Uint8Array>>
  close: () => Promise<void>
}

const PROBE_MS = 2_000

export async function findStation(data: string): Promise<Api | null> {
  const station = await readStationFile(data)
  if (station === null || station.pid === STOPPED_PID || !isAlive(station.pid)) return null
  const api = httpApi(station.url, station.apiKey)
  try {
    await fetch(`${station.url}/api/collections`, { signal: AbortSignal.timeout(PROBE_MS) })
    return api
  } catch {
    return null
  }
}

/** Whether the folder's station was stopped; one that died is started again by its command. */
export async function isStationStopped(data: string): Promise<boolean> {
  return (await readStationFile(data))?.pid === STOPPED_PID
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as { code?: string }).code === 'EPERM'
  }
}

export async function openApi(data: string, allowPrivateAddresses = false): Promise<Api> {
  return (await findStation(data)) ?? localApi(data, allowPrivateAddresses)
}

export function httpApi(url: string, apiKey: string): Api {
  const call = async (method: string, path: string, body?: unknown): Promise<Response> => {
    let response: Response
    try {
      response = await fetch(`${url}/api${path}`, {
        method,
        headers: {
          authorization: `Bearer ${apiKey}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
    } catch (cause) {
      throw new StationGone(url, { cause })
    }
    if (!response.ok) throw reportOf(await response.text(), response.status)
    return response
  }
  return {
    get: async <T>(path: string) => (await (await call('GET', path)).json()) as T,
    post: async <T>(path: string, body: unknown) =>
      (await (await call('POST', path, body)).json()) as T,
    patch: async <T>(path: string, body: unknown) =>
      (await (await call('PATCH', path, body)).json()) as T,
    put: async <T>(path: string, body: unknown) =>
      (await (await call('PUT', path, body)).json()) as T,
    remove: async <T>(path: string) => (await (await call('DELETE', path)).json()) as T,
    stream: (path) => patientStream(`${url}/api${path}`, apiKey),
    read: async (path, body) => {
      const response = await call(body === undefined ? 'GET' : 'POST', path, body)
      return {
        body: Buffer.from(await response.arrayBuffer()),
        headers: Object.fromEntries(response.headers),
      }
    },
    close: async () => {},
  }
}

async function patientStream(url: string, apiKey: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await patientRequest(url, { authorization: `Bearer ${apiKey}` }).catch(
    (cause: unknown) => {
      throw new StationGone(url, { cause })
    },
  )
  const { statusCode = 0 } = response
  if (statusCode < 400) return response
  throw reportOf(Buffer.concat(await response.toArray()).toString(), statusCode)
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function localApi(data: string, allowPrivateAddresses: boolean): Promise<Api> {
  const { startCoordinator } = await import('@minga/coordinator/start')
  const { app, tokens, close } = await startCoordinator({
    data,
    listen: null,
    allowPrivateAddresses,
    ...(process.env['MINGA_POSTGRES'] ? { postgresUrl: process.env['MINGA_POSTGRES'] } : {}),
    ...mailSettings(process.env),
  })
  return apiInProcess({ app, close, apiKey: tokens.apiKey })
}

interface InProcess {
  app: Pick<WikiFolder['app'], 'inject'>
  close: () => Promise<void>
  /** Where nobody asks for one, null. */
  apiKey: string | null
}

/** An API whose server runs in this process and listens nowhere. */
export function apiInProcess({ app, close, apiKey }: InProcess): Api {
  const headers = {
    host: '127.0.0.1',
    ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
  }
  const call = async (method: Method, path: string, body?: unknown) => {
    const response = await app.inject({
      method,
      url: `/api${path}`,
      headers,
      ...(body === undefined ? {} : { payload: body as object }),
    })
    if (response.statusCode >= 400) throw reportOf(response.body, response.statusCode)
    return response
  }
  return {
    get: async <T>(path: string) => (await call('GET', path)).json<T>(),
    post: async <T>(path: string, body: unknown) => (await call('POST', path, body)).json<T>(),
    put: async <T>(path: string, body: unknown) => (await call('PUT', path, body)).json<T>(),
    patch: async <T>(path: string, body: unknown) => (await call('PATCH', path, body)).json<T>(),
    remove: async <T>(path: string) => (await call('DELETE', path)).json<T>(),
    read: async (path, body) => {
      const response = await call(body === undefined ? 'GET' : 'POST', path, body)
      const told = Object.entries(response.headers).map(([name, value]) => [name, String(value)])
      return { body: response.rawPayload, headers: Object.fromEntries(told) as NamedHeaders }
    },
    stream: async (path) => {
      const response = await app.inject({ url: `/api${path}`, headers, payloadAsStream: true })
      const pieces = response.stream()
      if (response.statusCode < 400) return pieces
      throw reportOf(Buffer.concat(await pieces.toArray()).toString(), response.statusCode)
    },
    close,
  }
}

type NamedHeaders = Record<string, string>

function reportOf(text: string, status: number): Reported {
  try {
    const { error } = JSON.parse(text) as { error: { code: string; message: string } }
    return new Reported(error)
  } catch {
    return new Reported({
      code: 'MINGA_INTERNAL',
      message: `The station answered ${status}: ${text}`,
    })
  }
}
