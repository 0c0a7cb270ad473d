/** Calls of a worker to its station over HTTP: answered, refused, or the station is away and it is worth a wait. */
import { StationAway, StationRefusedWorker } from '../errors.ts'

export interface StationAddress {
  url: string
  token: string
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Below the station's address, beginning with a slash. */
  path: string
  headers?: Record<string, string>
  body?: string | Uint8Array<ArrayBuffer>
  /** Refusals that the caller understands and wants to read. */
  expects?: readonly number[]
}

/** Neither too much at once nor too slow a request is anyone's fault. */
const PASSING_REFUSALS = [408, 425, 429]

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Any answer the caller can read; everything else is an error that says whether to try again. */
export async function callStation(
  { url, token }: StationAddress,
  { method, path, headers, body, expects = [] }: Call,
  signal: AbortSignal,
): Promise<Response> {
  let response: Response
  try {
    response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...headers },
      ...(body === undefined ? {} : { body }),
      // Programs and data of queries are for the station alone, and a redirect could lead anywhere.
      redirect: 'manual',
      signal,
    })
  } catch (cause) {
    signal.throwIfAborted()
    throw StationAway.at(url, cause)
  }
  if (response.ok || expects.includes(response.status)) return response
  if (isRedirect(response.status)) {
    const to = String(response.headers.get('location')).slice(0, 200)
    await response.body?.cancel()
    throw StationAway.redirecting(url, to)
  }
  const text = await response.text().catch(() => '')
  if (response.status >= 500 || PASSING_REFUSALS.includes(response.status)) {
    throw StationAway.at(url, text)
  }
  throw StationRefusedWorker.because(url, text || `HTTP ${response.status}`)
}

export async function postJson<R>(
  address: StationAddress,
  path: string,
  { body, signal }: { body: unknown; signal: AbortSignal },
): Promise<R> {
  const call: Call = {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
  const response = await callStation(address, call, signal)
  try {
    return (await response.json()) as R
  } catch (cause) {
    signal.throwIfAborted()
    throw StationAway.at(address.url, cause)
  }
}
