/**
 * Who owns what, in the ways that are compared. All but the hashes see the same knowledge; what robots come
 * and go is answered by each in its own manner: a hash counts again, rendezvous gives up only what was lost, the
 * thesis begins from scratch, and the product plans with what it costs to move.
 */
import {
  assignmentCosts,
  coarsenCrawl,
  coarsenNearness,
  hashOwner,
  linkGraph,
  planPlacement,
  Rendezvous,
  thesisPartition,
  type HashKey,
  type NamedCrawlGraph,
  type Nearness,
} from '@minga/partition'
import type { Owners } from './crawl-rules.ts'
import type { Workload } from './workload.ts'

export const ALLOCATORS = [
  'hash-url',
  'hash-host',
  'hash-address',
  'rendezvous',
  'geographic',
  'thesis',
  'minga',
] as const
export type AllocatorName = (typeof ALLOCATORS)[number]

/** Those that look at distances, from whichever source. */
export const usesLatency = (name: AllocatorName): boolean => name === 'thesis' || name === 'minga'

export interface PlacingTask {
  workload: Workload
  robots: Int32Array
  /** 1 for robots that are there; left out: all. */
  present?: Uint8Array
  graph: NamedCrawlGraph
  latency: Nearness | null
  /** What stays together. */
  unit: 'host' | 'address'
  /** The robot of every host now. */
  previous?: Int32Array
  /** Only robots have changed, nothing was learnt: who need not move had better stay. */
  isSettled?: boolean
  seed: number
}

/** How far above its share a robot may be: the same for all that keep to any. */
const IMBALANCE = 0.05

export function place(name: AllocatorName, task: PlacingTask): Owners {
  const there = presentRobots(task)
  if (name === 'hash-url') return { byPage: hashedPages(task, there) }
  const byHost = WAYS[name](task, there)
  return { byHost: byHost.map((part) => there[part]!) }
}

function presentRobots({ robots, present }: PlacingTask): Int32Array {
  const all = Int32Array.from(robots.keys())
  return present === undefined ? all : all.filter((robot) => present[robot] === 1)
}

/** Each answers places in `there`. */
const WAYS: Record<
  Exclude<AllocatorName, 'hash-url'>,
  (task: PlacingTask, there: Int32Array) => Int32Array
> = {
  'hash-host': (task, there) => hashed(task, there, task.unit),
  'hash-address': (task, there) => hashed(task, there, 'address'),
  rendezvous,
  geographic,
  thesis,
  minga,
}

function hashed({ workload }: PlacingTask, there: Int32Array, by: HashKey): Int32Array {
  const { hostNames, addressNames, addressOf } = workload
  return Int32Array.from(hostNames, (host, h) =>
    hashOwner({ url: host, host, address: addressNames[addressOf[h]!]! }, by, there.length),
  )
}

function hashedPages({ workload }: PlacingTask, there: Int32Array): Int32Array {
  const { hostNames, hostOf, firstPage } = workload
  return Int32Array.from(hostOf, (h, page) => {
    const host = hostNames[h]!
    const url = `http://${host}/${page - firstPage[h]!}`
    return there[hashOwner({ url, host, address: '' }, 'url', there.length)]!
  })
}

function rendezvous({ workload, robots, unit }: PlacingTask, there: Int32Array): Int32Array {
  const { hostNames, addressNames, addressOf } = workload
  const members = Array.from(there, (robot) => ({ name: `robot-${robots[robot]}`, weight: 1 }))
  const lots = new Rendezvous(members)
  return Int32Array.from(hostNames, (host, h) =>
    lots.owner(unit === 'host' ? host : addressNames[addressOf[h]!]!),
  )
}

