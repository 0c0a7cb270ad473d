/** `/robots.txt` of every kind, and what a perfect crawler (RFC 9309) concludes from each. */

import { mixed } from '../random.ts'
import {
  hangingAnswer,
  pageAnswer,
  redirectAnswer,
  resetAnswer,
  textAnswer,
  type Answer,
} from './answer.ts'
import { SITEMAPS_DECLARED } from './sitemaps.ts'
import { behaviourOf, type Site, type Sites } from './site.ts'
import type { RobotsKind } from './spec.ts'

/** The one rule at the end of a redirect chain or the start of an oversized file. */
const ONE_RULE = 'User-agent: *\nDisallow: /p/1$\n'
const ONE_RULE_PATHS = ['/p/1$']
/** RFC 9309 §2.3.1.2: at least five hops are followed; beyond that the file counts as absent. */
const HOPS_FOLLOWED = 5
/** Above the 500 KiB that RFC 9309 §2.5 asks crawlers to parse. */
const OVERSIZED_BYTES = 614_400
const HOP_PATH = /^\/robots-hop\/(\d{1,3})$/

function robotsOf(site: Site): RobotsKind {
  const kind = behaviourOf(site, 'robots')?.robots
  if (kind !== undefined) return kind
  return behaviourOf(site, 'sitemaps') ? { is: 'rules' } : { is: 'status', status: 404 }
}

/** Undefined for paths that have nothing to do with robots. */
export function robotsAnswer(sites: Sites, site: Site, path: string): Answer | undefined {
  if (path === '/robots.txt') return robotsFile(sites, site, robotsOf(site))
  const left = HOP_PATH.exec(path)?.[1]
  if (left === undefined) return undefined
  return left === '0' ? plain(ONE_RULE) : redirectAnswer(302, `/robots-hop/${Number(left) - 1}`)
}

function robotsFile(sites: Sites, site: Site, robots: RobotsKind): Answer {
  switch (robots.is) {
    case 'status':
      return textAnswer(robots.status, 'text/plain', `status ${robots.status}\n`)
    case 'timeout':
      return hangingAnswer()
    case 'disconnect':
      return resetAnswer()
    case 'redirects': {
      const start = robots.toHost === undefined ? '' : sites.at(robots.toHost).origin
      return redirectAnswer(302, `${start}/robots-hop/${robots.hops - 1}`)
    }
    case 'garbage':
      return textAnswer(200, 'text/plain', garbage(site.index))
    case 'oversized':
      return plain(oversized())
    case 'html':
      return pageAnswer({ title: 'Welcome', links: ['/p/0'] })
    case 'rules':
  }
  return plain(rulesText(site, robots))
}

/** May a perfect crawler fetch this path? Crawl-delay is the judge's matter, not this one's. */
export function isAllowed(site: Site, path: string): boolean {
  const robots = robotsOf(site)
  if (robots.is === 'timeout' || robots.is === 'disconnect') return false
  if (robots.is === 'status') return robots.status < 500 && robots.status !== 429
  return !disallowedPaths(robots).some((rule) => matches(rule, path))
}

/** Sitemaps that a perfect crawler learns from robots.txt. */
export function declaredSitemaps(site: Site): string[] {
  const robots = robotsOf(site)
  if (robots.is !== 'rules') return []
  return [...(robots.sitemaps ?? []), ...(behaviourOf(site, 'sitemaps') ? SITEMAPS_DECLARED : [])]
}

function disallowedPaths(robots: RobotsKind): string[] {
  if (robots.is === 'rules') return robots.disallow ?? []
  if (robots.is === 'oversized') return ONE_RULE_PATHS
  return robots.is === 'redirects' && robots.hops <= HOPS_FOLLOWED ? ONE_RULE_PATHS : []
}

function matches(rule: string, path: string): boolean {
  const escaped = rule.replaceAll(/[.+?^{}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '.*')
  return new RegExp(`^${escaped.replaceAll(/\$(?!$)/g, String.raw`\$`)}`).test(path)
}

function plain(text: string): Answer {
  return textAnswer(200, 'text/plain; charset=utf-8', text)
}

function rulesText(site: Site, rules: RobotsKind & { is: 'rules' }): string {
  const lines = [
    `User-agent: ${rules.agent ?? '*'}`,
    ...(rules.disallow ?? []).map((path) => `Disallow: ${path}`),
  ]
  if (rules.disallow === undefined) lines.push('Disallow:')
  if (rules.crawlDelaySeconds !== undefined) lines.push(`Crawl-delay: ${rules.crawlDelaySeconds}`)
  for (const sitemap of declaredSitemaps(site)) {
    lines.push(`Sitemap: ${sitemap.startsWith('/') ? site.origin + sitemap : sitemap}`)
  }
  return lines.join('\n') + '\n'
}

/** Nothing forbidden until far beyond the parsed part: a crawler that reads on sees a closed site. */
function oversized(): string {
  const comment = `# ${'x'.repeat(77)}\n`
  const comments = comment.repeat(Math.ceil(OVERSIZED_BYTES / comment.length))
  return `${ONE_RULE}${comments}Disallow: /\n`
}

function garbage(hostIndex: number): Buffer {
  return Buffer.from(Array.from({ length: 4096 }, (_, n) => mixed(hostIndex, n) & 255))
}
