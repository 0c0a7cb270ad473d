/**
 * When to replan. Planning is cheap; moving hosts is not, and a fleet that is replanned at every
 * fluctuation never settles. So there is a reason for every plan, and each reason has two
 * thresholds: it fires above the upper one, then stays silent until its measure was below the lower
 * one (hysteresis, as in Schmitt's trigger, 1938). There is a minimum time between two plans,
 * whatever happens. Drift is measured against what the last plan promised: an imbalance that no
 * plan could repair is no reason for another one.
 */
export interface TriggerRules {
  /** The least time between two plans. */
  pauseMs: number
  /** A member counts as come or gone when it has been so for this long. */
  settledMs: number
  /** Replan after this long without any other reason; Infinity: never. */
  everyMs: number
  /** How much more uneven the parts may become, as a share of a part: 0.2 is a fifth. */
  imbalanceDrift: number
  /** By which share the exchange of URLs may grow, and the waiting per page. */
  exchangeDrift: number
  latencyDrift: number
  /** Hosts that came since, as a share of those that were planned. */
  newHostShare: number
  /** Where a reason is armed again: this share of its threshold. */
  rearm: number
}

export const TRIGGER_RULES: TriggerRules = {
  pauseMs: 60_000,
  settledMs: 30_000,
  everyMs: 24 * 3_600_000,
  imbalanceDrift: 0.2,
  exchangeDrift: 0.25,
  latencyDrift: 0.25,
  newHostShare: 0.2,
  rearm: 0.5,
}

export type TriggerName = 'members' | 'new-hosts' | 'imbalance' | 'exchange' | 'latency' | 'time'

/** What is seen at a moment. Null where nothing is known yet. */
export interface Observation {
  now: number
  members: readonly string[]
  /** Hosts in all, and those that the last plan did not know. */
  hosts: number
  newHosts: number
  imbalance: number | null
  exchangeShare: number | null
  /** Mean expected waiting per page. */
  latencyMs: number | null
}

export interface Decision {
  /** Null: there is no reason. */
  trigger: TriggerName | null
  why: string
}

/** What the last plan left behind. */
type Baseline = Pick<Observation, 'imbalance' | 'exchangeShare' | 'latencyMs'> & {
  now: number
  members: ReadonlySet<string>
}

export class Triggers {
  readonly #rules: TriggerRules
  #baseline: Baseline | null = null
  readonly #isSpent = new Set<TriggerName>()
  /** The difference between the members now and then, and since when it is this one. */
  #change = { key: '', text: '', since: 0 }
  /** The difference that a decision has answered. */
  #spentChange = ''

  constructor(rules: Partial<TriggerRules> = {}) {
    this.#rules = { ...TRIGGER_RULES, ...rules }
  }

  /** A plan was made, and this is what it promises. A baseline is needed before anything can drift. */
  planned(observation: Omit<Observation, 'hosts' | 'newHosts'>): void {
    this.#baseline = { ...observation, members: new Set(observation.members) }
    this.#change = { key: '', text: '', since: observation.now }
    this.#spentChange = ''
    this.#isSpent.delete('members')
  }

