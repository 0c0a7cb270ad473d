/**
 * The thesis's formulas for what a placement costs, without simulating it (its equations 5.1 to 5.3):
 *
 *   download of server i by robot j   (Mᵢ/L) · (2·RTTᵢⱼ + L·ps/BW + PT)                        (5.1)
 *   download of robot j               1/N · Σ of its servers; the system: the slowest robot     (5.2)
 *   exchange of robot j               1/F · Σ over other robots l of (2·RTTⱼₗ + su·nlⱼₗ/BW)      (5.3)
 *   redistribution                    5.3 with what moves from j to l when robots change
 *
 * N are connections at once, F the links that are forwarded at once: the thesis writes N for both. 5.2 divides
 * even a single serial server by N and so understates it; kept as it is, for comparison.
 */
import type { NamedCrawlGraph } from '@minga/partition'
import type { Workload } from './workload.ts'

export interface AlgebraRules {
  pagesPerConnection: number
  connections: number
  linksAtOnce: number
  pageBytes: number
  urlBytes: number
  bytesPerS: number
  politenessS: number
}

/** The thesis's; its bandwidth of 16 kbit/s is low on purpose, to tell the curves apart. */
export const THESIS_ALGEBRA: AlgebraRules = {
  pagesPerConnection: 10,
  connections: 10,
  linksAtOnce: 10,
  pageBytes: 10_000,
  urlBytes: 40,
  bytesPerS: 2_000,
  politenessS: 15,
}

/** Round trips in seconds. */
export interface AlgebraWeb {
  robots: number
  pages: ArrayLike<number>
  serverRttS: (server: number, robot: number) => number
  robotRttS: (robot: number, other: number) => number
}

export function algebraWeb(
  { world, addressOf }: Workload,
  graph: NamedCrawlGraph,
  robots: Int32Array,
): AlgebraWeb {
  return {
    robots: robots.length,
    pages: graph.pages,
    serverRttS: (server, robot) =>
      world.rttMs[addressOf[server]! * world.robots + robots[robot]!]! / 1_000,
    robotRttS: (robot, other) =>
      world.robotRttMs[robots[robot]! * world.robots + robots[other]!]! / 1_000,
  }
}

/** Of the slowest robot. */
export function downloadS(web: AlgebraWeb, owners: Int32Array, rules = THESIS_ALGEBRA): number {
  const { pagesPerConnection: perConnection, connections, pageBytes, bytesPerS } = rules
  const busyS = new Float64Array(web.robots)
  for (let server = 0; server < owners.length; server++) {
    const robot = owners[server]!
    const batchS =
      2 * web.serverRttS(server, robot) +
      (perConnection * pageBytes) / bytesPerS +
      rules.politenessS
    busyS[robot]! += (web.pages[server]! / perConnection) * batchS
  }
  return mostOf(busyS) / connections
}

/** Of the robot that forwards longest. */
export function exchangeS(
  web: AlgebraWeb,
  graph: Pick<NamedCrawlGraph, 'tails' | 'heads' | 'links'>,
  owners: Int32Array,
  rules = THESIS_ALGEBRA,
): number {
  const between = new Float64Array(web.robots ** 2)
  for (let i = 0; i < graph.tails.length; i++) {
    const from = owners[graph.tails[i]!]!
    const to = owners[graph.heads[i]!]!
    if (from !== to) between[from * web.robots + to]! += graph.links[i]!
  }
  return forwardingS(web, between, rules)
}

/** Of the robot that gives most away when hosts move with all their URLs. */
export function redistributionS(
  web: AlgebraWeb,
  before: Int32Array,
  after: Int32Array,
  rules = THESIS_ALGEBRA,
): number {
  const between = new Float64Array(web.robots ** 2)
  for (let server = 0; server < before.length; server++) {
    const from = before[server]!
    const to = after[server]!
    if (from !== to) between[from * web.robots + to]! += web.pages[server]!
  }
  return forwardingS(web, between, rules)
}

function forwardingS(web: AlgebraWeb, between: Float64Array, rules: AlgebraRules): number {
  const { robots } = web
  const { urlBytes, bytesPerS, linksAtOnce } = rules
  const busyS = new Float64Array(robots)
  for (let from = 0; from < robots; from++) {
    for (let to = 0; to < robots; to++) {
      if (from === to) continue
      const links = between[from * robots + to]!
      busyS[from]! += 2 * web.robotRttS(from, to) + (urlBytes * links) / bytesPerS
    }
  }
  return mostOf(busyS) / linksAtOnce
}

const mostOf = (values: Float64Array): number => values.reduce((a, b) => Math.max(a, b), 0)
