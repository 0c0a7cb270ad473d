/** Redirects of every status, shape and target, each behind one entry below `/r/`. */

import { pageAnswer, rawAnswer, redirectAnswer, textAnswer, type Answer } from './answer.ts'
import type { Site, Sites } from './site.ts'

const STATUSES = ['301', '302', '303', '307', '308']

/** Named by the last part of their path, for `only`. */
export const REDIRECT_ENTRIES = [
  ...STATUSES.map((status) => `/r/${status}`),
  '/r/relative',
  '/r/chain-3',
  '/r/chain-12',
  '/r/loop-a',
  '/r/self',
  '/r/other-host',
  '/r/no-location',
  '/r/bad-location',
]

export function redirectsAnswer(
  { sites, site, outside }: { sites: Sites; site: Site; outside: string | undefined },
  path: string,
): Answer | undefined {
  const name = /^\/r\/([\w-]+)$/.exec(path)?.[1]
  if (path.startsWith('/landed/')) return pageAnswer({ title: `Landed: ${path}` })
  if (name === undefined) return undefined
  if (STATUSES.includes(name)) return redirectAnswer(Number(name), `/landed/${name}`)
  const left = /^chain-(\d{1,4})$/.exec(name)?.[1]
  if (left !== undefined) return chain(Number(left))
  return oddRedirects({ sites, site, outside })[name]?.()
}

/** How many hops to follow is the crawler's choice; the middle of a long chain cannot be demanded. */
const HOPS_DEMANDED = 5

function chain(left: number): Answer {
  const answer = redirectAnswer(302, left > 1 ? `/r/chain-${left - 1}` : '/landed/chain')
  return left > HOPS_DEMANDED ? { ...answer, links: () => [] } : answer
}

function oddRedirects(from: {
  sites: Sites
  site: Site
  outside: string | undefined
}): Record<string, (() => Answer) | undefined> {
  const { sites, site, outside } = from
  const neighbour = sites.at((site.index + 1) % sites.count)
  return {
    relative: () => redirectAnswer(302, '../landed/./relative'),
    'loop-a': () => redirectAnswer(302, '/r/loop-b'),
    'loop-b': () => redirectAnswer(302, '/r/loop-a'),
    self: () => redirectAnswer(301, '/r/self'),
    'other-host': () => redirectAnswer(301, `${neighbour.origin}/p/0`),
    'no-location': () => textAnswer(302, 'text/plain', 'nowhere\n'),
    'bad-location': () => rawLocation('http://[not-a-host/'),
    outside:
      outside === undefined
        ? undefined
        : () => ({ ...redirectAnswer(302, outside), links: () => [] }),
  }
}

function rawLocation(location: string): Answer {
  const bytes = Buffer.from(
    `HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
  )
  return rawAnswer(302, { bytes: () => bytes, after: 'close', captured: 'surely' })
}
