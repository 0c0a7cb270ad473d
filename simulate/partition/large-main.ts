/**
 * A web of ten million hosts and a hundred million links on one machine: made up, streamed through the product's
 * placer in the order of nothing, restreamed, and partitioned; links between parts against hashing. One
 * JSON object per step, with the seconds it took and the memory of the process.
 *
 *   node --max-old-space-size=16000 simulate/partition/large-main.ts [--hosts N] [--links N] [--parts K] [--partition]
 */
import { parseArgs } from 'node:util'
import {
  cutOf,
  graphOfEdges,
  hashOwner,
  partition,
  restream,
  StreamPlacer,
  type Graph,
} from '@minga/partition'
import { drawLargeGraph } from './large-graph.ts'

const { values } = parseArgs({
  options: {
    hosts: { type: 'string', default: '10000000' },
    links: { type: 'string', default: '100000000' },
    parts: { type: 'string', default: '16' },
    seed: { type: 'string', default: '1' },
    partition: { type: 'boolean', default: false },
  },
})
const [hosts, links, k, seed] = [values.hosts, values.links, values.parts, values.seed].map(Number)

const graph = step('graph', () => {
  const edges = drawLargeGraph({ hosts: hosts!, links: links!, seed: seed! })
  return graphOfEdges({ vertices: hosts! }, { ...edges, weights: null }).graph
})
let all = 0
for (let arc = 0; arc < graph.edgeWeights.length; arc++) all += graph.edgeWeights[arc]! / 2
tell('hash', () =>
  Int32Array.from({ length: hosts! }, (_, host) => {
    const name = `h${host}.example`
    return hashOwner({ url: name, host: name, address: name }, 'host', k!)
  }),
)
const streamed = tell('stream', () => streamAll(graph))
tell('restream', () => restream(graph, { k: k!, seed: seed!, previous: streamed }).parts)
if (values.partition)
  tell('partition', () => partition(graph, { k: k!, seed: seed!, preset: 'fast' }).parts)

/** Every host names all its links when it comes; those to hosts that are still to come count then. */
function streamAll({ vertices, starts, heads, edgeWeights }: Graph): Int32Array {
  const placer = new StreamPlacer({
    k: k!,
    seed: seed!,
    expectedWeight: vertices,
    expectedLinks: all,
  })
  const parts = new Int32Array(vertices)
  for (let host = 0; host < vertices; host++) {
    const [from, to] = [starts[host]!, starts[host + 1]!]
    parts[host] = placer.place({
      host,
      weight: 1,
      neighbours: heads.subarray(from, to),
      linkWeights: edgeWeights.subarray(from, to),
      costs: null,
    })
  }
  return parts
}

function step<T>(name: string, work: () => T): T {
  const began = performance.now()
  const done = work()
  report({ step: name, seconds: secondsSince(began) })
  return done
}

function tell(name: string, work: () => Int32Array): Int32Array {
  const began = performance.now()
  const parts = work()
  const seconds = secondsSince(began)
  const cut = cutOf(graph, parts) / all
  const loads = new Float64Array(k!)
  for (const part of parts) loads[part]!++
  const imbalance = (loads.reduce((a, b) => Math.max(a, b)) * k!) / hosts! - 1
  const expected = 1 - 1 / k!
  report({ step: name, seconds, cut, againstHash: cut / expected - 1, imbalance })
  return parts
}

function secondsSince(began: number): number {
  return Math.round((performance.now() - began) / 100) / 10
}

/** The most memory so far, of the whole process. */
function report(figures: Record<string, unknown>): void {
  const peakGb = Math.round(process.resourceUsage().maxRSS / 1e5) / 10
  process.stdout.write(`${JSON.stringify({ ...figures, peakGb })}\n`)
}