/** To the nearest robot on the map that has room, the largest first. */
function geographic(task: PlacingTask, there: Int32Array): Int32Array {
  const { workload, robots, graph } = task
  const { world, addressOf } = workload
  const { pages, unitOf, addressOfUnit } = unitsOf(task)
  const room = ((1 + IMBALANCE) * sum(graph.pages)) / there.length
  const loads = new Float64Array(there.length)
  const parts = new Int32Array(pages.length)
  const order = [...pages.keys()].toSorted((a, b) => pages[b]! - pages[a]! || a - b)
  for (const vertex of order) {
    const row = addressOfUnit[vertex]! * world.robots
    const kmTo = (part: number): number => world.claimedKm[row + robots[there[part]!]!]!
    let best = 0
    let emptiest = 0
    let nearest = Infinity
    for (let part = 0; part < there.length; part++) {
      if (loads[part]! < loads[emptiest]!) emptiest = part
      if (loads[part]! + pages[vertex]! > room || kmTo(part) >= nearest) continue
      best = part
      nearest = kmTo(part)
    }
    parts[vertex] = nearest === Infinity ? emptiest : best
    loads[parts[vertex]]! += pages[vertex]!
  }
  return Int32Array.from(addressOf, (_, host) => parts[unitOf[host]!]!)
}

interface Units {
  pages: Float64Array
  unitOf: Int32Array
  addressOfUnit: Int32Array
}

function unitsOf({ workload, graph, unit }: PlacingTask): Units {
  const { addressOf, addresses, hosts } = workload
  if (unit === 'host') {
    const unitOf = Int32Array.from({ length: hosts }, (_, host) => host)
    return { pages: graph.pages, unitOf, addressOfUnit: addressOf }
  }
  const pages = new Float64Array(addresses)
  for (let host = 0; host < hosts; host++) pages[addressOf[host]!]! += graph.pages[host]!
  const addressOfUnit = Int32Array.from({ length: addresses }, (_, address) => address)
  return { pages, unitOf: addressOf, addressOfUnit }
}

/** Flat k-way moves on links and distances together, each divided by what it reaches alone. */
function thesis(task: PlacingTask, there: Int32Array): Int32Array {
  const { graph, latency, seed } = task
  const { unitOf, pages } = unitsOf(task)
  const groups = pages.length
  const coarse = linkGraph(coarsenCrawl(graph, unitOf, groups))
  const near =
    latency && coarsenNearness(columnsOf(latency, there), graph.pages, { groupOf: unitOf, groups })
  const { parts } = thesisPartition(coarse, {
    k: there.length,
    imbalance: IMBALANCE,
    seed,
    ...(near && { costs: assignmentCosts(near, pages) }),
  })
  return unitOf.map((vertex) => parts[vertex]!)
}

/** As a station does it. */
function minga(task: PlacingTask, there: Int32Array): Int32Array {
  const { workload, graph, latency, robots, previous, unit, seed } = task
  const nameOf = (robot: number): string => `robot-${robots[robot]}`
  const plan = planPlacement({
    graph,
    parts: Array.from(there, (robot) => ({ name: nameOf(robot), capacity: 1 })),
    groups: unit === 'address' ? workload.addressOf : undefined,
    latency: latency === null ? undefined : columnsOf(latency, there),
    previous:
      previous &&
      new Map(graph.names.map((host, h): [string, string] => [host, nameOf(previous[h]!)])),
    // As a station bounds it: twice a robot's share, unless more must move.
    mostMovedPages: task.isSettled === true ? (2 * sum(graph.pages)) / there.length : undefined,
    imbalance: IMBALANCE,
    seed,
  })
  return plan.partOf
}

/** The distances of those that are there. */
function columnsOf(latency: Nearness, there: Int32Array): Nearness {
  const { agents, vertices, values } = latency
  if (agents === there.length) return latency
  const kept = new Float64Array(vertices * there.length)
  for (let at = 0; at < kept.length; at++) {
    const row = Math.floor(at / there.length)
    kept[at] = values[row * agents + there[at % there.length]!]!
  }
  return { agents: there.length, vertices, values: kept, unknown: 0 }
}

const sum = (values: Float64Array): number => values.reduce((total, value) => total + value, 0)
