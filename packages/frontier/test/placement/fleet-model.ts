/** The strategies as spec 0 means them, on plain arrays and one turn at a time: the judge of the
 * real ones in tests. */
import { countryDistanceKm } from '../../src/placement/country-distance.ts'
import { successAfter } from '../../src/placement/outcomes.ts'
import type { Strategy } from '../../src/placement/settings.ts'

export interface ModelAgent {
  device: string
  country: string
  isConnected: boolean
  /** Lifetime count, level with the others when it came. */
  balance: number
  assigned: number
  queue: number[]
  inHand: number[]
  success: number
}

const LOOK_AHEAD = 2

export class FleetModel {
  strategy: Strategy = 'least-busy'
  readonly agents: ModelAgent[] = []
  readonly countryOf = new Map<number, string>()
  /** Unassigned hosts, by id: the oldest first. */
  free: number[] = []
  readonly done: number[] = []

  get present(): ModelAgent[] {
    return this.agents.filter((agent) => agent.isConnected)
  }

  agent(device: string): ModelAgent {
    return this.agents.find((agent) => agent.device === device)!
  }

  addHost(id: number, country: string): void {
    this.countryOf.set(id, country)
    this.free.push(id)
  }

  connect(device: string, country: string): void {
    const level = Math.min(...this.present.map(({ balance }) => balance))
    const floor = Number.isFinite(level) ? level : 0
    let agent = this.agents.find((one) => one.device === device)
    if (!agent) {
      agent = {
        device,
        country,
        isConnected: false,
        balance: 0,
        assigned: 0,
        queue: [],
        inHand: [],
        success: 1,
      }
      this.agents.push(agent)
    }
    if (!agent.isConnected) agent.balance = Math.max(agent.balance, floor)
    agent.isConnected = true
    agent.country = country
  }

  disconnect(device: string): void {
    const agent = this.agent(device)
    agent.isConnected = false
    agent.balance -= agent.queue.length
    this.free = [...this.free, ...agent.queue, ...agent.inHand].toSorted((a, b) => a - b)
    agent.queue = []
    agent.inHand = []
  }

  complete(device: string, answers: readonly ('good' | 'bad')[]): void {
    const agent = this.agent(device)
    for (const answer of answers) {
      const host = agent.inHand.shift()
      if (host === undefined) return
      agent.success = successAfter(agent.success, answer === 'good')
      this.done.push(host)
    }
  }

  ask(device: string, wanted: number): number[] {
    const me = this.agent(device)
    // What was its own before comes first, then what it is given now.
    const before = [...me.queue]
    if (before.length < wanted) this.#giveTo(me, wanted)
    const line = [...before, ...me.queue.filter((host) => !before.includes(host))]
    const taken = line.slice(0, wanted)
    me.queue = me.queue.filter((host) => !taken.includes(host))
    while (taken.length < wanted) {
      const victim = this.#victim(me, taken.length)
      if (!victim) break
      taken.push(victim.queue.shift()!)
      victim.balance--
      me.balance++
    }
    me.assigned += taken.length
    me.inHand.push(...taken)
    return taken
  }

  #giveTo(me: ModelAgent, wanted: number): void {
    if (this.present.length > 1) {
      const giving = wanted * Math.max(LOOK_AHEAD, this.present.length)
      for (const host of this.free.splice(0, giving)) this.#put(host)
      return
    }
    const taken = this.free.splice(0, wanted - me.queue.length)
    me.balance += taken.length
    me.queue.push(...taken)
  }

  #put(host: number): void {
    const agent = this.#first(this.#candidates(host))
    // An orphan is as old as it was: lines are in order of age, not of assignment.
    agent.queue = [...agent.queue, host].toSorted((a, b) => a - b)
    agent.balance++
  }

  #candidates(host: number): ModelAgent[] {
    if (this.strategy !== 'nearest') return this.present
    const km = (agent: ModelAgent): number =>
      countryDistanceKm(this.countryOf.get(host)!, agent.country)
    const least = Math.min(...this.present.map(km))
    return this.present.filter((agent) => km(agent) === least)
  }

  #first(agents: readonly ModelAgent[]): ModelAgent {
    const order = (a: ModelAgent, b: ModelAgent): number =>
      (this.strategy === 'democratic' ? a.balance - b.balance : 0) ||
      busy(a) - busy(b) ||
      (a.device < b.device ? -1 : 1)
    return agents.toSorted(order)[0]!
  }

  #victim(me: ModelAgent, has: number): ModelAgent | undefined {
    if (this.strategy === 'democratic') return undefined
    const loaded = this.present.filter((agent) => agent !== me && agent.queue.length > has)
    const km = (agent: ModelAgent): number =>
      this.strategy === 'nearest' && me.country !== ''
        ? countryDistanceKm(me.country, agent.country)
        : 0
    const order = (a: ModelAgent, b: ModelAgent): number => {
      if (km(a) !== km(b)) return km(a) < km(b) ? -1 : 1
      return b.queue.length - a.queue.length || (a.device < b.device ? -1 : 1)
    }
    return loaded.toSorted(order)[0]
  }
}

function busy(agent: ModelAgent): number {
  return (agent.queue.length + agent.inHand.length + 1) / agent.success
}
