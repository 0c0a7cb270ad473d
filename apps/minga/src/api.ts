/**
 * The station's API as the command line uses it. When a station serves the data folder it is
 * called over HTTP; otherwise the folder is opened and the same API runs inside this process.
 */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import {
  callHttp,
  refuseInsecure,
  usePrivateUmask,
  type HttpAnswer,
  type HttpCall,
} from '@minga/protocol'
import type { WikiFolder } from '@minga/coordinator/wiki-folder'
import { STOPPED_PID, readStationFile } from '@minga/coordinator/station-file'
import { BadOption, Reported, StationGone, StationNotRunning } from './errors.ts'
import { mailSettings } from './options.ts'
import { requireDataFolder } from './output-place.ts'

export interface Api {
  /** Where it is called; null: in this process. */
  url: string | null
  /** The signal ends a call that goes to another process. */
  get<T>(path: string, signal?: AbortSignal): Promise<T>
  post<T>(path: string, body: unknown): Promise<T>
  patch<T>(path: string, body: unknown): Promise<T>
  put<T>(path: string, body: unknown): Promise<T>
  remove<T>(path: string): Promise<T>
  /** Bytes of a file, with their digest. */
  upload<T>(path: string, bytes: Uint8Array, digest: string): Promise<T>
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
    const signal = AbortSignal.timeout(PROBE_MS)
    await callHttp({ url: `${station.url}/api/collections`, signal })
    return api
  } catch {
    return null
  }
}

/** Whether the folder's station was stopped or is another by now; one that died is started again by its command, at
 * the same address. */
export async function isStationGone(data: string, { url }: Pick<Api, 'url'>): Promise<boolean> {
  const station = await readStationFile(data)
  return station !== null && (station.pid === STOPPED_PID || station.url !== url)
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

export interface RemoteOptions {
  station: string
  key?: string | undefined
  insecure?: boolean | undefined
}

/** A station that was named by its address; the key does not go over plain http unless the user insists. */
export function remoteApi(options: RemoteOptions): Api {
  return httpApi(requireSafe(options), requireKey(options))
}

/** The address without a slash at its end. */
export function requireSafe({ station, insecure }: RemoteOptions): string {
  if (insecure !== true) refuseInsecure(station, INSECURE_REMEDY)
  return station.replace(/\/+$/, '')
}

const INSECURE_REMEDY = 'Use its https address, or add --insecure on a network that you trust.'

function requireKey({ key }: RemoteOptions): string {
  if (key === undefined) {
    throw new BadOption('--station', 'a --key (or MINGA_KEY) with it', 'none')
  }
  return key
}

export function httpApi(url: string, apiKey: string): Api {
  const send = async (path: string, request: Omit<HttpCall, 'url'>): Promise<HttpAnswer> => {
    const headers = { authorization: `Bearer ${apiKey}`, ...request.headers }
    // An answer that was cut short is none.
    const sent = callHttp({ ...request, url: `${url}/api${path}`, headers })
    const answer = await sent.catch((cause: unknown) => {
      throw new StationGone(url, { cause })
    })
    if (answer.status >= 300) throw reportOf(answer.body.toString(), answer.status)
    return answer
  }
  const get = (path: string, signal?: AbortSignal): Promise<HttpAnswer> =>
    send(path, { method: 'GET', ...(signal ? { signal } : {}) })
  const call = (method: string, path: string, body?: unknown): Promise<HttpAnswer> =>
    send(path, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
  const answer = async <T>(sent: Promise<HttpAnswer>): Promise<T> =>
    JSON.parse((await sent).body.toString()) as T
  return {
    url,
    get: <T>(path: string, signal?: AbortSignal) => answer<T>(get(path, signal)),
    post: <T>(path: string, body: unknown) => answer<T>(call('POST', path, body)),
    patch: <T>(path: string, body: unknown) => answer<T>(call('PATCH', path, body)),
    put: <T>(path: string, body: unknown) => answer<T>(call('PUT', path, body)),
    remove: <T>(path: string) => answer<T>(call('DELETE', path)),
    upload: <T>(path: string, bytes: Uint8Array, digest: string) => {
      const headers = { 'content-type': 'application/octet-stream', 'x-minga-digest': digest }
      return answer<T>(send(path, { method: 'PUT', headers, body: bytes }))
    },
    stream: (path) => patientStream(`${url}/api${path}`, apiKey),
    read: async (path, body) => {
      const sent = await call(body === undefined ? 'GET' : 'POST', path, body)
      return { body: sent.body, headers: plainHeaders(sent.headers) }
    },
    close: async () => {},
  }
}

async function patientStream(url: string, apiKey: string): Promise<AsyncIterable<Uint8Array>> {
  const response = await requestWithoutTimeout(url, { authorization: `Bearer ${apiKey}` }).catch(
    (cause: unknown) => {
      throw new StationGone(url, { cause })
    },
  )
  const { statusCode = 0 } = response
  if (statusCode < 400) return toItsEnd(response, url)
  throw reportOf(Buffer.concat(await response.toArray()).toString(), statusCode)
}

async function* toItsEnd(
  pieces: AsyncIterable<Uint8Array>,
  url: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* pieces
  } catch (cause) {
    throw new StationGone(url, { cause })
  }
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

async function localApi(data: string, allowPrivateAddresses: boolean): Promise<Api> {
  usePrivateUmask()
  await requireDataFolder(data)
  const { startCoordinator } = await import('@minga/coordinator/start')
  const { app, tokens, close } = await startCoordinator({
    data,
    listen: null,
    allowPrivateAddresses,
    ...(process.env['MINGA_POSTGRES'] ? { postgresUrl: process.env['MINGA_POSTGRES'] } : {}),
    credentials: process.env['CREDENTIALS_DIRECTORY'],
    ...mailSettings(process.env),
  })
  return apiInProcess({ app, close, apiKey: tokens.apiKey })
}

interface InProcess {
  app: Pick<WikiFolder['app'], 'inject'>
  close: () => Promise<void>
  /** Null where none is requested. */
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
    url: null,
    get: async <T>(path: string) => (await call('GET', path)).json<T>(),
    post: async <T>(path: string, body: unknown) => (await call('POST', path, body)).json<T>(),
    put: async <T>(path: string, body: unknown) => (await call('PUT', path, body)).json<T>(),
    patch: async <T>(path: string, body: unknown) => (await call('PATCH', path, body)).json<T>(),
    remove: async <T>(path: string) => (await call('DELETE', path)).json<T>(),
    // A caller in the same process reads the file in place.
    upload: () => Promise.reject(new StationNotRunning('this process')),
    read: async (path, body) => {
      const response = await call(body === undefined ? 'GET' : 'POST', path, body)
      return { body: response.rawPayload, headers: plainHeaders(response.headers) }
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

function plainHeaders(headers: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

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

/** A machine that is gone is noticed; one that is busy is waited for. */
const LIFE_SIGN_MS = 60_000

/** Requests whose answers may take hours to begin or to continue; `fetch` gives up after five silent minutes. */
async function requestWithoutTimeout(
  url: string,
  headers: Record<string, string>,
): Promise<http.IncomingMessage> {
  const { request } = url.startsWith('https:') ? https : http
  const sent = request(url, { headers })
  // Until the answer comes `once` hears of trouble, afterwards the reader of the answer does.
  sent.on('error', () => {})
  sent.setSocketKeepAlive(true, LIFE_SIGN_MS)
  sent.end()
  const [response] = (await once(sent, 'response')) as [http.IncomingMessage]
  return response
}
