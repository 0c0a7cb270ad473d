/**
 * A made network for tests: a backbone of routers, access routers below it, hosts at the leaves. Traces
 * are written as text, with scattered times, silent routers and some that answer late.
 */
import { Random } from '../../src/random.ts'

export interface MadeNetwork {
  lines: string[]
  /** True round trip between two hosts or sources. */
  trueRttMs: (a: string, b: string) => number
  sources: string[]
  hosts: string[]
}

interface Leaf {
  name: string
  /** From the leaf up to the backbone. */
  routers: string[]
  /** One way, in ms, link by link. */
  upMs: number[]
  core: number
}

const CORES = 24
const TRACES_PER_PAIR = 3
const PROBES = 3

export function makeNetwork(sources: number, hosts: number, seed: number): MadeNetwork {
  const random = new Random(seed)
  const uniform = (): number => random.below(4_294_967_296) / 4_294_967_296
  const cores = coreDistances(uniform)
  const leaf = (name: string): Leaf => {
    const core = random.below(CORES)
    const access = random.below(6)
    return {
      name,
      core,
      routers: [`access-${core}-${access}`, `core-${core}`],
      upMs: [0.2 + 3 * uniform(), 0.3 + 0.4 * access],
    }
  }
  const leavesOf = (count: number, kind: string): Leaf[] =>
    Array.from({ length: count }, (_, i) => leaf(`${kind}-${i}`))
  const [starts, targets] = [leavesOf(sources, 'source'), leavesOf(hosts, 'host')]
  // Not the sources' own: all that such a source sees would be wrong in the same way.
  const own = new Set(starts.flatMap(({ routers }) => routers))
  const lateMs = (router: string): number =>
    router.startsWith('access') && !own.has(router) && hashOf(router) % 16 === 0 ? 25 : 0
  const lines = ['# made for a test']
  for (const from of starts) {
    for (const to of targets) {
      for (let n = 0; n < TRACES_PER_PAIR; n++) lines.push(lineOf(walk(from, to, cores)))
    }
  }
  const byName = new Map([...starts, ...targets].map((known) => [known.name, known]))
  return {
    lines,
    sources: starts.map(({ name }) => name),
    hosts: targets.map(({ name }) => name),
    trueRttMs: (a, b) => walk(byName.get(a)!, byName.get(b)!, cores).at(-1)!.rttMs,
  }

  function lineOf(hops: { name: string; rttMs: number }[]): string {
    const [source, ...path] = hops
    const shown = path.map(({ name, rttMs }, i) => {
      if (i < path.length - 1 && uniform() < 0.05) return '*'
      const probes = Array.from({ length: PROBES }, () => {
        const queue = -Math.log(1 - uniform()) * (uniform() < 0.02 ? 5 : 0.05)
        return (rttMs + lateMs(name) + queue).toFixed(2)
      })
      return `${name}=${probes.join(',')}`
    })
    return [source!.name, path.at(-1)!.name, ...shown].join(' ')
  }
}

function coreDistances(uniform: () => number): number[][] {
  const places = Array.from({ length: CORES }, () => [80 * uniform(), 40 * uniform()] as const)
  return places.map(([x, y]) => places.map(([u, v]) => Math.hypot(x - u, y - v)))
}

/** Every node of the path with its round trip from the first, which is 0 away from itself. */
function walk(from: Leaf, to: Leaf, cores: number[][]): { name: string; rttMs: number }[] {
  const up = from.routers.map((name, i) => ({ name, oneWayMs: from.upMs[i]! }))
  const down = [...to.routers.keys()].toReversed().map((i) => ({
    name: i === 0 ? to.name : to.routers[i - 1]!,
    oneWayMs: to.upMs[i]!,
  }))
  const across =
    from.core === to.core
      ? []
      : [{ name: `core-${to.core}`, oneWayMs: cores[from.core]![to.core]! }]
  let oneWayMs = 0
  const path = [{ name: from.name, rttMs: 0 }]
  for (const step of [...up, ...across, ...down]) {
    oneWayMs += step.oneWayMs
    path.push({ name: step.name, rttMs: 2 * oneWayMs })
  }
  return path
}

function hashOf(text: string): number {
  let hash = 7
  for (const letter of text) hash = (Math.imul(hash, 31) + letter.codePointAt(0)!) | 0
  return hash >>> 0
}
