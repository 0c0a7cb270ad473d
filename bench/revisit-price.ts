/**
 * How long a million watched URLs take to be priced and planned, and how much memory: prints one line per step.
 *   node bench/revisit-price.ts [urls]
 */
import { GRID_POINTS, newBelief, policyNamed, solveHostPrices, versionsAt } from '@minga/forecast'
import type { RateSet } from '@minga/forecast'
import { pareto, normal, randomStream } from '../simulate/revisit/random.ts'

const count = Number(process.argv[2] ?? 1_000_000)
const HOSTS = 20_000
const MB = 1_000_000

const random = randomStream(1)
const set: RateSet = {
  count,
  rates: Float32Array.from({ length: count }, () => 0.25 * Math.exp(1.3 * normal(random))),
  weights: Float32Array.from({ length: count }, () => Math.min(20, pareto(random, 1.5))),
  costs: new Float32Array(count).fill(1),
  floors: new Float32Array(count),
  ceilings: new Float32Array(count).fill(24),
}
const broad = newBelief().weights
const posteriors = new Float32Array(count * GRID_POINTS)
for (let i = 0; i < count; i++) posteriors.set(broad, i * GRID_POINTS)

function timed(what: string, work: () => void): void {
  const from = performance.now()
  work()
  const seconds = ((performance.now() - from) / 1_000).toFixed(2)
  const memory = (process.memoryUsage().rss / MB).toFixed(0)
  process.stdout.write(`${what}: ${seconds} s, ${memory} MB\n`)
}

for (const name of ['minga', 'minga:freshness', 'azar', 'lambda-crawl']) {
  timed(`price of ${name}, rates`, () => policyNamed(name).price!(set, 0.3 * count))
}
timed('price of minga, posteriors', () =>
  policyNamed('minga').price!({ ...set, posteriors }, 0.3 * count),
)
timed(`prices of ${HOSTS} hosts`, () => {
  const hostOf = Int32Array.from({ length: count }, (_, i) => i % HOSTS)
  solveHostPrices(set, 0.3 * count, versionsAt, {
    hostOf,
    perDay: new Float32Array(HOSTS).fill((count / HOSTS) * 0.4),
  })
})
timed('price and plans of all by minga', () => {
  const policy = policyNamed('minga')
  const whole = { ...set, posteriors }
  policy.gapDays!(whole, policy.price!(whole, 0.3 * count))
})
