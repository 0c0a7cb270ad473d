/**
 * Steps as URLs and back. What is not the wiki's own (run, task, how many revisions so far …) travels in
 * `requestid`, which api.php echoes and otherwise ignores; pages of index.php ignore what they do not know,
 * so there it is called `minga`.
 */
import { STEP_CODECS, type Params } from './step-params.ts'
import { readTicket, writeTicket } from './step-ticket.ts'
import type { WikiStep } from './wiki-step.ts'

/** Without `errorformat`: its default is the one form of errors that all versions since 1.27 share. */
const API_BASE: Params = [
  ['action', 'query'],
  ['format', 'json'],
  ['formatversion', '2'],
  ['utf8', '1'],
  // Five seconds behind is when a wiki's database asks patient programs to wait.
  ['maxlag', '5'],
]
const API_TICKET = 'requestid'
const PAGE_TICKET = 'minga'

/** Written as the platform's URL parser would write it, so that the seen-set of the frontier keeps it as it is. */
export function urlOfStep(step: WikiStep): string {
  const codec = STEP_CODECS[step.kind]
  // The table pairs every kind with its own codec; the compiler cannot follow that through a lookup.
  const { address, params, extras } = codec.write(step as never)
  const ticket = writeTicket({ kind: step.kind, ...step.ticket, extras })
  if (step.kind === 'discover') return withLast(address, ticket)
  const isApi = 'api' in step
  const query = new URLSearchParams(isApi ? [...API_BASE, ...params] : params)
  query.append(isApi ? API_TICKET : PAGE_TICKET, ticket)
  return `${address}?${query.toString()}`
}

function withLast(address: string, ticket: string): string {
  const query = new URLSearchParams([[PAGE_TICKET, ticket]])
  return `${address}${address.includes('?') ? '&' : '?'}${query.toString()}`
}

/** Null for every address that no step of ours has. */
export function stepOfUrl(url: string): WikiStep | null {
  const parsed = URL.parse(url)
  if (parsed === null) return null
  const params = parsed.searchParams
  const written = params.get(API_TICKET) ?? params.get(PAGE_TICKET)
  const note = written === null ? null : readTicket(written)
  if (note === null) return null
  const isPage = note.kind === 'discover'
  const address = isPage ? withoutLast(url) : parsed.origin + parsed.pathname
  for (const [name] of API_BASE) params.delete(name)
  params.delete(API_TICKET)
  params.delete(PAGE_TICKET)
  const { kind, extras, ...ticket } = note
  const body = STEP_CODECS[kind].read(address, params, extras)
  // What was read is of the kind that chose the codec.
  return body === null ? null : ({ kind, ...body, ticket } as WikiStep)
}

function withoutLast(url: string): string {
  return url.slice(0, url.lastIndexOf(PAGE_TICKET) - 1)
}
