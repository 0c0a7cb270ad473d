/** How the page calls the station that served it, and what it makes of refusals. */
import { takePrefetched } from './prefetch.ts'
import { isConfirmed } from './confirm.ts'
import { callerHeaders } from './key.ts'

/** What went wrong, in the station's own sentence when it gave one. */
export class ApiFailure extends Error {
  readonly code: string
  readonly status: number
  /** Everything the station said, where it said more than that. */
  readonly body: unknown
  constructor(status: number, code: string, message: string, body: unknown = null) {
    super(message)
    this.status = status
    this.code = code
    this.body = body
  }
}

type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

export async function call<T>(method: Method, path: string, body?: unknown): Promise<T> {
  const response = await ask(method, path, body === undefined ? {} : { body })
  return (await response.json()) as T
}

interface AskOptions {
  body?: unknown
  signal?: AbortSignal
  /** After the password was shown again. */
  isAgain?: boolean
}

/** The answer before its body is read; a refusal is thrown. */
export async function ask(
  method: Method,
  path: string,
  options: AskOptions = {},
): Promise<Response> {
  const { body, signal, isAgain = false } = options
  let response: Response
  try {
    const ahead = method === 'GET' ? takePrefetched(path) : undefined
    response = await (ahead ??
      fetch(`/api${path}`, {
        method,
        headers: {
          ...callerHeaders(),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
        // What was asked while the tab was closing still reaches the station.
        keepalive: method !== 'GET' && globalThis.document?.visibilityState === 'hidden',
      }))
  } catch {
    throw new ApiFailure(0, 'MINGA_STATION_UNREACHABLE', '')
  }
  if (response.ok) return response
  const failure = failureOf(response.status, await response.text())
  const isLate = failure.code === 'MINGA_CONFIRM_PASSWORD' && !isAgain
  if (!isLate || !(await isConfirmed())) throw failure
  return ask(method, path, { ...options, isAgain: true })
}

function failureOf(status: number, text: string): ApiFailure {
  try {
    const body = JSON.parse(text) as { error: { code: string; message: string } }
    return new ApiFailure(status, body.error.code, body.error.message, body)
  } catch {
    return new ApiFailure(status, 'MINGA_INTERNAL', '')
  }
}

/** The caller is not known, or may not do this: asking again changes nothing. */
export function isRefusal(error: Error | null): boolean {
  return error instanceof ApiFailure && (error.status === 401 || error.status === 403)
}

/** Once more after a lost answer; what the station refuses, or does not have, it still will a second later. */
export function isTriedAgain(failures: number, error: Error): boolean {
  const isAnswer = error instanceof ApiFailure && error.status >= 400 && error.status < 500
  return !isAnswer && failures < 1
}

/** `?a=1&b=2` of what is there. */
export function queryOf(
  values: Record<string, string | number | boolean | null | undefined>,
): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    if (value !== null && value !== undefined) query.set(name, String(value))
  }
  return query.size === 0 ? '' : `?${query}`
}
