/**
 * A site as a queue: c servers with exponential service times, visited by N people who each wait
 * for their answer, think, and come again (M/M/c//N). Simulated event by event, so that what a load
 * test estimates can be compared with what the queue's mathematics says.
 */
import { LatencyHistogram } from '@minga/protocol'
import { seededRandom } from '@minga/testkit'
import type { StepFigures } from '../../src/load-tests/step-figures.ts'

export interface QueueSite {
  servers: number
  serviceMs: number
  thinkMs: number
}

/** No answer of these queues takes longer. */
const LONGEST_MS = 20_000

/** The exact 95th percentile of the response time, from the queue's equilibrium. */
export function exactP95Ms(site: QueueSite, visitors: number): number {
  // Seen by an arrival: the equilibrium of the same queue with one visitor less (Sevcik, Mitrani).
  const seen = equilibrium(site, visitors - 1)
  let low = 0
  let high = LONGEST_MS
  while (high - low > 0.1) {
    const middle = (low + high) / 2
    if (tailOf(site, seen, middle) > 0.05) low = middle
    else high = middle
  }
  return high
}

function equilibrium({ servers, serviceMs, thinkMs }: QueueSite, visitors: number): number[] {
  // Logarithms: the weights themselves outgrow any number.
  const logs = [0]
  for (let inside = 1; inside <= visitors; inside++) {
    const arrivals = (visitors - inside + 1) / thinkMs
    const departures = Math.min(inside, servers) / serviceMs
    logs.push(logs.at(-1)! + Math.log(arrivals / departures))
  }
  const most = Math.max(...logs)
  const weights = logs.map((log) => Math.exp(log - most))
  const sum = weights.reduce((total, weight) => total + weight, 0)
  return weights.map((weight) => weight / sum)
}

/** The share of answers that take longer than this. */
function tailOf({ servers, serviceMs }: QueueSite, seen: readonly number[], ms: number): number {
  let tail = 0
  for (const [inside, share] of seen.entries()) {
    if (share < 1e-9) continue
    const ahead = inside - servers + 1
    const isServedAtOnce = ahead <= 0
    tail +=
      share *
      (isServedAtOnce
        ? Math.exp(-ms / serviceMs)
        : waitTail({ ratePerMs: servers / serviceMs, serviceMs, ahead }, ms))
  }
  return tail
}

const STEPS = 400

interface Waiting {
  ratePerMs: number
  serviceMs: number
  ahead: number
}

/** That the services ahead (Erlang) and one's own take longer, by numerical integration. */
function waitTail({ ratePerMs, serviceMs, ahead }: Waiting, ms: number): number {
  const scale = ahead * Math.log(ratePerMs) - logFactorial(ahead - 1)
  let density = 0
  let tail = 0
  for (let i = 0; i < STEPS; i++) {
    const at = ((i + 0.5) * ms) / STEPS
    const part = (Math.exp(scale + (ahead - 1) * Math.log(at) - ratePerMs * at) * ms) / STEPS
    density += part
    tail += part * Math.exp(-(ms - at) / serviceMs)
  }
  return Math.min(1, Math.max(0, 1 - density) + tail)
}

function logFactorial(n: number): number {
  let sum = 0
  for (let i = 2; i <= n; i++) sum += Math.log(i)
  return sum
}

export interface Visit {
  site: QueueSite
  visitors: number
  durationMs: number
  seed: number
}

/** What a load test of this many visitors measures. */
export function visited({ site, visitors, durationMs, seed }: Visit): StepFigures {
  const random = seededRandom(seed)
  const exponential = (meanMs: number): number => -meanMs * Math.log(1 - random.next())
  const freeAt = Array.from({ length: site.servers }, () => 0)
  const arrivals = Array.from({ length: visitors }, () => exponential(site.thinkMs))
  const latencies = new LatencyHistogram()
  for (;;) {
    const at = Math.min(...arrivals)
    if (at >= durationMs) break
    const visitor = arrivals.indexOf(at)
    const server = freeAt.indexOf(Math.min(...freeAt))
    const end = Math.max(at, freeAt[server]!) + exponential(site.serviceMs)
    freeAt[server] = end
    // The first tenth is the time in which the queue fills.
    if (at > durationMs / 10) latencies.add(end - at)
    arrivals[visitor] = end + exponential(site.thinkMs)
  }
  return {
    visitors,
    countedMs: durationMs * 0.9,
    requests: latencies.count,
    perSecond: (latencies.count * 1_000) / (durationMs * 0.9),
    bytes: 0,
    errors: {},
    latencies: latencies.buckets(),
    isHeldBack: false,
  }
}
