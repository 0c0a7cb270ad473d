/** What the fake wiki says to one request, faults included. */

import {
  hangingAnswer,
  rawAnswer,
  resetAnswer,
  smallPage,
  textAnswer,
  type Answer,
} from '../web/answer.ts'
import {
  ApiRefusal,
  inFormatVersion1,
  refusalAnswer,
  type ApiAnswer,
  type Json,
} from './api/api-answer.ts'
import type { ApiLimits } from './api/api-request.ts'
import { answerApi } from './api/query.ts'
import type { FakeSite } from './api/site-info.ts'
import type { FakeWikiModel } from './fake-wiki-model.ts'
import { answerPage, answerSource } from './index-php.ts'
import { performOperation } from './perform-operation.ts'
import type { WikiFault } from './wiki-faults.ts'

export interface AnswerContext {
  model: FakeWikiModel
  site: FakeSite
  limits: ApiLimits
  resultBytesMax: number
  robots: string | null
  /** The answer to callers who have not logged in. */
  atTheDoor?: Answer | null
}

const LAG_RETRY_SECONDS = 5
const INFOS: Record<string, string> = {
  ratelimited: "You've exceeded your rate limit. Please wait some time and try again.",
  readonly: 'The wiki is currently in read-only mode.',
  readapidenied: 'You need read permission to use this module.',
}

export function answerRequest(path: string, context: AnswerContext, faults: WikiFault[]): Answer {
  change(context.model, faults)
  const instead = faults
    .map((fault) => replacement(fault, path, context))
    .find((one) => one !== null)
  const answer = instead ?? honest(path, context, faults)
  return faults.reduce((so, fault) => damaged(so, fault), answer)
}

function change(model: FakeWikiModel, faults: readonly WikiFault[]): void {
  for (const fault of faults) {
    if (fault.kind === 'operations') for (const one of fault.perform) performOperation(model, one)
    if (fault.kind === 'namespaces') model.titles.rename(fault.names)
  }
}

/** Whatever is said in the wiki's place; null when the fault lets it answer. */
function replacement(fault: WikiFault, path: string, { site }: AnswerContext): Answer | null {
  const refuse = (refusal: ApiRefusal): Answer => {
    const params = new URL(path, site.url).searchParams
    return apiAnswer(refusalAnswer(refusal, `${site.url}/w/api.php`), params)
  }
  switch (fault.kind) {
    case 'lag':
      return refuse(lagging(fault.seconds, fault.retryAfter ?? LAG_RETRY_SECONDS))
    case 'error':
      return refuse(new ApiRefusal(fault.code, fault.info ?? INFOS[fault.code] ?? fault.code))
    case 'status': {
      const page = smallPage({ title: `Error ${fault.status}` })
      const answer = textAnswer(fault.status, 'text/html', page)
      const wait = fault.retryAfter === undefined ? [] : ['retry-after', String(fault.retryAfter)]
      return { ...answer, headers: [...answer.headers, ...wait] }
    }
    case 'html':
      return textAnswer(200, 'text/html', smallPage({ title: 'Please log in to this network' }))
    case 'body':
      return textAnswer(200, fault.type ?? 'application/json', fault.body)
    case 'hang':
      return hangingAnswer()
    case 'reset':
      return resetAnswer()
    default:
      return null
  }
}

function lagging(lag: number, retryAfter: number): ApiRefusal {
  const info = `Waiting for a database server: ${lag} seconds lagged.`
  const headers = ['retry-after', String(retryAfter), 'x-database-lag', String(Math.floor(lag))]
  return new ApiRefusal('maxlag', info, { data: { host: '127.0.0.1', lag, type: 'db' }, headers })
}

function honest(path: string, context: AnswerContext, faults: readonly WikiFault[]): Answer {
  const { pathname, searchParams } = new URL(path, context.site.url)
  if (context.atTheDoor != null) return context.atTheDoor
  const lost = new Set(faults.flatMap((fault) => (fault.kind === 'lose' ? fault.revids : [])))
  if (pathname === '/robots.txt') {
    return context.robots === null
      ? textAnswer(404, 'text/plain', 'There are no rules.\n')
      : textAnswer(200, 'text/plain', context.robots)
  }
  if (pathname === '/w/api.php') {
    const answer = answerApi(searchParams, { ...context, lost })
    const isLooping = faults.some(({ kind }) => kind === 'loop')
    return apiAnswer(isLooping ? looping(answer, searchParams) : answer, searchParams)
  }
  const [, asked] = /^\/w\/rest\.php\/v1\/revision\/(\d+)$/.exec(pathname) ?? []
  if (asked !== undefined) return answerSource(Number(asked), { ...context, lost })
  if (pathname === '/' || /^\/(wiki\/|w\/index\.php)/.test(pathname)) {
    return answerPage(pathname, searchParams, { ...context, lost })
  }
  return textAnswer(404, 'text/plain', 'There is nothing here.\n')
}

/** The older format is recognised by the request, also for refusals. */
function apiAnswer({ json, headers }: ApiAnswer, params: URLSearchParams): Answer {
  const isRefusal = 'error' in json && params.get('formatversion') !== '2'
  const said = isRefusal ? inFormatVersion1(json) : json
  const answer = textAnswer(200, 'application/json; charset=utf-8', JSON.stringify(said))
  return {
    ...answer,
    headers: [...answer.headers, 'x-content-type-options', 'nosniff', ...headers],
  }
}

function looping(answer: ApiAnswer, params: URLSearchParams): ApiAnswer {
  const keys = [...params.keys()].filter((name) => name.endsWith('continue'))
  const asked: Json = Object.fromEntries(keys.map((name) => [name, params.get(name)]))
  const { batchcomplete: _, ...json } = answer.json
  const more = keys.length > 0 ? asked : (answer.json['continue'] ?? { continue: '||' })
  return { ...answer, json: { ...json, continue: more } }
}

function damaged(answer: Answer, fault: WikiFault): Answer {
  if (fault.kind === 'slow') {
    const wire = { how: 'slow' as const, firstByteMs: fault.ms, dripBytes: 1 << 20, dripMs: 0 }
    return { ...answer, wire }
  }
  if (fault.kind !== 'cut') return answer
  const head = [`HTTP/1.1 ${answer.status} OK`]
  for (let i = 0; i + 1 < answer.headers.length; i += 2) {
    head.push(`${answer.headers[i]}: ${answer.headers[i + 1]}`)
  }
  const body = answer.body()
  head.push(`content-length: ${body.length}`, '', '')
  const bytes = (): Buffer =>
    Buffer.concat([Buffer.from(head.join('\r\n')), body.subarray(0, fault.bytes)])
  return rawAnswer(answer.status, { bytes, after: 'close' })
}