  look(observation: Observation): Decision {
    const { now } = observation
    if (this.#baseline === null) return this.#first(observation)
    const baseline = this.#adopt(this.#baseline, observation)
    this.#noteMembers(observation, baseline)
    const speaking = this.#speaking(observation, baseline)
    if (speaking.length === 0) return { trigger: null, why: 'Nothing has changed enough.' }
    const readyAt = baseline.now + this.#rules.pauseMs
    const first = speaking[0]!
    if (now < readyAt) {
      const seconds = Math.ceil((readyAt - now) / 1_000)
      return { trigger: null, why: `${first.why} It waits ${seconds} s: the last plan is young.` }
    }
    // One plan answers all of them; the timer restarts by itself.
    for (const { trigger } of speaking) if (trigger !== 'time') this.#isSpent.add(trigger)
    this.#spentChange = this.#change.key
    this.#baseline = { ...baseline, now }
    return { trigger: first.trigger, why: first.why }
  }

  /** What the plan could not promise counts from when it is first measured. */
  #adopt(baseline: Baseline, { exchangeShare, latencyMs }: Observation): Baseline {
    this.#baseline = {
      ...baseline,
      exchangeShare: baseline.exchangeShare ?? exchangeShare,
      latencyMs: baseline.latencyMs ?? latencyMs,
    }
    return this.#baseline
  }

  #first({ members, hosts, now }: Observation): Decision {
    if (members.length === 0 || hosts === 0)
      return { trigger: null, why: 'There is nothing to plan.' }
    this.#baseline = {
      now,
      members: new Set(members),
      imbalance: null,
      exchangeShare: null,
      latencyMs: null,
    }
    return { trigger: 'members', why: `The first plan for ${members.length} members.` }
  }

  #noteMembers({ members, now }: Observation, baseline: Baseline): void {
    const joined = members.filter((member) => !baseline.members.has(member)).toSorted()
    const present = new Set(members)
    const left = [...baseline.members].filter((member) => !present.has(member)).toSorted()
    const key = JSON.stringify([joined, left])
    if (key === this.#change.key) return
    this.#change = { key, text: changeText(joined, left), since: now }
    // Back to what it was, or to something else: the next change is a new reason.
    if (key !== this.#spentChange) this.#isSpent.delete('members')
  }

  /** All reasons that are above their threshold and armed; arms those that have come down. */
  #speaking(observation: Observation, baseline: Baseline): Measure[] {
    return this.#measures(observation, baseline).filter(({ trigger, measure, threshold }) => {
      if (trigger !== 'members' && measure < this.#rules.rearm * threshold) {
        this.#isSpent.delete(trigger)
      }
      return measure >= threshold && !this.#isSpent.has(trigger)
    })
  }

  #measures(seen: Observation, baseline: Baseline): Measure[] {
    const { settledMs, newHostShare, everyMs } = this.#rules
    const { text, since } = this.#change
    const elapsedMs = seen.now - baseline.now
    const share = seen.newHosts / Math.max(1, seen.hosts - seen.newHosts)
    return [
      {
        trigger: 'members',
        measure: text === '' ? -1 : seen.now - since,
        threshold: settledMs,
        why: `${text}.`,
      },
      {
        trigger: 'new-hosts',
        measure: share,
        threshold: newHostShare,
        why: `${seen.newHosts} hosts are new, ${percent(share)} of those that were planned.`,
      },
      ...driftsOf(seen, baseline, this.#rules),
      {
        trigger: 'time',
        measure: elapsedMs,
        threshold: everyMs,
        why: `The last plan is ${Math.round(elapsedMs / 60_000)} minutes old.`,
      },
    ]
  }
}

interface Measure {
  trigger: TriggerName
  measure: number
  threshold: number
  why: string
}

function driftsOf(seen: Observation, baseline: Baseline, rules: TriggerRules): Measure[] {
  const [uneven, exchange, waiting] = [seen.imbalance, seen.exchangeShare, seen.latencyMs]
  return [
    {
      trigger: 'imbalance',
      measure: (uneven ?? 0) - (baseline.imbalance ?? Infinity),
      threshold: rules.imbalanceDrift,
      why: `The fullest part carries ${percent(uneven)} more than its share, after ${percent(baseline.imbalance)}.`,
    },
    {
      trigger: 'exchange',
      measure: growth(exchange, baseline.exchangeShare),
      threshold: rules.exchangeDrift,
      why: `${percent(exchange)} of the links lead to other parts, after ${percent(baseline.exchangeShare)}.`,
    },
    {
      trigger: 'latency',
      measure: growth(waiting, baseline.latencyMs),
      threshold: rules.latencyDrift,
      why: `A page takes ${Math.round(waiting ?? 0)} ms, after ${Math.round(baseline.latencyMs ?? 0)} ms.`,
    },
  ]
}

/** Relative; −1 while one of both is unknown. */
function growth(now: number | null, then: number | null): number {
  if (now === null || then === null || then <= 0) return -1
  return now / then - 1
}

/** Names beyond these are only counted. */
const NAMED_MAX = 3

function changeText(joined: readonly string[], left: readonly string[]): string {
  const listed = (names: readonly string[], verb: string): string[] => {
    if (names.length === 0) return []
    const more = names.length > NAMED_MAX ? ` and ${names.length - NAMED_MAX} more` : ''
    return [`${names.slice(0, NAMED_MAX).join(', ')}${more} ${verb}`]
  }
  return [...listed(joined, 'joined'), ...listed(left, 'left')].join('; ')
}

function percent(share: number | null): string {
  return `${Math.round((share ?? 0) * 100)} %`
}
