/**
 * Step 2 of the life of a capture: which agent gets which host? Within one lease operation it
 * decides which due hosts the requesting agent may take, in this order: its own turns, new ones
 * that the strategy gives to it (and to others at the same time), unassigned turns, stolen ones.
 *
 * A turn's device is a hint; the lease taken afterwards is the only right. So an operation that
 * dies, a switch of the strategy or a steal can neither lose a request nor hand it out twice.
 */
import { UnknownAgent } from '@minga/protocol'
import type { Sql } from '@minga/store'
import { chooserFor } from './candidates.ts'
import type { Turn } from './choose.ts'
import { agentsPresent } from './connections.ts'
import type { HostRow } from '../lease/take-hosts.ts'
import { dueHosts } from './due-hosts.ts'
import {
  changedLoad,
  countriesOf,
  lockLoads,
  longestQueues,
  longestQueuesIn,
  noChange,
  readLoad,
  readLoads,
  saveLoads,
  type Load,
  type LoadChange,
} from './loads.ts'
import { byDistanceFrom } from './country-distance.ts'
import { placementSettings, type PlacementSettings } from './settings.ts'
import {
  stealFromLongest,
  stealFromSlower,
  type StolenTurns,
  type StealRequest,
} from './work-stealing.ts'

/** Turns given out in one operation: a lease must stay short, the next one continues. */
const GIVEN_PER_LEASE_MAX = 512
/** Agents counted to know how many turns must be given until the asker has enough. */
const AGENTS_COUNTED_MAX = 64
/** Candidates checked per wanted host: some are held back by their address group. */
const LOOK_AHEAD = 2
/** Under `partitioned` a turn waits so long for the agent that it is meant for before an idle one may take it:
 * that one is busy or slow. Sooner would scatter the map's hosts at every ask, later would let agents idle. */
const MAPPED_WAITS_MS = 3_000
/** Victims compared by a thief; each gives turns down to its own level, so few are enough. */
const VICTIMS_MAX = 32

export interface Asking {
  boot: string
  device: string
  now: number
}

export interface Wanted {
  collectionId: number
  hostsMax: number
  /** How many requests a host's turn will take, for the counts. */
  requestsOf: (row: HostRow) => number
}

export class HostAllocator {
  readonly #sql: Sql
  readonly #asking: Asking
  readonly #me: Load
  readonly settings: PlacementSettings
  readonly #present: number
  readonly #changes = new Map<string, LoadChange>()
  /** Given to the asker in this operation and not in the database yet. */
  readonly #unwritten = new Map<HostRow, number>()
  #seenOwn = 0
  /** Due hosts that are unassigned, beyond what was assigned now. */
  #rest: HostRow[] = []

  static async open(sql: Sql, asking: Asking): Promise<HostAllocator> {
    const me = await readLoad(sql, asking.device)
    if (!me) throw new UnknownAgent(asking.boot)
    const settings = await placementSettings(sql)
    const present = await agentsPresent(sql, AGENTS_COUNTED_MAX)
    return new HostAllocator(sql, { asking, me, settings, present })
  }

  private constructor(
    sql: Sql,
    parts: { asking: Asking; me: Load; settings: PlacementSettings; present: number },
  ) {
    this.#sql = sql
    this.#asking = parts.asking
    this.#me = parts.me
    this.settings = parts.settings
    this.#present = parts.present
  }

