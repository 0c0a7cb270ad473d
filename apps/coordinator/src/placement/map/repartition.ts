/**
 * Maintains the station's map of hosts to agents for the strategy `partitioned`: monitors the
 * reasons to replan, plans in a separate thread, writes the map and reports it; between two plans
 * it places new hosts. Under another strategy it does nothing, and the existing map stays for
 * later.
 */
import type { MapView, ReadyDevice } from '@minga/frontier'
import {
  Triggers,
  breakEven,
  figuresOf,
  passesWithin,
  planInThread,
  type Decision,
  type Observation,
  type Plan,
  type PlanInput,
  type PlanPart,
  type PlanWeights,
  type TriggerRules,
} from '@minga/partition'
import { isMingaError } from '@minga/protocol'
import type { PlaceBatch } from '../graph/flush-graph.ts'
import type { DistanceReader } from '../distance/read-distances.ts'
import type { Station } from '../../station/station.ts'
import { mostMovedPages, readPlanInput } from './repartition-input.ts'
import { NewHosts } from './repartition-new-hosts.ts'
import { changedRows, writeMap } from './repartition-write.ts'

/** An agent counts while it is ready and a while after: a line that blinks is no departure. */
class Members {
  readonly #absentMs: number
  readonly #seen = new Map<string, { at: number; success: number }>()
  #names = ''
  #since = 0

  constructor(absentMs: number) {
    this.#absentMs = absentMs
  }

  see(ready: readonly ReadyDevice[], now: number): PlanPart[] {
    for (const { device, success } of ready) this.#seen.set(device, { at: now, success })
    for (const [device, { at }] of this.#seen) {
      if (at < now - this.#absentMs) this.#seen.delete(device)
    }
    const parts = [...this.#seen].map(([name, { success }]) => ({
      name,
      capacity: capacityOf(success),
    }))
    parts.sort((a, b) => (a.name < b.name ? -1 : 1))
    this.#note(parts.map(({ name }) => name).join(' '), now)
    return parts
  }

  /** For how long they have been the same. */
  sameForMs(now: number): number {
    return now - this.#since
  }

  #note(names: string, now: number): void {
    if (names === this.#names) return
    this.#names = names
    this.#since = now
  }
}

/** In quarters, so that it seldom changes: an agent that fails half of the time carries half. */
function capacityOf(success: number): number {
  return Math.max(1, Math.round(4 * success)) / 4
}

export interface RepartitionTiming {
  lookEveryMs: number
  newHostsEveryMs: number
  /** How often the placement is measured, if that takes no more than a fiftieth of the time. */
  measureEveryMs: number
  /** How long an agent may be away before it counts as gone. */
  absentMs: number
  settledMs: number
  pauseMs: number
  /** Within which a move must have paid. */
  horizonMs: number
}

const TIMING: RepartitionTiming = {
  lookEveryMs: 1_000,
  newHostsEveryMs: 3_000,
  measureEveryMs: 60_000,
  absentMs: 15_000,
  settledMs: 15_000,
  pauseMs: 60_000,
  horizonMs: 6 * 3_600_000,
}

/** The share of the time that measuring may take is one of so many. */
const MEASURE_SPACING = 50
/** Beyond, less thorough plans: they take half a minute for a million hosts. */
const THOROUGH_HOSTS_MAX = 100_000

interface RepartitionerDeps {
  distances: DistanceReader
  /** Names this run of a coordinator. */
  writer: string
  log: (line: string) => void
  tell: (event: string, data: unknown) => void
  timing?: Partial<RepartitionTiming> | undefined
}

type Measured = Pick<Observation, 'imbalance' | 'exchangeShare' | 'latencyMs'>

const UNMEASURED: Measured = { imbalance: null, exchangeShare: null, latencyMs: null }

interface Wanted {
  reason: string
  why: string
  parts: readonly PlanPart[]
  map: MapView | null
}

export class Repartitioner {
  readonly #station: Station
  readonly #deps: RepartitionerDeps
  readonly #timing: RepartitionTiming
  readonly #members: Members
  readonly #newHosts: NewHosts
  #triggers: Triggers
  #rules = ''
  /** The epoch that the triggers measure against. */
  #epoch: number | null = null
  #measured = UNMEASURED
  #pages: { count: number; at: number } | null = null
  #isAsked = false
  #isPlanning = false
  /** Background work outside of the ticks: one thing at a time. */
  #work: Promise<void> | null = null
  #lookAt = 0
  #newHostsAt = 0
  #measureAt = 0

  constructor(station: Station, deps: RepartitionerDeps) {
    this.#station = station
    this.#deps = deps
    this.#timing = { ...TIMING, ...deps.timing }
    this.#members = new Members(this.#timing.absentMs)
    this.#newHosts = new NewHosts(station.store)
    this.#triggers = new Triggers()
  }

