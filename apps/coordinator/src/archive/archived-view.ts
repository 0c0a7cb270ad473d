/**
 * An archived response forwarded as it was but made harmless: it may neither run nor load anything.
 * Its own headers are sent under other names, so that none of them takes effect here.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ForeignBrowser } from '../station/errors.ts'
import { inHeader, type ArchivedAnswer, type ArchivedView } from './captures/capture-content.ts'

/** A sandbox without scripts, forms and origin; nothing is loaded from the live web either. */
const VIEW_HEADERS = {
  'content-security-policy':
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'x-robots-tag': 'noindex, nofollow',
}

/** Sites send headers of any size; callers that need them complete read the record. */
const HEADER_CHARS = 4_096
const HEADERS_MOST = 100
const MEDIA_TYPE = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:\s*;.*)?$/

/** What a page would run with its own rights: of this origin, an archived script must not become one. */
const RUNNING = /script|worker|worklet|^style$/

/** A view is for reading: no page may load it as a program, a worker or a style. */
export function refusePrograms({ headers }: Pick<FastifyRequest, 'headers'>): void {
  if (RUNNING.test(String(headers['sec-fetch-dest']))) throw ForeignBrowser.asProgram()
}

export function sendView(
  reply: FastifyReply,
  answer: ArchivedView,
  more: Record<string, string>,
): FastifyReply {
  const { body, problem } = answer
  void reply.headers({
    ...originalHeaders(answer),
    ...VIEW_HEADERS,
    'content-type': typeOf(answer),
    ...(problem === null ? {} : { 'x-minga-problem': inHeader(problem) }),
    ...more,
  })
  return reply.status(answer.status).send(body)
}

function typeOf({ headers }: Pick<ArchivedView, 'headers'>): string {
  const type = inHeader(valueOf(headers, 'content-type') ?? '')
  return MEDIA_TYPE.test(type) ? type : 'application/octet-stream'
}

export function valueOf(headers: ArchivedAnswer['headers'], name: string): string | undefined {
  return headers.find(([each]) => each.toLowerCase() === name)?.[1]
}

function originalHeaders({ headers }: ArchivedView): Record<string, string> {
  const told: Record<string, string> = {}
  for (const [name, value] of headers.slice(0, HEADERS_MOST)) {
    if (!/^[\w-]+$/.test(name)) continue
    const key = `x-archive-orig-${name.toLowerCase()}`
    const former = told[key] === undefined ? '' : `${told[key]}, `
    told[key] = (former + inHeader(value)).slice(0, HEADER_CHARS)
  }
  return told
}

/** Records written by other tools may have status 0 or 1xx, which cannot be sent. */
export function sendableStatus(status: number): number {
  return status >= 200 && status <= 599 ? status : 200
}
