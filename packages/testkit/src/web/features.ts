/** Joins each feature's entries (what `/p/0` links to) with the answers behind them. */

import type { Answer } from './answer.ts'
import {
  behindNofollow,
  CHARSETS,
  decodedPage,
  DIRECTIVES,
  duplicateAnswer,
  duplicatePaths,
  SOFT_404_ENTRIES,
} from './contents.ts'
import { BOMB_ENTRIES, bombAnswer, BROKEN, LYING, MALFORMED } from './mischief.ts'
import { REDIRECT_ENTRIES, redirectsAnswer } from './redirects.ts'
import type { Site, Sites } from './site.ts'
import { FEEDS, sitemapAnswer } from './sitemaps.ts'
import type { Behaviour } from './spec.ts'
import { TRAP_ENTRIES, trapAnswer } from './traps.ts'

/** Paths that the first page of the host links to on behalf of its features. */
export function entriesOf(site: Site): string[] {
  return site.behaviours.flatMap((behaviour) => {
    const all = allEntries(behaviour)
    const only = 'only' in behaviour ? behaviour.only : undefined
    return only === undefined ? all : all.filter((path) => only.includes(nameOf(path)))
  })
}

export function featureAnswer(sites: Sites, site: Site, path: string): Answer | undefined {
  for (const behaviour of site.behaviours) {
    const answer = answerOf(behaviour, { sites, site, path })
    if (answer) return answer
  }
  return undefined
}

/** `/calendar/2026-01` and `/session?sid=0` are named by their first part, others by their last. */
function nameOf(path: string): string {
  const parts = path.split(/[/?]/).filter((part) => part !== '')
  return (TRAP_ENTRIES.includes(path) ? parts[0] : parts.at(-1)) ?? ''
}

function allEntries(behaviour: Behaviour): string[] {
  switch (behaviour.kind) {
    case 'redirects':
      return [...REDIRECT_ENTRIES, ...(behaviour.outside === undefined ? [] : ['/r/outside'])]
    case 'broken':
      return Object.keys(BROKEN)
    case 'lying':
      return Object.keys(LYING)
    case 'malformed':
      return Object.keys(MALFORMED)
    case 'bombs':
      return BOMB_ENTRIES
    case 'traps':
      return TRAP_ENTRIES
    case 'duplicates':
      return duplicatePaths(behaviour.copies)
    case 'charsets':
      return Object.keys(CHARSETS)
    case 'directives':
      return Object.keys(DIRECTIVES)
    case 'sitemaps':
      return FEEDS
    case 'soft404':
      return SOFT_404_ENTRIES
    default:
      return []
  }
}

function answerOf(
  behaviour: Behaviour,
  { sites, site, path }: { sites: Sites; site: Site; path: string },
): Answer | undefined {
  switch (behaviour.kind) {
    case 'redirects':
      return redirectsAnswer({ sites, site, outside: behaviour.outside }, path)
    case 'broken':
      return BROKEN[path]?.()
    case 'lying':
      return LYING[path]?.()
    case 'malformed':
      return MALFORMED[path]?.()
    case 'bombs':
      return bombAnswer(path, behaviour.expandedBytes)
    case 'traps':
      return trapAnswer(path)
    case 'duplicates':
      return duplicateAnswer(path)
    case 'charsets':
      return CHARSETS[path]?.() ?? decodedPage(path)
    case 'directives':
      return DIRECTIVES[path]?.() ?? behindNofollow(path)
    case 'sitemaps':
      return sitemapAnswer(site, path)
    default:
      return undefined
  }
}