  get #isAlone(): boolean {
    return this.#present <= 1
  }

  /** How many more requests the agent may hold. */
  async roomInHand(): Promise<number> {
    const { inHandMax } = this.settings
    const room = inHandMax - this.#me.in_hand
    if (room > inHandMax / 2) return room
    // Near the cap the leases themselves are counted: a figure that drifted must not stop anyone.
    const held = await this.#sql.all<{ items: string }>(
      `SELECT h.items FROM leases l JOIN host_leases h ON h.fence = l.fence WHERE l.boot = ?`,
      [this.#asking.boot],
    )
    let inHand = 0
    for (const { items } of held) inHand += (JSON.parse(items) as number[]).length
    this.#change(this.#me.device).in_hand += inHand - this.#me.in_hand
    this.#me.in_hand = inHand
    return inHandMax - inHand
  }

  /** The asker's own turns and those that the strategy gives to it now. */
  async own(wanted: Wanted): Promise<HostRow[]> {
    const mine = await this.#assignedBefore(wanted)
    this.#rest = []
    if (mine.length >= wanted.hostsMax) return mine
    if (this.#isAlone)
      return [...mine, ...(await this.#nobodys(wanted, wanted.hostsMax * LOOK_AHEAD))]
    const giving = Math.min(
      GIVEN_PER_LEASE_MAX,
      wanted.hostsMax * Math.max(LOOK_AHEAD, this.#present),
    )
    // With so many agents that the caller's share is small, it may take what was not assigned.
    const spare = giving === GIVEN_PER_LEASE_MAX ? wanted.hostsMax : 0
    const free = await this.#nobodys(wanted, giving + spare)
    this.#rest = free.slice(giving)
    return [...mine, ...(await this.#give(wanted, free.slice(0, giving)))]
  }

  async #assignedBefore(wanted: Wanted): Promise<HostRow[]> {
    if (this.#me.due === 0) return []
    const rows = await dueHosts(this.#sql, {
      collectionId: wanted.collectionId,
      device: this.#me.device,
      now: this.#asking.now,
      atMost: wanted.hostsMax * LOOK_AHEAD,
    })
    this.#seenOwn += rows.length
    return rows
  }

  #nobodys(wanted: Wanted, atMost: number): Promise<HostRow[]> {
    const { collectionId } = wanted
    return dueHosts(this.#sql, { collectionId, device: null, now: this.#asking.now, atMost })
  }

  /**
   * Assigns turns by the strategy. Returns the caller's, and hosts that must be resolved before
   * they can be assigned: without an address their location is unknown.
   */
  async #give(wanted: Wanted, free: readonly HostRow[]): Promise<HostRow[]> {
    const { now } = this.#asking
    const isReady = (row: HostRow): boolean =>
      row.next_allowed_at <= now && row.address !== null && row.address_until > now
    const ready = free.filter(isReady)
    const mine = free.filter((row) => !isReady(row))
    if (ready.length === 0) return mine
    const turns = ready.map((row) => turnOf(row, wanted))
    const chooser = await chooserFor(this.#sql, this.settings.strategy, turns)
    const others: HostRow[] = []
    for (const [i, row] of ready.entries()) {
      const turn = turns[i]!
      const device = chooser.choose(turn)?.device ?? this.#me.device
      this.#promise(device, turn.requests)
      row.device = device
      row.promised = turn.requests
      if (device === this.#me.device) {
        mine.push(row)
        this.#unwritten.set(row, wanted.collectionId)
      } else others.push(row)
    }
    await this.#write(others.map((row) => ({ row, collectionId: wanted.collectionId })))
    return mine
  }

  async #write(turns: readonly { row: HostRow; collectionId: number }[]): Promise<void> {
    await this.#sql.updateMany({
      table: 'collection_hosts',
      keys: ['collection_id', 'host_id'],
      set: ['device', 'promised'],
      rows: turns.map(({ row, collectionId }) => [
        collectionId,
        row.host_id,
        row.device,
        row.promised,
      ]),
    })
  }

  /** Used when its own turns were not enough: unassigned turns, then those that can be stolen. */
  async more(wanted: Wanted, has: number): Promise<HostRow[]> {
    const { strategy } = this.settings
    // Everyone must do the same number: who has had its share waits for the others.
    if (this.#isAlone || strategy === 'democratic') return []
    if (this.#rest.length > 0) return this.#rest
    const rows: HostRow[] = []
    const now = this.#asking.now - (strategy === 'partitioned' ? MAPPED_WAITS_MS : 0)
    for (const { device, turns } of await this.#steal({ has, wants: has + wanted.hostsMax })) {
      const { collectionId } = wanted
      rows.push(...(await dueHosts(this.#sql, { collectionId, device, now, atMost: turns })))
    }
    return rows
  }

  async #steal(request: StealRequest): Promise<StolenTurns[]> {
    const { strategy } = this.settings
    const me = this.#me
    const given = await this.#givenNow()
    if (strategy === 'nearest' && me.country !== '') return this.#stealNearby(request, given)
    const victims = this.#asChanged([...(await longestQueues(this.#sql, VICTIMS_MAX)), ...given])
    if (strategy === 'fastest') return stealFromSlower(victims, { ...request, thief: me })
    return stealFromLongest(victims, request)
  }

  /** One country after the other, until the thief has enough. */
  async #stealNearby({ has, wants }: StealRequest, given: readonly Load[]): Promise<StolenTurns[]> {
    const loaded = await countriesOf(this.#sql, 'due > 0')
    const countries = [...new Set([...loaded, ...given.map(({ country }) => country)])]
    const stolen: StolenTurns[] = []
    let mine = has
    for (const country of byDistanceFrom(this.#me.country, countries)) {
      if (mine >= wants) break
      const there = given.filter((load) => load.country === country)
      const queues = await longestQueuesIn(this.#sql, country, VICTIMS_MAX)
      for (const part of stealFromLongest(this.#asChanged([...queues, ...there]), {
        has: mine,
        wants,
      })) {
        stolen.push(part)
        mine += part.turns
      }
    }
    return stolen
  }

  /** Agents whose line this operation made longer; the database does not know yet. */
  async #givenNow(): Promise<Load[]> {
    const longer = [...this.#changes].filter(([, change]) => change.due > 0)
    longer.sort(([, a], [, b]) => b.due - a.due)
    const devices = longer.slice(0, VICTIMS_MAX).map(([device]) => device)
    return readLoads(this.#sql, devices)
  }

  /** The others, each once, with what this operation changed already. */
  #asChanged(loads: readonly Load[]): Load[] {
    const others = new Map(loads.map((load) => [load.device, load]))
    others.delete(this.#me.device)
    return [...others.values()].map((load) =>
      changedLoad(load, this.#changes.get(load.device) ?? noChange()),
    )
  }

  /** The asker leases this host with so many requests: the turn is over, whosever it was. */
  taken(row: HostRow, requests: number): void {
    this.#unwritten.delete(row)
    this.#uncount(row)
    const change = this.#change(this.#me.device)
    change.assigned += requests
    change.balance += requests
    change.in_hand += requests
  }

  /** The turn led to nothing: the host has nothing left to send. */
  async drop(row: HostRow, collectionId: number): Promise<void> {
    if (row.device === null) return
    const isWritten = !this.#unwritten.delete(row)
    this.#uncount(row)
    row.device = null
    row.promised = 0
    if (isWritten) await this.#write([{ row, collectionId }])
  }

  #uncount({ device, promised }: HostRow): void {
    if (device !== null) this.#promise(device, promised, -1)
  }

  /** Keeps what was given and counts it. To be called last, with the other rows written. */
  async close(isIdle: boolean): Promise<void> {
    await this.#write([...this.#unwritten].map(([row, collectionId]) => ({ row, collectionId })))
    if (this.#me.due > this.#seenOwn) await this.#dropVoidTurns()
    const idleSince = isIdle ? (this.#me.idle_since ?? this.#asking.now) : null
    const isChanged = idleSince !== this.#me.idle_since || this.#me.ready === 0
    if (isChanged) this.#change(this.#me.device)
    const devices = [...this.#changes.keys()].toSorted()
    if (devices.length === 0) return
    const loads = await lockLoads(this.#sql, devices)
    const changed: Load[] = []
    for (const [device, change] of this.#changes) {
      const load = loads.get(device)
      if (load?.connected !== 1) await this.#takeBack(device)
      else if (device !== this.#me.device) changed.push(changedLoad(load, change))
      // Who asks is at work again.
      else changed.push({ ...changedLoad(load, change), ready: 1, idle_since: idleSince })
    }
    await saveLoads(this.#sql, changed)
  }

  /** It left while this operation gave it turns. */
  async #takeBack(device: string): Promise<void> {
    if (device === this.#me.device) throw new UnknownAgent(this.#asking.boot)
    await this.#sql.run(
      'UPDATE collection_hosts SET device = NULL, promised = 0 WHERE device = ?',
      [device],
    )
  }

  /** Turns of collections that were paused or ended, or whose URLs ended without a fetch: they
   * would make the agent look busy for ever. */
  async #dropVoidTurns(): Promise<void> {
    const rows = await this.#sql.all<{ collection_id: number; host_id: number; promised: number }>(
      `SELECT c.collection_id, c.host_id, c.promised FROM collection_hosts c
       JOIN collections k ON k.id = c.collection_id
       WHERE c.device = ? AND (c.queued = 0 OR k.state <> 'running')`,
      [this.#me.device],
    )
    await this.#sql.updateMany({
      table: 'collection_hosts',
      keys: ['collection_id', 'host_id'],
      set: ['device', 'promised'],
      rows: rows.map((row) => [row.collection_id, row.host_id, null, 0]),
    })
    for (const { promised } of rows) this.#promise(this.#me.device, promised, -1)
  }

  #change(device: string): LoadChange {
    const known = this.#changes.get(device)
    if (known) return known
    const change = noChange()
    this.#changes.set(device, change)
    return change
  }

  /** A turn with so many requests is meant for the device, or (-1) no longer. */
  #promise(device: string, requests: number, sign: 1 | -1 = 1): void {
    const change = this.#change(device)
    change.due += sign
    change.promised += sign * requests
    change.balance += sign * requests
  }
}

function turnOf(row: HostRow, wanted: Wanted): Turn {
  const { host_id: hostId, name: host, country } = row
  return { hostId, host, country: country ?? '', requests: wanted.requestsOf(row) }
}
