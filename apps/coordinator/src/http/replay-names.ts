/**
 * The names under which archived pages are shown. Pages of one collection share an origin, `c-3.minga.localhost:7701`
 * or `c-3.replay.example`, and a browser keeps the origins of two collections apart. `view.` is the origin of the page
 * around a capture that has a tab of its own: the capture cannot leave its frame for another site from there. Both are
 * of one site, or browsers that block what other sites store in frames would refuse the player its service worker;
 * names right below `localhost` are each a site of their own.
 */
import type { ReplayOrigin } from '@minga/protocol'
import type { FastifyRequest } from 'fastify'

/** What all names of a station's replay have in common. */
export interface ReplayNames {
  protocol: string
  /** Behind the first label, with the port if it has one. */
  suffix: string
}

const LOOPBACK_NAME = /^((.+\.)?localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i
const OWN_LABEL = /^(?:c-(\d{1,15})|view)\.(.+)$/i
const WILDCARD = '*.'

/** Browsers take the names below `localhost` for this machine; elsewhere the operator names a wildcard. */
export const LOCAL_NAME = 'minga.localhost'

export function replayNamesFor(
  request: FastifyRequest,
  { url, port }: ReplayOrigin,
): ReplayNames | null {
  const configured = namesIn(url)
  if (configured !== null) return configured
  const name = hostNameOf(request)
  if (port === null || name === null || !LOOPBACK_NAME.test(name)) return null
  return { protocol: request.protocol, suffix: `${LOCAL_NAME}:${port}` }
}

/** The same as the server of replay itself sees it: it is reached at the port that it names. */
export function ownReplayNames(request: FastifyRequest, { url }: ReplayOrigin): ReplayNames | null {
  const configured = namesIn(url)
  if (configured !== null) return configured
  const name = hostNameOf(request)
  if (name === null || !LOOPBACK_NAME.test(name)) return null
  const port = /:\d+$/.exec(request.headers.host ?? '')?.[0] ?? ''
  return { protocol: request.protocol, suffix: `${LOCAL_NAME}${port}` }
}

function namesIn(url: string | null): ReplayNames | null {
  if (url === null) return null
  const { protocol, host } = new URL(url)
  return { protocol: protocol.slice(0, -1), suffix: host.slice(WILDCARD.length) }
}

export function collectionOrigin({ protocol, suffix }: ReplayNames, collectionId: number): string {
  return `${protocol}://c-${collectionId}.${suffix}`
}

export function viewOrigin({ protocol, suffix }: ReplayNames): string {
  return `${protocol}://view.${suffix}`
}

/** Whether browsers keep secure cookies there. */
export function isTrustworthy({ protocol, suffix }: ReplayNames): boolean {
  return protocol === 'https' || suffix.replace(/:\d+$/, '') === LOCAL_NAME
}

/** All origins of replay at once, as policies write them. */
export function anyOrigin({ protocol, suffix }: ReplayNames): string {
  return `${protocol}://${WILDCARD}${suffix}`
}

/** What a request was sent to: a collection's own origin, the page around captures, or neither. */
export function collectionOfHost(request: FastifyRequest): number | 'view' | null {
  const found = OWN_LABEL.exec(hostNameOf(request) ?? '')
  if (found === null) return null
  return found[1] === undefined ? 'view' : Number(found[1])
}

/** A name that replay answers to, next to those of the station; without a port. */
export function isReplayName(name: string, { url }: ReplayOrigin): boolean {
  const behind = OWN_LABEL.exec(name)?.[2]?.toLowerCase()
  const own = namesIn(url)?.suffix.replace(/:\d+$/, '') ?? LOCAL_NAME
  return behind === own
}

/** `https://*.replay.example`; null for what names no wildcard, since one name would be one origin for all. */
export function wildcardUrlOf(text: string): string | null {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol) || !url.hostname.startsWith(WILDCARD)) {
    return null
  }
  const isBare = url.pathname === '/' && url.search === '' && url.hash === '' && url.username === ''
  const isName = /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(url.hostname.slice(WILDCARD.length))
  return isBare && isName ? `${url.protocol}//${url.host}` : null
}

/**
 * The name by which a caller reached this machine, without the port. It ends up in headers: what is no plain name or
 * address is null.
 */
function hostNameOf({ headers }: Pick<FastifyRequest, 'headers'>): string | null {
  return /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::\d+)?$/i.exec(headers.host ?? '')?.[1] ?? null
}