  get #isOn(): boolean {
    return this.#station.settings.current().strategy === 'partitioned'
  }

  get isPlanning(): boolean {
    return this.#isPlanning || this.#isAsked
  }

  /** What the placement cost when it was last measured; null while that is not known. */
  get measured(): Measured | null {
    return this.#isOn && this.#measured !== UNMEASURED ? this.#measured : null
  }

  /** Links that the crawl reported. */
  hear(batch: Pick<PlaceBatch, 'links'>): void {
    if (this.#isOn) this.#newHosts.hear(batch)
  }

  /** Plans at the next look, whatever the reasons say; false while another strategy holds. */
  planSoon(): boolean {
    this.#isAsked = this.#isOn
    this.#lookAt = 0
    return this.#isAsked
  }

  /** Resolves when the background work has ended. */
  async settled(): Promise<void> {
    while (this.#work !== null) await this.#work
  }

  /** At the station's pulse. */
  async tick(): Promise<void> {
    const now = this.#station.clock.now()
    if (!this.#isOn) {
      this.#epoch = null
      return
    }
    if (now < this.#lookAt) return
    this.#lookAt = now + this.#timing.lookEveryMs
    const { store } = this.#station
    const parts = this.#members.see(await store.call('readyDevices', {}), now)
    const map = await store.call('readMap', {})
    this.#follow(map)
    if (map !== null && parts.length > 0) await this.#placeNewHosts(map, parts, now)
    if (this.#work === null && parts.length > 0) await this.#look({ map, parts, now })
  }

  /**
   * Another epoch is in force, also one that another process wrote, or other rules: drift is
   * counted from there.
   */
  #follow(map: MapView | null): void {
    const rules = this.#triggerRules()
    const text = JSON.stringify(rules)
    if (text === this.#rules && this.#epoch === (map?.epoch ?? 0)) return
    this.#rules = text
    this.#epoch = map?.epoch ?? 0
    this.#triggers = new Triggers(rules)
    this.#newHosts.forget()
    if (map === null) return
    const { at, imbalance, exchangeShare, latencyMs, parts } = map
    this.#measured = { imbalance, exchangeShare, latencyMs }
    const members = parts.map(({ device }) => device)
    this.#triggers.planned({ now: at, members, ...this.#measured })
  }

  #triggerRules(): Partial<TriggerRules> {
    const { mapDrift, mapEveryMs } = this.#station.settings.current()
    const { settledMs, pauseMs } = this.#timing
    return {
      settledMs,
      pauseMs,
      everyMs: mapEveryMs,
      imbalanceDrift: mapDrift,
      exchangeDrift: mapDrift,
      latencyDrift: mapDrift,
      newHostShare: mapDrift,
    }
  }

  #weights(): Partial<PlanWeights> {
    const { mapExchangeMs, mapMoveMs } = this.#station.settings.current()
    return { exchangeMs: mapExchangeMs, migrationMs: mapMoveMs }
  }

  async #placeNewHosts(map: MapView, parts: readonly PlanPart[], now: number): Promise<void> {
    if (now < this.#newHostsAt) return
    this.#newHostsAt = now + this.#timing.newHostsEveryMs
    await this.#newHosts.place({ map, parts, weights: this.#weights() })
  }

  async #look({ map, parts, now }: Pick<Wanted, 'map' | 'parts'> & { now: number }): Promise<void> {
    const { store } = this.#station
    const totals = await store.call('graphTotals', {})
    this.#pages ??= { count: totals.pages, at: now }
    // One agent does everything, and a fleet that is still coming together is not planned for.
    const isReady = parts.length > 1 && this.#members.sameForMs(now) >= this.#timing.settledMs
    const decision = this.#isAsked
      ? { trigger: 'asked', why: 'An operator asked for it.' }
      : map === null && !isReady
        ? null
        : this.#decide({ map, parts, now, hosts: totals.hosts })
    if (decision?.trigger != null) {
      this.#isAsked = false
      const wanted = { reason: decision.trigger, why: decision.why, parts, map }
      this.#isPlanning = true
      this.#begin(() => this.#plan(wanted, totals.pages))
    } else if (map !== null && now >= this.#measureAt) this.#begin(() => this.#measure(parts))
  }

  #decide(seen: {
    map: MapView | null
    parts: readonly PlanPart[]
    now: number
    hosts: number
  }): Decision {
    const { map, parts, now } = seen
    const inMap = map === null ? 0 : map.parts.reduce((sum, { hosts }) => sum + hosts, 0)
    return this.#triggers.look({
      now,
      members: parts.map(({ name }) => name),
      hosts: map === null ? seen.hosts : inMap,
      newHosts: map === null ? 0 : Math.max(0, inMap - map.hosts),
      ...this.#measured,
    })
  }

  /** Starts background work outside of the ticks. */
  #begin(work: () => Promise<void>): void {
    this.#work = work()
      .catch((error: unknown) => this.#failed(error))
      .finally(() => {
        this.#work = null
        this.#isPlanning = false
      })
  }

  /** The reasons persist; they are checked again after a pause. */
  #failed(error: unknown): void {
    const { closing, clock } = this.#station
    if (closing.aborted) return
    this.#epoch = null
    this.#lookAt = clock.now() + this.#timing.pauseMs
    const code = isMingaError(error) ? error.code : 'MINGA_INTERNAL'
    // Another coordinator does it, which is as good.
    if (code === 'MINGA_MAP_TAKEN') return
    const message = error instanceof Error ? error.message : String(error)
    this.#deps.log(`minga: the map of hosts could not be made: ${message} (${code})`)
  }

  #read(parts: readonly PlanPart[]): Promise<PlanInput | null> {
    const { store, settings } = this.#station
    const { distances } = this.#deps
    return readPlanInput({ store, distances }, { parts, delayMs: settings.current().delayMs })
  }

  /** What the placement costs by now. */
  async #measure(parts: readonly PlanPart[]): Promise<void> {
    const { clock } = this.#station
    const begunMs = clock.monotonicMs()
    const input = await this.#read(parts)
    const tookMs = clock.monotonicMs() - begunMs
    const { measureEveryMs } = this.#timing
    this.#measureAt = clock.now() + Math.max(measureEveryMs, MEASURE_SPACING * tookMs)
    if (input?.previous === undefined) return
    const places = new Map(parts.map(({ name }, place) => [name, place]))
    const partOf = Int32Array.from(
      input.graph.names,
      (name) => places.get(input.previous!.get(name) ?? '') ?? -1,
    )
    this.#measured = measuredOf(input, figuresOf(input, partOf))
  }

  async #plan(wanted: Wanted, pagesNow: number): Promise<void> {
    const { closing, clock } = this.#station
    const input = await this.#read(wanted.parts)
    if (input === null) {
      this.#epoch = null
      return
    }
    const hosts = input.graph.names.length
    const pages = input.graph.pages.reduce((sum, count) => sum + count, 0)
    const plan = await planInThread(
      {
        ...input,
        weights: this.#weights(),
        passes: passesWithin(this.#timing.horizonMs, {
          pagesPerSecond: this.#rate(pagesNow),
          pages,
        }),
        mostMovedPages: wanted.reason === 'members' ? mostMovedPages(input, wanted.map) : undefined,
        preset: hosts > THOROUGH_HOSTS_MAX ? 'fast' : 'default',
      },
      closing,
    )
    this.#pages = { count: pagesNow, at: clock.now() }
    await this.#keep(wanted, input, plan)
  }

  /** Pages per second since the last plan. */
  #rate(pagesNow: number): number {
    const { count, at } = this.#pages!
    const seconds = (this.#station.clock.now() - at) / 1_000
    return seconds <= 0 ? 0 : (pagesNow - count) / seconds
  }

  async #keep(wanted: Wanted, input: PlanInput, plan: Plan): Promise<void> {
    const { store, clock } = this.#station
    const { writer, log, tell } = this.#deps
    const now = clock.now()
    const { reason, map } = wanted
    const why = `${wanted.why} ${breakEven(plan).why}`
    const isNews = reason === 'asked' || reason === 'members' || map === null
    if (!isNews && changedRows({ input, plan }).length === 0) {
      this.#measured = measuredOf(input, plan)
      const members = plan.parts.map(({ name }) => name)
      this.#triggers.planned({ now, members, ...this.#measured })
      return
    }
    const { epoch, changed } = await writeMap(store, { writer, now, input, plan, reason, why })
    // Everyone who may see collections gets it: agents are named in the log only.
    tell('map', { epoch, at: now, reason, changedHosts: changed })
    log(
      `minga: hosts were reassigned (map ${epoch}, ${changed} of ${input.graph.names.length} hosts changed): ${why}`,
    )
  }
}

function measuredOf(
  { latency }: PlanInput,
  {
    imbalance,
    exchangeShare,
    latencyMs,
    pages,
  }: Pick<Plan, 'imbalance' | 'exchangeShare' | 'latencyMs' | 'pages'>,
): Measured {
  const all = pages.reduce((sum, count) => sum + count, 0)
  return {
    imbalance,
    exchangeShare,
    latencyMs: latency === undefined ? null : latencyMs / Math.max(1, all),
  }
}
