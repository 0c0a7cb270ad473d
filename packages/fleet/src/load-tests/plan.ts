/**
 * How a load test proceeds: visitors double until the site can handle no more of them (or the
 * requested number is reached), then the gap between what it could handle and what it could not is
 * halved a few times.
 */

/** Beyond any of these the test stops at once. */
export interface LoadCeilings {
  requestsPerSecond: number
  bytes: number
  durationMs: number
  /** Share of requests that fail, over a few seconds. */
  errorRate: number
  p95Ms: number
}

/** When a site counts as bearing its visitors. */
export interface BearingCriterion {
  p95Ms: number
  errorRate: number
}

export interface LoadPlan {
  urls: string[]
  visitorsMax: number
  stepMs: number
  thinkMs: number
  answerMsMax: number
  bears: BearingCriterion
  ceilings: LoadCeilings
}

export interface StepVerdict {
  visitors: number
  doesBear: boolean
  /** The ceiling of requests per second kept visitors waiting: more of them would change nothing. */
  isHeldBack: boolean
}

/** Three halvings leave an eighth of the last doubling open: about what the noise of short steps is. */
const HALVINGS_MAX = 3

/** How many visitors come next; null when the test has seen enough. */
export function nextVisitors(
  { visitorsMax }: Pick<LoadPlan, 'visitorsMax'>,
  done: readonly StepVerdict[],
): number | null {
  if (done.at(-1)?.isHeldBack) return null
  const { borne, unborne } = edgeOf(done)
  if (unborne === null) {
    if (borne === null) return 1
    return borne >= visitorsMax ? null : Math.min(borne * 2, visitorsMax)
  }
  const halvings = done.length - 1 - done.findIndex(({ doesBear }) => !doesBear)
  if (borne === null || unborne - borne <= 1 || halvings >= HALVINGS_MAX) return null
  return Math.round((borne + unborne) / 2)
}

export interface Edge {
  /** The most that was borne, below everything that was not. */
  borne: number | null
  unborne: number | null
}

export function edgeOf(steps: readonly Pick<StepVerdict, 'visitors' | 'doesBear'>[]): Edge {
  const failed = steps.filter(({ doesBear }) => !doesBear).map(({ visitors }) => visitors)
  const unborne = failed.length === 0 ? null : Math.min(...failed)
  const passed = steps
    .filter(({ visitors, doesBear }) => doesBear && visitors < (unborne ?? Infinity))
    .map(({ visitors }) => visitors)
  return { borne: passed.length === 0 ? null : Math.max(...passed), unborne }
}

/** Whole numbers that differ by at most one and add up to the total. */
export function shareOut(total: number, among: number): number[] {
  const least = Math.floor(total / among)
  const more = total - least * among
  return Array.from({ length: among }, (_, i) => least + (i < more ? 1 : 0))
}
