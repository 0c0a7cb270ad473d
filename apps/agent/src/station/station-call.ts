/** One call to a station over HTTP: it is answered, or away, or refuses. */
import { callHttp, plainText, refuseInsecure, type HttpAnswer } from '@minga/protocol'
import type { CheckedAnswer } from '@minga/protocol/station-answers'
import { BadStationAnswer, StationRefused, StationUnreachable, UnknownHere } from '../errors.ts'

/** Longer than the coordinator's long poll; a call that takes this long is lost. */
const CALL_MS = 60_000
/**
 * An upload may take longer by its size on a slow connection (16 KB/s): cut off, it would start
 * from the beginning.
 */
const UPLOAD_BYTES_PER_MS = 16

/** Ten thousand requests with long addresses. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

export function callLimitMs(body: string | Uint8Array): number {
  return CALL_MS + Math.ceil(body.length / UPLOAD_BYTES_PER_MS)
}

export interface StationCall {
  url: string
  call: string
  bearer: string | null
  body: string | Uint8Array
  headers?: Record<string, string>
}

/** Checks what a station answered: nothing of it is used before. */
export type ReadAnswer<T> = (json: unknown) => Promise<CheckedAnswer<T>>

export async function callStation<T>(
  call: StationCall,
  read: ReadAnswer<T>,
  signal?: AbortSignal,
): Promise<T> {
  const said = await read(await callForJson(call, signal))
  if ('answer' in said) return said.answer
  throw new BadStationAnswer(call, said.problem)
}

/** Answers the JSON that the station sent; redirects are not followed. */
async function callForJson(
  { url, call, bearer, body, headers }: StationCall,
  signal?: AbortSignal,
): Promise<unknown> {
  refuseInsecure(url)
  const limit = AbortSignal.timeout(callLimitMs(body))
  let answer: HttpAnswer
  try {
    answer = await callHttp({
      url: `${url}/agent/${call}`,
      method: 'POST',
      headers: {
        ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
        'content-type': 'application/json',
        ...headers,
      },
      body,
      bodyBytesMax: ANSWER_BYTES_MAX,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    })
  } catch (cause) {
    throw new StationUnreachable(url, { cause })
  }
  const { status } = answer
  if (isSuccess(status)) return jsonIn(answer.body)
  // A portal of some hotel does this as well: then the station is there again soon.
  if (isRedirect(status)) {
    const to = plainText(answer.headers.location ?? 'nowhere', 200)
    throw new BadStationAnswer({ url, call }, `a redirect to ${to}, which is not followed`)
  }
  const problem = answer.body.toString()
  if (problem.includes('MINGA_UNKNOWN_AGENT')) throw new UnknownHere(url)
  if (isPassing(status)) throw new StationUnreachable(url)
  throw new StationRefused(url, reasonIn(problem) || `HTTP ${status}`, { call, status })
}

const isRedirect = (status: number): boolean => status >= 300 && status < 400

/** Undefined, which no check accepts, when it is not JSON. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return undefined
  }
}

const isSuccess = (status: number): boolean => status >= 200 && status < 300

/** A station says no with a code and a sentence; whatever else answers is quoted as it is. */
function reasonIn(problem: string): string {
  try {
    const { error } = JSON.parse(problem) as { error: { code: unknown; message: unknown } }
    return `${String(error.code)}: ${String(error.message)}`
  } catch {
    return problem
  }
}

/** A request that arrived too slowly (this machine slept), and one too many: neither is our fault. */
const PASSING_REFUSALS = [408, 429]

function isPassing(status: number): boolean {
  return status >= 500 || PASSING_REFUSALS.includes(status)
}
